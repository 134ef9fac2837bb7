// Deletes a resource: what would happen is asked first, and nothing is deleted that was changed meanwhile.
import type { ResourceRecord } from '../../../cli/api/bodies.ts';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { declaresTheSame } from './standing.ts';
import { readVersion, type Version } from './version.ts';

export interface Impact {
  readonly version: Version;
  /** What the deletion would do: `delete`, `retry` or `none`. Undefined when it is refused. */
  readonly plan: string | undefined;
  readonly refusal: ApiError | undefined;
  /** Resources that use it: `provider/type/name`. */
  readonly users: readonly string[];
}

/** @throws ApiError but for a refusal that force overrides */
export async function impactOf(id: string): Promise<Impact> {
  const version = await readVersion(id);
  const facts = { version, plan: undefined, refusal: undefined, users: [] };
  try {
    const { headers } = await call('deleteResource', {
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
 * @param seen the version whose impact was shown
 * @throws ApiError `precondition_failed` when somebody has changed it since
 */
export async function requestDeletion(
  seen: Version,
  { force }: { readonly force: boolean },
): Promise<ResourceRecord> {
  const { record, etag } = seen;
  try {
    await call('deleteResource', {
      path: { resource_id: record.id },
      query: force ? { force } : {},
      headers: etag === null ? {} : { 'if-match': etag },
    });
    return record;
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 412) throw thrown;
    const present = await readVersion(record.id);
    // The progress of its provider also makes a new version; only another apply matters.
    const isProgress = declaresTheSame(record, present.record) && present.etag !== etag;
    if (!isProgress) throw thrown;
    return await requestDeletion(present, { force });
  }
}
