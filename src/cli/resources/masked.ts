// Refuses to apply what a caller has read without its secrets: an apply would lose them.
import type { ResourceRecord } from '../../api/shapes.ts';
import { slashed } from '../../domain/identity.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';

/** @throws CliError when values of the record are hidden */
export function requireUnmasked(record: ResourceRecord): void {
  if ((record.masked ?? []).length === 0) return;
  const message = `You do not see the secrets of ${slashed(record)}, so you cannot apply it.`;
  throw new CliError(message, {
    exit: ExitCode.notAllowed,
    next: 'Ask an editor.  Your organization and role: fairlead whoami',
  });
}
