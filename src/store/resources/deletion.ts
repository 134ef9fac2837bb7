// Handles a DELETE request. Kubernetes deletes: the object stays until its finalizer is removed. Before that, annotations
// request a forced deletion or another try of a failed teardown.
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization, ResourceAddress } from '../../domain/identity.ts';
import { projectIdOf } from '../../domain/identity.ts';
import { hasReason } from '../../kube/errors.ts';
import type { DeletionChange, DeletionOptions } from '../interfaces.ts';
import { annotation, kinds } from '../kinds.ts';
import { annotate, maxRounds } from '../put.ts';
import { requireUnused, type UsersDeps } from './dependencies/dependents.ts';
import { find, isInScope } from './lookup.ts';
import { isProtected } from './options.ts';
import { requirePermitted } from './precondition.ts';
import { resourceProtected } from './protection.ts';
import { isDeletionEvent, requeueMark } from './state.ts';

export type DeletionRequest = DeletionOptions & {
  readonly address: ResourceAddress;
  /** @throws FairleadError when the resource is not any more what somebody has decided about */
  readonly requireSame?: ((found: Resource) => void | Promise<void>) | undefined;
};
type DeletionAnnotations = Readonly<Record<string, string | null>>;

export async function requestDeletion(
  deps: UsersDeps,
  organization: Organization,
  asked: DeletionRequest,
): Promise<void> {
  /** The version with our annotations: the deletion has begun, and a change of the status does not stop it. */
  let begun: Resource | undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await findInScope(deps, organization, asked);
    if (found === undefined) return;
    const annotations = await decideAgain(deps, organization, { found, begun, asked });
    const marked = await markDeletion(deps, found, annotations);
    if (marked !== undefined && (await finishDeletion(deps, marked))) return;
    if (marked !== found) begun = marked;
  }
  throw new FairleadError(
    'conflict',
    `Another client changes resource ${asked.address.text} at the same time; try again`,
  );
}

/** @returns what a deletion would do now; nothing is written */
export async function previewDeletion(
  deps: UsersDeps,
  organization: Organization,
  asked: DeletionRequest,
): Promise<DeletionChange> {
  const found = await findInScope(deps, organization, asked);
  if (found === undefined) return 'none';
  requirePermitted(asked.precondition, found, asked.address.text);
  const annotations = await decideDeletion(deps, organization, { found, asked });
  if (!isBeingDeleted(found)) return 'delete';
  if (Object.keys(annotations).length === 0) return 'none';
  return asked.force === true || asked.orphan === true ? 'delete' : 'retry';
}

async function findInScope(
  { client }: UsersDeps,
  organization: Organization,
  { address, scope }: DeletionRequest,
): Promise<Resource | undefined> {
  const found = await find(client, organization, address);
  return found !== undefined && isInScope(found, scope) ? found : undefined;
}

function isBeingDeleted({ metadata }: Resource): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** @throws FairleadError resource_protected; resource_in_use when it has users, unless forced or already in deletion */
async function decideDeletion(
  deps: UsersDeps,
  organization: Organization,
  {
    found,
    asked: { force = false, orphan = false, leaving },
  }: { found: Resource; asked: DeletionRequest },
): Promise<DeletionAnnotations> {
  const { spec } = found;
  if (isProtected(spec)) throw resourceProtected(spec, 'deleted');
  if (!(isBeingDeleted(found) || force)) {
    const records = [{ ...spec, projectId: projectIdOf(found) }];
    await requireUnused(deps, organization, { records, leaving });
  }
  return annotationsFor(found, { leaves: isBeingDeleted(found), force, orphan });
}

/** @returns undefined when it must be read again */
async function markDeletion(
  { client }: UsersDeps,
  found: Resource,
  annotations: DeletionAnnotations,
): Promise<Resource | undefined> {
  if (Object.keys(annotations).length === 0) return found;
  return await annotate(client, kinds.resource, found, annotations);
}

