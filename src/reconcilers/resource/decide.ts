// Pure. Read the lists; they are the lifecycle. First match wins.
import { Reason } from '../../crds/conditions.ts';
import type { ClaimedEvent, Resource } from '../../crds/resource.ts';
import { type EventType, eventId } from '../../domain/event.ts';
import type { RetryPolicy } from '../../domain/retry.ts';
import type { Heard } from './answers.ts';
import type { Observed } from './observe.ts';

export type Decision =
  | { readonly do: 'nothing' }
  /** Say in the status why nothing happens; `stalled`: only a person can change that. */
  | {
      readonly do: 'explain';
      readonly reason: Reason;
      readonly message: string;
      readonly stalled?: boolean;
    }
  | { readonly do: 'wait'; readonly until: Date }
  /** Record the intent, call nobody. */
  | { readonly do: 'claim'; readonly event: ClaimedEvent }
  | { readonly do: 'send'; readonly event: ClaimedEvent; readonly endpoint: string }
  | { readonly do: 'record'; readonly event: ClaimedEvent; readonly heard: Heard }
  /** The provider said "not finished" for too long. */
  | { readonly do: 'giveUp'; readonly event: ClaimedEvent }
  /** Take the finalizer off. */
  | { readonly do: 'release' };

interface Situation extends Observed {
  readonly now: Date;
  readonly policy: RetryPolicy;
}

type Rule = (situation: Situation) => Decision | undefined;

const whileDeleting: readonly Rule[] = [
  leaveToOthersOnceReleased,
  releaseWhatNoProviderKnows,
  releaseOrphans,
  recordWhatDeletionNeeds,
  holdFailedDeletion,
  claimDeletion,
  giveUpEndlessOperation,
  waitOutTheBackoff,
  waitForProvider,
  sendTheClaimedEvent,
];

const whileInFlight: readonly Rule[] = [
  recordWhatWasHeard,
  supersedeByNewContent,
  holdWhilePaused,
  giveUpEndlessOperation,
  waitOutTheBackoff,
  waitForProvider,
  sendTheClaimedEvent,
];

const beforeClaim: readonly Rule[] = [
  refuseAnotherName,
  refuseForeignNamespace,
  holdWhilePaused,
  waitForType,
  refuseInvalidConfig,
  waitForProvider,
  waitForDependencies,
  claimNewContent,
];

export function decide(observed: Observed, now: Date, policy: RetryPolicy): Decision {
  for (const rule of rulesFor(observed)) {
    const decision = rule({ ...observed, now, policy });
    if (decision !== undefined) return decision;
  }
  return { do: 'nothing' };
}

function rulesFor({ resource, content }: Observed): readonly Rule[] {
  if (resource.metadata.deletionTimestamp !== undefined) return whileDeleting;
  if (resource.spec.lifecycle === 'Draft') return [explainDraft];
  if (resource.status?.state === 'processing' && resource.status.event !== undefined) {
    return whileInFlight;
  }
  const settled = resource.status?.content === content && resource.status.state !== 'pending';
  return settled ? [noticeOtherChanges] : beforeClaim;
}

function explainDraft(): Decision {
  return {
    do: 'explain',
    reason: Reason.Draft,
    message: 'Stored; apply it as pending to have it made',
  };
}

/** A changed tag is no new content, but the status must speak of the generation it has seen. */
function noticeOtherChanges({ resource }: Situation): Decision | undefined {
  const { metadata, status } = resource;
  if (status === undefined || status.observedGeneration === metadata.generation) return undefined;
  const ready = status.conditions?.find((condition) => condition.type === 'Ready');
  const reason = status.reason as Reason;
  return { do: 'explain', reason, message: ready?.message ?? '' };
}

function leaveToOthersOnceReleased({ finalizing }: Situation): Decision | undefined {
  return finalizing ? undefined : { do: 'nothing' };
}

function releaseWhatNoProviderKnows({ resource }: Situation): Decision | undefined {
  return resource.status?.event === undefined ? { do: 'release' } : undefined;
}

function releaseOrphans({ resource }: Situation): Decision | undefined {
  return resource.spec.deletionPolicy === 'Orphan' ? { do: 'release' } : undefined;
}

function recordWhatWasHeard({ resource, heard }: Situation): Decision | undefined {
  const event = resource.status?.event;
  if (event === undefined || heard === undefined) return undefined;
  return { do: 'record', event, heard };
}

