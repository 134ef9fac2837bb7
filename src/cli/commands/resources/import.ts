// `fairlead import`: prints the file that takes over an existing object, applies such files, or lists what exists.
import type { ResourceDefinition } from '../../../api/shapes.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { parseResourceAddress, slashed } from '../../../domain/identity.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { listExisting } from '../../resources/import/existing.ts';
import { type ImportPreview, importFile } from '../../resources/import/file.ts';
import { adoptFrom } from '../../resources/import/identify.ts';
import { importFiles } from '../../resources/import/send.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import type { View } from '../../terminal/output.ts';

export async function importObjects(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const isListed = flags.on('list');
  const hasFiles = flags.texts('file').length > 0;
  const adopt = adoptFrom(flags);
  if ([isListed, hasFiles, adopt !== undefined].filter(Boolean).length > 1) {
    throw usageError('Pass one of -f, --list, and --id or --adopt: each is an import of its own.');
  }
  if (isListed) return await listExisting(invocation);
  if (hasFiles) return await importFiles(invocation);
  return await previewObject(invocation, adopt);
}

/** Not for tables: people and `-o yaml` get the file. */
const previewView: View<ImportPreview> = { columns: [], nameOf: slashed };

async function previewObject(invocation: Invocation, adopt: JsonObject | undefined): Promise<void> {
  const { args, output, talk } = invocation;
  const [name = ''] = args;
  const tuple = parseResourceAddress(name)?.tuple;
  if (tuple === undefined || args.length > 1) {
    throw usageError('Name the resource that is to have the object: PROVIDER/TYPE/NAME.');
  }
  const { provider, resource } = tuple;
  const listing = shell`Existing objects: fairlead import --list ${provider}/${resource}`;
  if (adopt === undefined) {
    throw usageError('Say which object it is, with --id ID or --adopt KEY=VALUE.', listing);
  }
  const api = await invocation.api();
  const body = { provider, resource, name: tuple.name, adopt };
  const found = await api
    .call('previewImport', { body, isRepeatable: true })
    .catch((thrown: unknown) => {
      throw objectNotFound(thrown, listing) ?? thrown;
    });
  const { kind } = output.format;
  if (!output.isForPeople && kind !== 'yaml') {
    await output.record(found, previewView);
    return;
  }
  output.text(await importFile(found, await newestVersion(api, tuple)));
  if (output.isTerminal) talk.note('Keep it with > FILE, and import it: fairlead import -f FILE');
}

function objectNotFound(thrown: unknown, next: string): CliError | undefined {
  const isMissing = thrown instanceof ApiError && thrown.code === 'object_not_found';
  return isMissing ? new CliError(thrown.message, { exit: thrown.exit, next }) : undefined;
}

/** @returns undefined for a caller who may not list types */
async function newestVersion(
  api: Api,
  { provider, resource }: Pick<ResourceDefinition, 'provider' | 'resource'>,
): Promise<number | undefined> {
  try {
    const types = await api.list('listTypes', {});
    const type = types.find((each) => each.provider === provider && each.resource === resource);
    return type?.type_version;
  } catch (thrown) {
    if (thrown instanceof ApiError) return undefined;
    throw thrown;
  }
}
