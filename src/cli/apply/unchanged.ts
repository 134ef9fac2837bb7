// Finds the declarations that an apply would leave as they are, by one list instead of a request for each. Doubtful ones are not
// among them, so that the server decides about it.
import { isPermitted } from '../../api/permissions.ts';
import type { ApplyResource, ResourceRecord } from '../../api/shapes.ts';
import { isProjectOf } from '../../client/project.ts';
import { keepsOptions } from '../../client/resource-options.ts';
import { slashed } from '../../domain/identity.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { Api } from '../api/client.ts';
import type { Declaration } from '../declarations/declaration.ts';
import { ApiError } from '../errors/api-error.ts';

const pageSize = 1_000;

/** @returns the records of the declarations that are unchanged, by `provider/type/name` */
export async function unchangedRecords(
  api: Api,
  declarations: readonly Pick<Declaration, 'ref' | 'body'>[],
): Promise<ReadonlyMap<string, ResourceRecord>> {
  const found = new Map<string, ResourceRecord>();
  if (declarations.length === 0) return found;
  const wanted = new Map(declarations.map(({ ref, body }) => [ref, body]));
  const { role, project_id: project } = await api.call('getMe', {});
  // The server refuses it, also where nothing would change.
  if (!isPermitted({ role, project: project ?? undefined }, 'applyResource')) return found;
  const query = { ...commonType([...wanted.values()]), limit: pageSize };
  try {
    // No more pages than there are documents: asking for each of them costs less then.
    for (const record of await api.list('listResources', { query }, wanted.size * pageSize)) {
      const body = wanted.get(slashed(record));
      if (body !== undefined && isUnchanged(record, body)) found.set(slashed(record), record);
    }
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
  }
  return found;
}

/** @returns the filter that all of them match */
function commonType([first, ...rest]: readonly ApplyResource[]) {
  if (first === undefined || rest.some(({ provider }) => provider !== first.provider)) return {};
  const { provider, resource } = first;
  return rest.some((each) => each.resource !== resource) ? { provider } : { provider, resource };
}

/**
 * Returns whether the server certainly leaves a resource as it is, as `planApply` of the server decides it. Configs are stored as they
 * were sent, with references and without defaults.
 */
export function isUnchanged(record: ResourceRecord, body: ApplyResource): boolean {
  const { lifecycle_state: state, masked = [], deletion_requested_at, tags } = record;
  if (masked.length > 0 || deletion_requested_at !== null) return false;
  // It may be another version than the stored one, and the server warns about an earlier one.
  if (body.type_version != null) return false;
  // An apply of a failed resource retries it.
  if (state === 'failed' || (state === 'draft') !== (body.lifecycle_state === 'draft'))
    return false;
  return (
    canonicalJson(record.config) === canonicalJson(body.config) &&
    isProjectOf(record, body.project_id ?? record.project_id) &&
    keepsOptions(record, body) &&
    (body.tags === undefined || isSame(body.tags ?? [], tags ?? [])) &&
    (body.dependencies == null ||
      isSame(body.dependencies.map(slashed), record.dependencies.map(slashed)))
  );
}

/** In their order, which the server compares, too. */
function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}
