// Applies an edit, or asks what it would change.
import type { ApplyResource, ResourceRecord } from '../../../api/shapes.ts';
import { request } from '../../api/client.ts';
import { type Version, writeTo } from './version.ts';

export interface Plan {
  readonly body: ApplyResource;
  /** What the apply would do: `create`, `update`, `retry`, `tags` or `none`. */
  readonly change: string;
  /** The resource as it would be. */
  readonly after: ResourceRecord;
}

/** @throws ApiError for a refusal, Error when somebody has changed the resource since */
export async function planOf(base: Version, body: ApplyResource): Promise<Plan> {
  const query = { dry_run: true };
  const { answer, headers } = await writeTo(base, (condition) =>
    request('applyResource', { query, body, headers: condition }),
  );
  return { body, change: headers.get('fairlead-plan') ?? 'update', after: answer };
}

/** @throws as `planOf` */
export async function apply(base: Version, body: ApplyResource): Promise<void> {
  await writeTo(base, (headers) => request('applyResource', { body, headers }));
}
