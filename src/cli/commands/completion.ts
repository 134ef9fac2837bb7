// `fairlead completion SHELL` prints the script of a shell, and `fairlead __complete`, which the script calls, the candidates.

import { oneLine } from '../../client/width.ts';
import { candidatesFor } from '../completion/candidates.ts';
import { completionNames } from '../completion/names.ts';
import { completionScripts, type Shell, shells } from '../completion/scripts.ts';
import { usageError } from '../errors/cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { commands } from '../table/index.ts';

export function completion({ args, output }: Invocation): Promise<undefined> {
  const shell = shells.find((each) => each === args[0]);
  if (shell === undefined) throw usageError(`The shell must be one of ${shells.join(', ')}.`);
  output.text(completionScripts[shell satisfies Shell]);
  return Promise.resolve(undefined);
}

export async function complete(invocation: Invocation): Promise<undefined> {
  const { args, output } = invocation;
  const { candidates, kind, typed } = candidatesFor(args, commands);
  for (const { value, about } of candidates) output.text(`${oneLine(value)}\t${oneLine(about)}\n`);
  if (kind === 'file') output.line(':files');
  else if (kind !== undefined) {
    for (const name of await completionNames(kind, invocation)) {
      if (name.startsWith(typed)) output.text(`${oneLine(name)}\t\n`);
    }
  }
  return undefined;
}
