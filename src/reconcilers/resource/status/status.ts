// Computes the next status from a decision or an answer: every transition of the lifecycle, stamped in one place. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import { conditions, Reason } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import type { StoredState } from '../../../domain/lifecycle.ts';
import type { Progress } from '../../../domain/progress/value.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isDelivering } from '../../../store/resources/delivering.ts';
import { isDeletionEvent, isDismissed, replacementsAsked } from '../../../store/resources/state.ts';
import { sequenceAfter } from '../claimed-event.ts';
import { type ContentVersions, firstVersions } from '../config-version.ts';
import { withError, withoutProgress } from '../event-progress.ts';
import type { SecretPlaces } from '../failures/failure-record.ts';
import { attemptMessage, claimMessage, inReplacement, operationMessage } from './event-messages.ts';
import { answeredEvent } from './event-status.ts';
import { notObserved, wantedConditions } from './wanted-conditions.ts';

export interface Change {
  readonly state: StoredState;
  readonly reason: Reason;
  readonly message: string;
  readonly stalled?: boolean;
  /** Why the object could not be observed; null when it was. Undefined: as before. */
  readonly notObserved?: string | null;
  /** Replaced fields of the present status; undefined removes one. */
  readonly fields?: { readonly [K in keyof ResourceStatus]?: ResourceStatus[K] | undefined };
}

/** @returns the next status of a resource, stamped */
export function changed(resource: Resource, change: Change, now: Date): ResourceStatus {
  const merged = { ...resource.status, ...change.fields, ...stamp(resource, change, now) };
  const kept = Object.entries(merged).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as ResourceStatus;
}

/** The fields that every transition sets. */
function stamp(
  { metadata, status }: Resource,
  { reason, message, stalled = false, ...change }: Change,
  now: Date,
) {
  const state = metadata.deletionTimestamp === undefined ? change.state : 'deleting';
  const generation = metadata.generation ?? 0;
  const event = change.fields?.event ?? status?.event;
  const failure = { state, reason, observedGeneration: generation, ...(event && { event }) };
  const dismissed = isDismissed({ metadata, status: failure });
  const drift = change.fields && 'drift' in change.fields ? change.fields.drift : status?.drift;
  const wanted = [
    ...wantedConditions({ state, reason, message, stalled, dismissed, drift: drift?.kind }),
    ...notObserved(state, change.notObserved, status?.conditions),
  ];
  return {
    state,
    reason,
    observedGeneration: generation,
    updatedAt:
      status?.state === state ? (status.updatedAt ?? now.toISOString()) : now.toISOString(),
    conditions: conditions(wanted, {
      previous: status?.conditions ?? [],
      generation,
      now,
    }),
  } satisfies Partial<ResourceStatus>;
}

/** Why nothing happens now. @returns undefined when the status contains it already */
export function explained(
  resource: Resource,
  why: { reason: Reason; message: string; stalled?: boolean },
  now: Date,
): ResourceStatus | undefined {
  const change = { ...why, state: explainedState(resource, why.reason) };
  // Outputs and applied config are large and unchanged.
  const same = Object.entries(stamp(resource, change, now)).every(([name, value]) =>
    isDeepStrictEqual(value, resource.status?.[name as keyof ResourceStatus]),
  );
  return same ? undefined : changed(resource, change, now);
}

function explainedState({ spec, status }: Resource, reason: Reason): StoredState {
  if (spec.lifecycle === 'Draft') return 'draft';
  const settled = status !== undefined && status.reason === reason;
  if (settled) return status.state;
  return status?.state === 'processing' ? 'processing' : 'pending';
}

export function claimed(resource: Resource, event: ClaimedEvent, now: Date): ResourceStatus {
  return changed(
    resource,
    {
      state: 'processing',
      reason: claimReason(event),
      message: claimMessage(resource, event),
      fields: {
        event,
        content: event.content,
        error: undefined,
        replaced: replacementsAsked(resource),
        ...(resource.status?.outputs === undefined ? { identity: undefined } : {}),
        // A take-over is due until its claim: one that fails is not claimed again.
        management: undefined,
      },
    },
    now,
  );
}

export function claimReason({ type, cancellation, replacement }: ClaimedEvent): Reason {
  if (cancellation !== undefined) return Reason.InProgress;
  if (replacement !== undefined) return Reason.Replacing;
  if (type === 'OBSERVE') return Reason.Importing;
  return type === 'DELETE' ? Reason.Deleting : Reason.Processing;
}

export interface Success {
  readonly event: ClaimedEvent;
  readonly outputs: JsonObject;
  /** The config sent to the provider. */
  readonly config: JsonObject;
  readonly versions?: ContentVersions;
  /** Places of the secrets in both. */
  readonly secrets?: SecretPlaces;
  readonly references?: string | undefined;
  readonly providerVersion?: string | undefined;
  /** The content of the present spec. */
  readonly content: string;
}

