// `fairlead migrate`: configs in the newest version of their type, in files or of the stored resources of a type.
import { usageError } from '../errors/cli-error.ts';
import type { Invocation } from '../invocation.ts';

export async function migrate(invocation: Invocation): Promise<undefined> {
  const { args, flags } = invocation;
  const [type] = args;
  const hasFiles = flags.texts('file').length > 0;
  if (hasFiles === (type !== undefined)) {
    throw usageError('Name either files with -f, or one type: PROVIDER/TYPE.');
  }
  if (type === undefined)
    return await (await import('../migrate/files.ts')).migrateFiles(invocation);
  return await (await import('../migrate/stored.ts')).migrateStored(invocation, type);
}
