// Applies an edit, or asks what it would change.
import type { ApplyResource, ResourceRecord } from '../../../../api/shapes.ts';
import { forcedByIn } from '../../../../client/forced-by.ts';
import { request } from '../../../api/client.ts';
import { readVersion, type Version, writeTo } from '../version.ts';

export interface EditPlan {
  /** The version that the apply replaces: the one that was present at the check. */
  readonly base: Version;
  readonly body: ApplyResource;
  /** The plan of the apply: one of `applyPlans`, or that of a newer server. */
  readonly change: string;
  /** Whether the apply is permitted to delete what the provider created, and to create it again. */
  readonly replace: boolean;
  /** The immutable fields because of which it does: JSON Pointers in the record. */
  readonly forcedBy: readonly string[];
  /** The resource as it would be. */
  readonly after: ResourceRecord;
}

/**
 * Compares with the present version.
 * @param replace permits changes of immutable fields
 * @throws ApiError for a refusal, Error when somebody changes the resource meanwhile
 */
export async function planOf(
  id: string,
  body: ApplyResource,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<EditPlan> {
  const base = await readVersion(id);
  const query = { dry_run: true, replace };
  const { answer, headers } = await writeTo(base, (condition) =>
    request('applyResource', { query, body, headers: condition }),
  );
  const change = headers.get('fairlead-plan') ?? 'update';
  const forcedBy = forcedByIn(headers.get('fairlead-forced-by'));
  return { base, body, change, replace, forcedBy, after: answer };
}

/** @throws as `planOf`, when somebody has changed the resource since the check */
export async function applyEdit({ base, body, replace }: EditPlan): Promise<void> {
  await writeTo(base, (headers) => request('applyResource', { query: { replace }, body, headers }));
}