/** @returns false when it must be read again */
async function finishDeletion({ client }: UsersDeps, marked: Resource): Promise<boolean> {
  if (isBeingDeleted(marked)) return true;
  const { name, namespace, uid, resourceVersion } = marked.metadata;
  // The version as well: it may be protected since it was read.
  const exactly = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  try {
    await client.delete(kinds.resource, { name, namespace }, exactly);
    return true;
  } catch (thrown) {
    if (hasReason(thrown, 'conflict')) return false;
    await withdrawDeletion(client, marked);
    throw thrown;
  }
}

/** The caller reads of a failure: a later deletion, with kubectl, must not follow the marks. One that began all the same keeps them. */
async function withdrawDeletion(client: UsersDeps['client'], marked: Resource): Promise<void> {
  if (!hasMarks(marked)) return;
  // Often for the same cause as the deletion, which the caller learns.
  await annotate(client, kinds.resource, marked, noMarks).catch(() => undefined);
}

interface DeletionPass {
  readonly found: Resource;
  readonly begun: Resource | undefined;
  readonly asked: DeletionRequest;
}

/** @throws FairleadError; then the marks of the deletion are taken back: another one, with kubectl, would follow them */
async function decideAgain(
  deps: UsersDeps,
  organization: Organization,
  { found, begun, asked }: DeletionPass,
): Promise<DeletionAnnotations> {
  try {
    requireSameVersion({ found, begun, asked });
    await asked.requireSame?.(found);
    return await decideDeletion(deps, organization, { found, asked });
  } catch (thrown) {
    const isOurs = begun !== undefined && begun.metadata.uid === found.metadata.uid;
    if (isOurs && !isBeingDeleted(found))
      await annotate(deps.client, kinds.resource, found, noMarks);
    throw thrown;
  }
}

/** @throws FairleadError precondition_failed */
function requireSameVersion({ found, begun, asked }: DeletionPass): void {
  const isBegun =
    begun?.metadata.uid === found.metadata.uid &&
    begun?.metadata.generation === found.metadata.generation;
  if (begun !== undefined && isBegun) return;
  requirePermitted(asked.precondition, found, asked.address.text);
}

/** They are about one deletion. Whatever begins another one removes them first, and deletes exactly the version without them. */
export const noMarks = {
  [annotation.forceDeletion]: null,
  [annotation.orphanDeletion]: null,
} satisfies DeletionAnnotations;

export function hasMarks({ metadata: { annotations = {} } }: Pick<Resource, 'metadata'>): boolean {
  return Object.keys(noMarks).some((name) => name in annotations);
}

/** @returns the annotations to write first; empty when there are none */
export function annotationsFor(
  { metadata, status }: Pick<Resource, 'metadata' | 'status'>,
  {
    leaves: isLeaving,
    force,
    orphan = false,
  }: { leaves: boolean; force: boolean; orphan?: boolean },
): DeletionAnnotations {
  const marks = {
    ...deletionMark(metadata, annotation.forceDeletion, { isAsked: force, isLeaving }),
    ...deletionMark(metadata, annotation.orphanDeletion, { isAsked: orphan, isLeaving }),
  };
  if (!isLeaving || force || orphan) return marks;
  // The failed event may still be one before the deletion, which must not run again.
  const again = status && isDeletionEvent(status.event) ? requeueMark({ status }) : undefined;
  return again === undefined ? {} : { [annotation.requeue]: again };
}

function deletionMark(
  { annotations }: Resource['metadata'],
  name: string,
  { isAsked, isLeaving }: { isAsked: boolean; isLeaving: boolean },
): DeletionAnnotations {
  const before = annotations?.[name];
  if (isAsked) return before === 'true' ? {} : { [name]: 'true' };
  // Left by an unfinished request for it: this one is none.
  return isLeaving || before === undefined ? {} : { [name]: null };
}