/**
 * The event succeeded. When the spec changed meanwhile, the result is recorded all the same, and the resource is pending
 * again: its outputs are needed to update or delete the existing object.
 */
export function succeeded(
  resource: Resource,
  { event, outputs, config, secrets, versions, references, providerVersion, content }: Success,
  now: Date,
): ResourceStatus {
  const current = event.content === content;
  return changed(
    resource,
    {
      state: current ? 'ready' : 'pending',
      reason: current ? Reason.Processed : Reason.Queued,
      message: `${event.type} succeeded`,
      fields: {
        event: withoutProgress(event),
        error: undefined,
        content: event.content,
        outputs: outputs as ResourceStatus['outputs'],
        appliedConfig: config as ResourceStatus['appliedConfig'],
        ...(versions ?? firstVersions),
        ...secrets,
        references,
        providerVersion,
        drift: undefined,
        management: undefined,
      },
    },
    now,
  );
}

/** The provider is still working and wants to be polled. */
export function deferred(
  resource: Resource,
  {
    event,
    message,
    progress,
    context,
    due,
  }: {
    event: ClaimedEvent;
    message: string;
    progress?: Progress | undefined;
    context: JsonObject | undefined;
    due: Date;
  },
  now: Date,
): ResourceStatus {
  const { context: _before, progress: _reported, ...rest } = event;
  const next = {
    ...rest,
    ...scheduled(event, due),
    acceptedAt: event.acceptedAt ?? now.toISOString(),
    ...(progress === undefined ? {} : { progress }),
  };
  return changed(
    resource,
    {
      state: 'processing',
      reason: Reason.InProgress,
      message: operationMessage(resource, event, message),
      fields: {
        event:
          context === undefined ? next : { ...next, context: context as ClaimedEvent['context'] },
        error: undefined,
      },
    },
    now,
  );
}

/** The attempt failed, and another one follows. @param given `isFree`: it is the same attempt again */
export function retrying(
  resource: Resource,
  {
    event,
    error,
    due,
    isFree = false,
  }: { event: ClaimedEvent; error: string; due: Date; isFree?: boolean },
  now: Date,
): ResourceStatus {
  const { progress: _reported, ...tried } = withError(event, error, now);
  return changed(
    resource,
    {
      state: 'processing',
      reason: Reason.RetryScheduled,
      message: attemptMessage(event, error),
      fields: {
        event: { ...tried, ...scheduled(event, due), attempt: event.attempt + (isFree ? 0 : 1) },
        error,
      },
    },
    now,
  );
}

/** @returns what an event has before its next delivery */
export function scheduled({ sequence }: ClaimedEvent, due: Date) {
  return { sequence: sequence + 1, nextAttemptAt: due.toISOString() };
}

/** The event has failed permanently; its dead letter is written. */
export function failed(
  resource: Resource,
  {
    event,
    error,
    reason,
    references,
    identity,
  }: {
    event: ClaimedEvent;
    error: string;
    reason: Reason;
    references?: string | undefined;
    /** The identity of an object of another resource. */
    identity?: string | undefined;
  },
  now: Date,
): ResourceStatus {
  const isDeletion = isDeletionEvent(event);
  const tried = withError(event, error, now);
  const { nextAttemptAt: _due, begunAt: _begun, progress: _reported, hold: _hold, ...rest } = tried;
  const { acceptedAt, context, ...last } = rest;
  // An unfinished operation continues; the deletion of its object gets its context.
  const isDelete = event.type === 'DELETE';
  const mayGoOn = acceptedAt === undefined || (!isDelete && reason !== Reason.ProviderFailed);
  const keepsContext = context !== undefined && mayGoOn;
  const found = identity === undefined ? {} : { identity };
  const ended = keepsContext ? { ...last, context } : last;
  const fields = { event: ended, error, references, ...found };
  if (isDeletion) {
    return changed(
      resource,
      { state: 'failed', reason: Reason.DeleteFailed, message: error, stalled: true, fields },
      now,
    );
  }
  const message = inReplacement(event, error);
  return changed(resource, { state: 'failed', reason, message, fields }, now);
}

/** The operation could not be cancelled: it is polled as before, from attempt 1. */
export function cancellationFailed(
  resource: Resource,
  { event, error }: { event: ClaimedEvent; error: string },
  now: Date,
): ResourceStatus {
  const { errors: _errors, progress: _reported, ...rest } = event;
  const polled = { ...rest, ...scheduled(event, now), attempt: 1, cancellation: 'Failed' } as const;
  const message = operationMessage(resource, polled, error);
  const fields = { event: polled, error: undefined };
  return changed(
    resource,
    { state: 'processing', reason: Reason.InProgress, message, fields },
    now,
  );
}

