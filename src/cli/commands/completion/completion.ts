// `fairlead completion SHELL` prints the script of a shell, and `fairlead __complete`, which the script calls, the candidates.

import { safeLine } from '../../../client/width.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { commands } from '../table/index.ts';
import { candidatesFor } from './candidates.ts';
import { completionNames } from './names.ts';
import { completionScripts, type Shell, shells } from './scripts.ts';

export function completion({ args, output }: Invocation): Promise<void> {
  const shell = shells.find((each) => each === args[0]);
  if (shell === undefined) throw usageError(`The shell must be one of ${shells.join(', ')}.`);
  output.text(completionScripts[shell satisfies Shell]);
  return Promise.resolve();
}

export async function complete(invocation: Invocation): Promise<void> {
  const { args, output } = invocation;
  const { candidates, kind, typed } = candidatesFor(args, commands);
  for (const { value, about } of candidates)
    output.text(`${safeLine(value)}\t${safeLine(about)}\n`);
  if (kind === 'file') output.line(':files');
  else if (kind !== undefined) {
    for (const name of await completionNames(kind, invocation)) {
      if (name.startsWith(typed)) output.text(`${safeLine(name)}\t\n`);
    }
  }
}
