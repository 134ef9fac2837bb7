// Pure. Read the lists; they are the lifecycle. First match wins.
import { findCondition, Reason } from '../../crds/conditions.ts';
import { defaultProjectId, keyOf, objectNameOf, projectIdOf } from '../../domain/identity.ts';
import { policyOfType, type RetryPolicy } from '../../domain/retry.ts';
import { firstMatch } from '../../lib/first-match.ts';
import { isPendingImport } from '../../store/resources/apply/apply-adopt.ts';
import { isPaused, isReadOnly } from '../../store/resources/options.ts';
import {
  isBetweenObjects,
  isDismissed,
  isReplacementDue,
  replacementDue,
} from '../../store/resources/state.ts';
import { answerRules } from './answer-rules.ts';
import {
  giveUpEndlessOperation,
  newEvent,
  requeued,
  sendTheClaimedEvent,
  waitForProvider,
  waitOutTheBackoff,
} from './claimed-event.ts';
import { whileDeleting } from './deletion/while-deleting.ts';
import { explainDependencies } from './dependencies.ts';
import { deleteExpired } from './expiry/expiry.ts';
import {
  failInexactNumber,
  failInvalidConfig,
  failRetiredType,
  failUnknownOutput,
  failUnusableSchema,
  refuseInexactNumber,
  waitForVanishedOutput,
} from './failures/fail-unsent.ts';
import { failTooLarge } from './failures/too-large.ts';
import { holdWhilePaused, refuseReplacingProtected } from './guards.ts';
import { refuseImmutableChange, refuseImmutableOutput } from './immutable-fields.ts';
import { newImport, refuseUnobservable } from './imports/import.ts';
import {
  failTakenImport,
  failTakenObject,
  refuseOneOfTwo,
  refuseReadyOneOfTwo,
  refuseTakenObject,
  waitForContestedImport,
  waitForContestedObject,
} from './imports/taken-object.ts';
import type { Observed } from './observe.ts';
import {
  acceptReadOnly,
  isFound,
  isTakenOver,
  observeNewOutputs,
  refuseUnobservedSince,
  refuseUnresolved,
} from './read-only.ts';
import {
  claimReplacement,
  createAnew,
  newCreation,
  waitForUsersOfReplaced,
} from './replacement.ts';
import type { Decision, Rule, Situation } from './situation.ts';
import { recordTooOld, waitForNewerVersion } from './type/newer-content.ts';
import { waitForRetiredType } from './type/retired-type.ts';

const whileInFlight: readonly Rule[] = [
  createAnew,
  failTakenImport,
  waitForContestedImport,
  failTakenObject,
  waitForContestedObject,
  recordTooOld,
  ...answerRules,
  supersedeByNewContent,
  holdWhileSuspended,
  refuseOneOfTwo,
  refuseReplacingProtected,
  waitForNewerVersion,
  giveUpEndlessOperation,
  waitOutTheBackoff,
  failRetiredType,
  waitForProvider,
  waitForVanishedOutput,
  failUnknownOutput,
  failInexactNumber,
  failUnusableSchema,
  failInvalidConfig,
  failTooLarge,
  sendTheClaimedEvent,
];

const beforeClaim: readonly Rule[] = [
  refuseAnotherName,
  refuseForeignNamespace,
  refuseMissingProject,
  holdWhileSuspended,
  holdWhilePaused,
  holdWhileFull,
  waitForType,
  refuseUnobservable,
  refuseOneOfTwo,
  refuseImmutableChange,
  waitForProvider,
  refuseCycle,
  waitForDependencies,
  refuseReplacingProtected,
  waitForUsersOfReplaced,
  protectWhatProvidersLearnOf,
  claimFailedEventAgain,
  claimReplacement,
  claimNewContent,
];

const whenSettled: readonly Rule[] = [
  refuseReadyOneOfTwo,
  protectWhatProvidersLearnOf,
  refuseImmutableOutput,
  runAgainForNewOutputs,
  noticeOtherChanges,
];

