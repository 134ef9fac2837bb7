// Replaces the content of a file as a whole: a crash leaves the old one or the new one.

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';

export interface FileReplacement {
  /** For people. */
  readonly name: string;
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** @throws CliError when somebody else has changed the file since it was read */
export function replaceFile({ name, path, before, after }: FileReplacement): void {
  // A link stays one.
  const file = realpathSync(path);
  if (readFileSync(file, 'utf8') !== before) {
    throw new CliError(`${name} has changed while it was migrated, and was not written.`, {
      exit: ExitCode.conflict,
      next: 'Run the same command again.',
    });
  }
  const beside = join(dirname(file), `.fairlead-${randomUUID()}`);
  try {
    writeFileSync(beside, after, { flag: 'wx' });
    chmodSync(beside, statSync(file).mode);
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}