// The status of a resource whose delivery begins later than its claim.

/** Returns whether the status still has the reason of a wait although the delivery can begin. */
export function saysItWaits({ status }: Pick<Resource, 'status'>): boolean {
  return status !== undefined && !isDelivering(status.reason);
}

/** With a number of its own: the one before may have been sent by a process that ended since. */
export function begun(resource: Resource, event: ClaimedEvent, now: Date): ResourceStatus {
  const next = { ...event, sequence: sequenceAfter(resource), begunAt: now.toISOString() };
  if (resource.status !== undefined && !saysItWaits(resource)) {
    return { ...resource.status, event: next };
  }
  const why = { reason: claimReason(next), message: claimMessage(resource, next) };
  return changed(resource, { state: 'processing', ...why, fields: { event: next } }, now);
}

// The status of a resource between the two events of a replacement.

/** The old object of a replacement is gone, and with it all that was recorded of it; the event that makes the new one is claimed. */
export function createdAnew(resource: Resource, event: ClaimedEvent, now: Date): ResourceStatus {
  return withoutObject(claimed(resource, event, now));
}

/** The same, when the new object has to wait: its CREATE is not claimed. */
export function forgottenOld(
  resource: Resource,
  why: { readonly reason: Reason; readonly message: string; readonly stalled?: boolean },
  now: Date,
): ResourceStatus {
  return withoutObject(changed(resource, { ...why, state: 'pending' }, now));
}

function withoutObject(status: ResourceStatus): ResourceStatus {
  const {
    outputs: _outputs,
    identity: _identity,
    appliedConfig: _applied,
    appliedTypeVersion: _appliedVersion,
    outputsTypeVersion: _outputsVersion,
    appliedSecrets: _appliedSecrets,
    receivedSecrets: _receivedSecrets,
    outputsSecrets: _outputsSecrets,
    providerVersion: _providerVersion,
    references: _references,
    drift: _drift,
    ...rest
  } = status;
  return rest;
}

// The status of a resource whose object is only observed from now on.

/** The object of a resource is only observed from now on. @param accepted with the requested restart of an event that failed before */
export function observedOnly(
  resource: Resource,
  { content, requeue }: { content: string; requeue: number | undefined },
  now: Date,
): ResourceStatus {
  const { event } = resource.status ?? {};
  const fields = {
    content,
    // Neither is due when the object is managed again.
    event: answeredEvent(event, requeue),
    replaced: replacementsAsked(resource),
    management: 'Observed',
    drift: undefined,
    corrections: undefined,
    error: undefined,
  } as const;
  const message = 'The object is looked for; nothing is created or changed';
  return changed(resource, { state: 'pending', reason: Reason.Observing, message, fields }, now);
}

// The status of a resource whose provider requested a wait.

interface HeldEvent {
  readonly event: ClaimedEvent;
  /** The failure of the answer, masked. */
  readonly error: string;
  readonly due: Date;
  /** Whether the settings of the provider do not work any more. */
  readonly isRefused: boolean;
}

export function held(resource: Resource, hold: HeldEvent, now: Date): ResourceStatus {
  const { event, due, isRefused } = hold;
  const { progress: _reported, ...rest } = event;
  return changed(
    resource,
    {
      state: 'processing',
      reason: heldReason(isRefused),
      message: operationMessage(resource, event, heldMessage(hold)),
      fields: { event: { ...rest, ...scheduled(event, due) } },
    },
    now,
  );
}

export function heldReason(isRefused: boolean): Reason {
  return isRefused ? Reason.SettingsRefused : Reason.RateLimited;
}

export function heldMessage({ event, error, due, isRefused }: HeldEvent): string {
  const until = due.toISOString();
  if (isRefused) {
    return `The settings of the provider do not work any more; an event tries again at ${until}: ${error}`;
  }
  const all = event.hold?.scope === 'Provider' ? ' with all events' : '';
  return `The provider asked to wait${all} until ${until}: ${error}`;
}

// The status of a resource whose content cannot be sent, so that nothing was.

interface RefusedContent {
  readonly message: string;
  readonly references: string | undefined;
  readonly content: string;
  /** The requested restart of an event that failed before: this is the answer to it. */
  readonly requeue: number | undefined;
}

export function refused(
  resource: Resource,
  { message, requeue, ...fields }: RefusedContent,
  now: Date,
): ResourceStatus {
  const event = answeredEvent(resource.status?.event, requeue);
  const change = {
    state: 'failed',
    reason: Reason.ImmutableField,
    message,
    // A take-over that is refused is due no more.
    fields: { ...fields, event, error: message, management: undefined },
  } as const;
  return changed(resource, change, now);
}