/** An event that was in flight has ended. */
const whileReadOnly: readonly Rule[] = [
  refuseAnotherName,
  refuseForeignNamespace,
  refuseMissingProject,
  holdWhileSuspended,
  waitForType,
  refuseUnobservable,
  refuseCycle,
  waitForDependencies,
  refuseUnresolved,
  refuseInexactNumber,
  refuseTakenObject,
  acceptReadOnly,
  noticeOtherChanges,
];

/** The rules for a resource that is only read, and was found. */
const whileFound: readonly Rule[] = [
  refuseUnobservedSince,
  refuseInexactNumber,
  refuseTakenObject,
  observeNewOutputs,
  acceptReadOnly,
  noticeOtherChanges,
];

const whileDraft: readonly Rule[] = [explainDraft];

/** @param defaults for types that declare nothing */
export function decide(observed: Observed, now: Date, defaults: RetryPolicy): Decision {
  const policy = policyOfType(defaults, observed);
  const situation = { ...observed, now, policy };
  // An answer is recorded first: a deletion may wait for its turn.
  const early = observed.unrecorded === undefined ? [deleteExpired] : [];
  return firstMatch([...early, ...rulesFor(observed)], situation) ?? { do: 'nothing' };
}

function rulesFor(observed: Observed): readonly Rule[] {
  const { resource, content, requeue } = observed;
  if (resource.metadata.deletionTimestamp !== undefined) return whileDeleting;
  if (resource.spec.lifecycle === 'Draft') return whileDraft;
  if (resource.status?.state === 'processing' && resource.status.event !== undefined) {
    return whileInFlight;
  }
  if (isReadOnly(resource.spec)) return isFound(observed) ? whileFound : whileReadOnly;
  const settled = resource.status?.content === content && resource.status.state !== 'pending';
  const isDue = requeue !== undefined || isReplacementDue(resource) || isTakenOver(resource);
  return settled && !isDue ? whenSettled : beforeClaim;
}

function explainDraft(): Decision {
  return {
    do: 'explain',
    reason: Reason.Draft,
    message: 'Stored as a draft; apply it as pending to create it',
  };
}

/** HTTP creates with the finalizer; `kubectl apply` creates without it, and `kubectl replace` removes it. */
function protectWhatProvidersLearnOf({ hasFinalizer }: Situation): Decision | undefined {
  return hasFinalizer ? undefined : { do: 'protect' };
}

/** A changed tag is no new content, but the status must show the observed generation, and an existing dead letter. */
function noticeOtherChanges({ resource }: Situation): Decision | undefined {
  const { metadata, status } = resource;
  const isSeen = status?.observedGeneration === metadata.generation;
  if (status === undefined || (isSeen && !isDismissedSince(resource))) return undefined;
  const ready = status.conditions?.find((condition) => condition.type === 'Ready');
  const reason = status.reason as Reason;
  return { do: 'explain', reason, message: ready?.message ?? '' };
}

function isDismissedSince(resource: Situation['resource']): boolean {
  const deadLetter = findCondition(resource.status?.conditions, 'DeadLettered');
  return deadLetter !== undefined && isDismissed(resource);
}

/** Only kubectl can change content in flight. No delivery of ours runs here: one key has one worker. */
function supersedeByNewContent(situation: Situation): Decision | undefined {
  const { resource, content } = situation;
  if (resource.status?.event?.content === content) return undefined;
  return firstMatch(isReadOnly(resource.spec) ? whileReadOnly : beforeClaim, situation);
}

/** Another name would make an object that HTTP can neither show nor delete. */
function refuseAnotherName({ resource }: Situation): Decision | undefined {
  const expectedName = objectNameOf(keyOf(resource.spec));
  if (resource.metadata.name === expectedName) return undefined;
  const message = `metadata.name must be ${expectedName} for this provider, resource and name`;
  return { do: 'explain', reason: Reason.InvalidName, message, stalled: true };
}

function refuseForeignNamespace({ organizationId }: Situation): Decision | undefined {
  if (organizationId !== undefined) return undefined;
  const message = 'The namespace does not belong to an organization';
  return { do: 'explain', reason: Reason.NoOrganization, message };
}

