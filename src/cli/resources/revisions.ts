// Reads the revisions of a resource, and makes of one what applies it again.

import type { HistoryEntry, ResourceRecord, ResourceRevision } from '../../api/shapes.ts';
import { shell } from '../../client/words/shell-word.ts';
import { slashed } from '../../domain/identity.ts';
import { dottedPointer } from '../../lib/json.ts';
import type { Api } from '../session/api/client.ts';
import { CliError, usageError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import type { Declaration } from './declarations/declaration.ts';
import { oneResource } from './find.ts';

export interface FoundRevision {
  readonly record: ResourceRecord;
  readonly revision: ResourceRevision;
}

/** @param id of the resource, in any spelling */
export async function historyOf(api: Api, id: string): Promise<readonly HistoryEntry[]> {
  return await api.list('listResourceHistory', { path: { resource_id: id } });
}

/** @throws CliError that names the revisions which are kept */
export async function findRevision(api: Api, name: string, wanted: number): Promise<FoundRevision> {
  const { id, text } = oneResource(name);
  const record = await api.call('getResource', { path: { resource_id: id } });
  const entries = await historyOf(api, id);
  const kept = entries.filter((entry) => entry.kept).map((entry) => entry.revision);
  if (!kept.includes(wanted)) {
    throw new CliError(`Revision ${wanted} of ${text} is not kept.`, {
      exit: ExitCode.notFound,
      facts: [`Kept revisions: ${kept.join(', ')}`],
      next: shell`fairlead history ${text}`,
    });
  }
  const { provider, resource, name: own } = record;
  const path = { provider, resource, name: own, revision: `${wanted}` };
  return { record, revision: await api.call('getResourceRevision', { path }) };
}

/** @throws CliError when secrets are missing in it */
export async function revisionDeclared(
  api: Api,
  args: readonly string[],
  wanted: number,
): Promise<Declaration> {
  const [name] = args;
  if (name === undefined || args.length > 1) {
    throw usageError('--revision takes one resource: PROVIDER/TYPE/NAME, and no file.');
  }
  const { record, revision } = await findRevision(api, name, wanted);
  const ref = slashed(record);
  const { config, dependencies, masked, type_version } = revision;
  if (masked.length > 0) throw lacksSecrets(ref, wanted, masked);
  const { provider, resource, name: own, project_id } = record;
  const place = `revision ${wanted}`;
  return {
    ref,
    place,
    placeOf: () => place,
    again: [ref, '--revision', `${wanted}`],
    body: {
      ...{ provider, resource, name: own, project_id, config },
      ...{ lifecycle_state: 'pending', dependencies: [...dependencies] },
      ...(type_version === null ? {} : { type_version }),
    },
  };
}

function lacksSecrets(ref: string, revision: number, masked: readonly string[]): CliError {
  const paths = masked.map((path) => [dottedPointer(path), 'sensitive, so no history keeps it']);
  return new CliError(`Revision ${revision} of ${ref} cannot be applied without its secrets.`, {
    exit: ExitCode.usage,
    facts: paths,
    next: shell`Set them in a file, remove masked, and apply it: fairlead history ${ref} --revision ${revision} -o yaml > FILE`,
  });
}