/** What was made must be known to be torn down; how an event failed that deletion supersedes must not. */
function recordWhatDeletionNeeds(situation: Situation): Decision | undefined {
  const { resource, heard } = situation;
  const needed = resource.status?.event?.type === 'DELETE' || heard?.answer.kind === 'succeeded';
  return needed ? recordWhatWasHeard(situation) : undefined;
}

function holdFailedDeletion({ resource }: Situation): Decision | undefined {
  const { status } = resource;
  const failed = status?.event?.type === 'DELETE' && status.reason === Reason.DeleteFailed;
  return failed ? { do: 'nothing' } : undefined;
}

function claimDeletion(situation: Situation): Decision | undefined {
  if (situation.resource.status?.event?.type === 'DELETE') return undefined;
  return { do: 'claim', event: newEvent(situation, 'DELETE') };
}

/** Only kubectl can change content in flight. Nothing of ours is under way here: one key has one worker. */
function supersedeByNewContent(situation: Situation): Decision | undefined {
  const { resource, content } = situation;
  if (resource.status?.event?.content === content) return undefined;
  for (const rule of beforeClaim) {
    const decision = rule(situation);
    if (decision !== undefined) return decision;
  }
  return undefined;
}

function giveUpEndlessOperation({ resource, now, policy }: Situation): Decision | undefined {
  const { event, reason } = resource.status ?? {};
  if (event === undefined || reason !== Reason.InProgress) return undefined;
  const end = new Date(event.startedAt).getTime() + policy.operationLimitMs;
  return now.getTime() < end ? undefined : { do: 'giveUp', event };
}

function waitOutTheBackoff({ resource, now }: Situation): Decision | undefined {
  const due = resource.status?.event?.nextAttemptAt;
  if (due === undefined || new Date(due) <= now) return undefined;
  return { do: 'wait', until: new Date(due) };
}

function sendTheClaimedEvent({ resource, endpoint }: Situation): Decision | undefined {
  const event = resource.status?.event;
  if (event === undefined || endpoint === undefined) return undefined;
  return { do: 'send', event, endpoint };
}

/** Another name would make an object that HTTP can neither show nor delete. */
function refuseAnotherName({ resource, expectedName }: Situation): Decision | undefined {
  if (resource.metadata.name === expectedName) return undefined;
  const message = `metadata.name must be ${expectedName} for this provider, resource and name`;
  return { do: 'explain', reason: Reason.InvalidName, message, stalled: true };
}

function refuseForeignNamespace({ organizationId }: Situation): Decision | undefined {
  if (organizationId !== undefined) return undefined;
  const message = 'The namespace belongs to no organization';
  return { do: 'explain', reason: Reason.NoOrganization, message };
}

function holdWhilePaused({ resource }: Situation): Decision | undefined {
  if (resource.spec.paused !== true) return undefined;
  return { do: 'explain', reason: Reason.Paused, message: 'spec.paused is true' };
}

function waitForType({ resource, typeRegistered }: Situation): Decision | undefined {
  if (typeRegistered) return undefined;
  const { provider, resource: type } = resource.spec;
  const message = `Type ${provider}/${type} is not registered`;
  return { do: 'explain', reason: Reason.TypeNotRegistered, message };
}

function refuseInvalidConfig({ violations }: Situation): Decision | undefined {
  if (violations.length === 0) return undefined;
  const message = violations
    .map(({ loc, msg }) => `${['config', ...loc].join('.')}: ${msg}`)
    .join('; ');
  return { do: 'explain', reason: Reason.InvalidConfig, message, stalled: true };
}

function waitForProvider({ resource, endpoint }: Situation): Decision | undefined {
  if (endpoint !== undefined) return undefined;
  const message = `No provider ${resource.spec.provider} is ready to take events`;
  return { do: 'explain', reason: Reason.WaitingForProvider, message };
}

function waitForDependencies({ unready }: Situation): Decision | undefined {
  if (unready.length === 0) return undefined;
  const message = `Waiting for ${unready.join(', ')}`;
  return { do: 'explain', reason: Reason.DependenciesNotReady, message };
}

function claimNewContent(situation: Situation): Decision {
  const created = situation.resource.status?.appliedConfig !== undefined;
  return { do: 'claim', event: newEvent(situation, created ? 'UPDATE' : 'CREATE') };
}

function newEvent({ resource, content, now }: Situation, type: EventType): ClaimedEvent {
  const { uid = '', generation = 0 } = resource.metadata satisfies Resource['metadata'];
  return {
    id: eventId(uid, generation, type),
    type,
    generation,
    content,
    attempt: 1,
    startedAt: now.toISOString(),
  };
}
