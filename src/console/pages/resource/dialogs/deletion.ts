// Deletes a resource after a dry run, and nothing that was changed meanwhile.
import { request } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { readVersion, type Version, writeTo } from '../version.ts';

export interface Impact {
  readonly version: Version;
  /** The plan of the deletion: `delete`, `retry` or `none`. Undefined when it is refused. */
  readonly plan: string | undefined;
  readonly refusal: ApiError | undefined;
  /** Resources that use it, so that it is refused: `provider/type/name`. */
  readonly users: readonly string[];
}

/** @throws ApiError but for a refusal that force overrides */
export async function impactOf(id: string): Promise<Impact> {
  const version = await readVersion(id);
  const facts = { version, plan: undefined, refusal: undefined, users: [] };
  try {
    const { headers } = await request('deleteResource', {
      path: { resource_id: id },
      query: { dry_run: true },
    });
    return { ...facts, plan: headers.get('fairlead-plan') ?? 'delete' };
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 409) throw thrown;
    const { users } = thrown.context;
    return { ...facts, refusal: thrown, users: Array.isArray(users) ? users.map(String) : [] };
  }
}

/**
 * @param asked `force`: also what other resources use; `orphan`: leaves what the provider created
 * @param seen the version whose impact was shown
 * @throws ApiError for a refusal, Error when somebody has changed it since
 */
export async function sendDeletion(
  seen: Version,
  asked: { readonly force?: true; readonly orphan?: boolean },
): Promise<void> {
  const path = { resource_id: seen.record.id };
  const query = {
    ...(asked.force === true ? { force: true } : {}),
    ...(asked.orphan === true ? { orphan: true } : {}),
  };
  await writeTo(seen, (headers) => request('deleteResource', { path, query, headers }));
}
