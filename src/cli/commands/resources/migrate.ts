// `fairlead migrate`: configs in the newest version of their type, in files or of the stored resources of a type.

import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';

export async function migrate(invocation: Invocation): Promise<void> {
  const { args, flags } = invocation;
  const [type] = args;
  const hasFiles = flags.texts('file').length > 0;
  if (hasFiles === (type !== undefined)) {
    throw usageError('Name either files with -f, or one type: PROVIDER/TYPE.');
  }
  if (type === undefined)
    return await (await import('../../resources/migrate/files.ts')).migrateFiles(invocation);
  return await (await import('../../resources/migrate/stored.ts')).migrateStored(invocation, type);
}
