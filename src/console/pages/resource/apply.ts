// Applies an edit, or asks what it would change.
import type { ApplyResource, ResourceRecord } from '../../../api/shapes.ts';
import { request } from '../../api/client.ts';
import { readVersion, type Version, writeTo } from './version.ts';

export interface Plan {
  /** What the apply replaces: the version that was present at the check. */
  readonly base: Version;
  readonly body: ApplyResource;
  /** What the apply would do: `create`, `update`, `retry`, `tags` or `none`. */
  readonly change: string;
  /** The resource as it would be. */
  readonly after: ResourceRecord;
}

/** Compares with the present version. @throws ApiError for a refusal, Error when somebody changes the resource meanwhile */
export async function planOf(id: string, body: ApplyResource): Promise<Plan> {
  const base = await readVersion(id);
  const query = { dry_run: true };
  const { answer, headers } = await writeTo(base, (condition) =>
    request('applyResource', { query, body, headers: condition }),
  );
  return { base, body, change: headers.get('fairlead-plan') ?? 'update', after: answer };
}

/** @throws as `planOf`, when somebody has changed the resource since the check */
export async function apply({ base, body }: Plan): Promise<void> {
  await writeTo(base, (headers) => request('applyResource', { body, headers }));
}
