// Handles a DELETE request. Kubernetes deletes: the object stays until its finalizer is removed. Before that, annotations
// request a forced deletion or another try of a failed teardown.
import type { Resource } from '../../crds/resource.ts';
import { ErrorCode, FairleadError } from '../../domain/errors.ts';
import type { Organization, ResourceAddress } from '../../domain/identity.ts';
import type { DeletionOptions } from '../interfaces.ts';
import { annotation, kinds } from '../kinds.ts';
import { annotate, maximumRounds } from '../put.ts';
import { requireUnused, type UsersDeps } from './dependents.ts';
import { find, isInScope } from './lookup.ts';
import { requeueMark } from './state.ts';

type Asked = DeletionOptions & { readonly address: ResourceAddress };
type Annotations = Readonly<Record<string, string | null>>;

export async function requestDeletion(
  deps: UsersDeps,
  organization: Organization,
  asked: Asked,
): Promise<void> {
  for (let round = 0; round < maximumRounds; round += 1) {
    const found = await find(deps.client, organization, asked.address);
    if (found === undefined || !isInScope(found, asked.scope)) return;
    if (await ask(deps, organization, { found, asked })) return;
  }
  throw new FairleadError(
    ErrorCode.conflict,
    `Another client changes resource ${asked.address.text} at the same time; try again`,
  );
}

/** @returns false when it must be read again */
async function ask(
  deps: UsersDeps,
  organization: Organization,
  { found, asked: { force = false, leaving } }: { found: Resource; asked: Asked },
): Promise<boolean> {
  const { metadata, spec } = found;
  const leaves = metadata.deletionTimestamp !== undefined;
  if (!(leaves || force)) {
    const records = [{ ...spec, projectId: spec.project }];
    await requireUnused(deps, organization, { records, leaving });
  }
  const annotations = annotationsFor(found, { leaves, force });
  const written =
    Object.keys(annotations).length === 0 ||
    (await annotate(deps.client, kinds.resource, found, annotations));
  if (leaves || !written) return written;
  const { name, namespace, uid } = metadata;
  // Identity and project never change for a uid, so the uid is precondition enough.
  await deps.client.delete(kinds.resource, { name, namespace }, uid === undefined ? {} : { uid });
  return true;
}

/** @returns the annotations to write first; empty when there are none */
export function annotationsFor(
  { metadata, status }: Pick<Resource, 'metadata' | 'status'>,
  { leaves, force }: { leaves: boolean; force: boolean },
): Annotations {
  const mark = metadata.annotations?.[annotation.forceDeletion];
  if (force) return mark === 'true' ? {} : { [annotation.forceDeletion]: 'true' };
  // Left by an unfinished request with force: this one is without.
  if (!leaves) return mark === undefined ? {} : { [annotation.forceDeletion]: null };
  // The failed event may still be the CREATE before the deletion, which must not run again.
  const again = status?.event?.type === 'DELETE' ? requeueMark({ status }) : undefined;
  return again === undefined ? {} : { [annotation.requeue]: again };
}
