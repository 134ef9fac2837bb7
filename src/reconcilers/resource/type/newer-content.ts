// Pure. Rules about content of a newer version of its type than the one that serves, as a rollback of the provider leaves it. Its code
// decides whether it can delete an object by that content; where it cannot, the deletion waits for a version that can.
import { Reason } from '../../../crds/conditions.ts';
import { migrationFailed } from '../../../domain/event.ts';
import { newestStoredVersion } from '../../../store/resources/type-version.ts';
import { answered, answeredCancel } from '../answered.ts';
import type { Decision, Situation } from '../situation.ts';

/** The refusal is no failure of the deletion: the version that knows the content gets the same event. */
export function recordTooOld(situation: Situation): Decision | undefined {
  const found = answered(situation, 'failed') ?? answeredCancel(situation, 'failed');
  const { code, terminal } = found?.unrecorded.answer ?? {};
  if (found === undefined || code !== migrationFailed || !terminal) return undefined;
  const { event } = found;
  const isRemoval = event.type === 'DELETE' || isOfDeletion(situation);
  if (!isRemoval || !isServingTooOld(situation)) return undefined;
  return { ...waiting(situation), answered: event };
}

/** An operation that the deletion polls to its end, or cancels. */
function isOfDeletion({ resource: { metadata, status } }: Situation): boolean {
  return metadata.deletionTimestamp !== undefined && status?.event?.acceptedAt !== undefined;
}

/** The definition of the type wakes it. */
export function waitForNewerVersion(situation: Situation): Decision | undefined {
  return isWaitingForNewerVersion(situation) ? waiting(situation) : undefined;
}

export function isWaitingForNewerVersion(situation: Situation): boolean {
  const isRefused = situation.resource.status?.reason === Reason.VersionTooOld;
  return isRefused && isServingTooOld(situation);
}

function isServingTooOld({ resource, typeRegistered, typeVersion }: Situation): boolean {
  return typeRegistered && newestStoredVersion(resource) > typeVersion;
}

function waiting({ resource, typeVersion, servedBy }: Situation) {
  const { provider, resource: type } = resource.spec;
  const newest = newestStoredVersion(resource);
  const by = servedBy === undefined ? '' : `, of version ${servedBy.version} of the provider,`;
  const message = `Version ${typeVersion} of type ${provider}/${type} serves${by} and cannot read what version ${newest} stored. The deletion goes on by itself once a version of the provider serves that has version ${newest} of the type`;
  return { do: 'explain', reason: Reason.VersionTooOld, message } as const;
}