/** HTTP rejects it; kubectl cannot, as one object cannot query another. */
function refuseMissingProject({ resource, inProject }: Situation): Decision | undefined {
  if (inProject) return undefined;
  const { namespace = '' } = resource.metadata;
  const projectId = projectIdOf(resource);
  const isName = projectId.toLowerCase() === 'default';
  const hint = isName
    ? `; leave out spec.project for the default project, whose id is ${defaultProjectId({ namespace })}`
    : '';
  const message = `Project ${projectId} does not exist${hint}. Create a project with this id, or delete the resource and apply it again in another project`;
  return { do: 'explain', reason: Reason.NoProject, message, stalled: true };
}

/** Retry interval: nothing triggers a pass here when resources are deleted or the limit changes. */
const fullMs = 30_000;

/** A sent event returns outputs, which are stored with its config. */
function holdWhileFull({ full, now }: Situation): Decision | undefined {
  if (full === undefined) return undefined;
  const message = `The resources of the organization have reached the limit of ${full}; delete some, or ask the administrator to raise limits.resourceBytes of the organization`;
  const until = new Date(now.getTime() + fullMs);
  return { do: 'explain', reason: Reason.QuotaExceeded, message, until };
}

/** Running events are finished and recorded, and resources deleted by an administrator are torn down; nothing new starts. */
function holdWhileSuspended({ suspended }: Situation): Decision | undefined {
  if (!suspended) return undefined;
  return { do: 'explain', reason: Reason.Suspended, message: 'The organization is suspended' };
}

function waitForType(situation: Situation): Decision | undefined {
  if (situation.typeRegistered) return undefined;
  const { provider, resource: type } = situation.resource.spec;
  const message = `Type ${provider}/${type} is not registered`;
  return (
    waitForRetiredType(situation) ?? { do: 'explain', reason: Reason.TypeNotRegistered, message }
  );
}

/** The API rejects cycles; two concurrent applies, or kubectl, can create one all the same. */
function refuseCycle({ cycle }: Situation): Decision | undefined {
  if (cycle === undefined) return undefined;
  const message = `The dependencies form a cycle: ${cycle.join(' → ')}`;
  return { do: 'explain', reason: Reason.DependencyCycle, message, stalled: true };
}

/** A dependency that is to be replaced, too, waits until the old object of this one is gone: users are deleted first. */
function waitForDependencies({ resource, projectName, unready }: Situation): Decision | undefined {
  const isToReplace = replacementDue(resource) !== undefined;
  const awaited = isToReplace ? unready.filter((each) => each.isToReplace !== true) : unready;
  const waiting = explainDependencies(awaited, projectName);
  return waiting === undefined ? undefined : { do: 'explain', ...waiting };
}

/** The same event with the same id: for the provider it is one more attempt. */
function claimFailedEventAgain(situation: Situation): Decision | undefined {
  const { resource, content } = situation;
  const event = resource.status?.event;
  // A replacement that was requested since is more than a retry, and one that goes on is none.
  const isOther = isReplacementDue(resource) || isBetweenObjects(resource.status ?? {});
  const isSame = event?.content === content && !isOther;
  return isSame ? requeued(event, situation) : undefined;
}

/** A new counter in the spec makes a new generation, so the event is new, too. */
function runAgainForNewOutputs({ resource, resolution, unready }: Situation): Decision | undefined {
  const { status, spec } = resource;
  const unclear = unready.length > 0 || resolution.unresolved.length > 0;
  if (unclear || isPaused(spec) || status?.references === resolution.hash) return undefined;
  return { do: 'runAgain', message: 'An output that the config refers to has changed' };
}

function claimNewContent(situation: Situation): Decision {
  const { resource } = situation;
  if (isPendingImport(resource)) return { do: 'claim', event: newImport(situation) };
  const { appliedConfig, drift } = resource.status ?? {};
  const exists = appliedConfig !== undefined && drift?.kind !== 'Gone';
  const event = exists ? newEvent(situation, 'UPDATE') : newCreation(situation);
  return { do: 'claim', event };
}
