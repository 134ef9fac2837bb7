// Derives the state for readers and the record from a stored Resource. Pure.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import { findCondition, isStalledByFailures, Reason } from '../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../crds/resource.ts';
import { shownName } from '../../domain/actor.ts';
import { idOf, projectIdOf } from '../../domain/identity.ts';
import type { LifecycleState, StoredState } from '../../domain/lifecycle.ts';
import type { Drift, RequestedObservation } from '../../domain/observation/drift.ts';
import { type JsonObject, jsonIn } from '../../lib/json.ts';
import { annotation } from '../kinds.ts';
import type { ResourceRecord } from '../records.ts';
import { contentHashOf, declaredHashOf } from './content.ts';
import { keepsObject, optionsOf } from './options.ts';
import { revisionOf } from './precondition.ts';
import { recordedSecretsOf } from './recorded-secrets.ts';
import { newestStoredVersion, storedTypeVersion } from './type-version.ts';

/**
 * A status applies to the content it was written for. Between an apply and the first pass of a reconciler it is behind the
 * spec, and the resource is `pending` whatever the status contains.
 */
export function resourceState({ metadata, spec, status }: Resource): StoredState {
  if (metadata.deletionTimestamp !== undefined) return 'deleting';
  if (spec.lifecycle === 'Draft') return 'draft';
  if (status?.content !== contentHashOf(spec) || isReplacementDue({ spec, status }))
    return 'pending';
  return requeueAsked({ metadata, status }) === undefined ? status.state : 'pending';
}

/** Returns whether a replacement was requested that no event was claimed for. A resource that never succeeded has nothing to replace. */
export function isReplacementDue({ spec, status }: Pick<Resource, 'spec' | 'status'>): boolean {
  return (spec.replace ?? 0) > (status?.replaced ?? 0) && status?.appliedConfig !== undefined;
}

/** @returns the highest number of a replacement so far; a number that kubectl removed and sets again requests nothing */
export function replacementsAsked({
  spec: { replace },
  status: { replaced } = {} as ResourceStatus,
}: Pick<Resource, 'spec' | 'status'>): number | undefined {
  const highest = Math.max(replace ?? 0, replaced ?? 0);
  return highest === 0 ? undefined : highest;
}

/**
 * Returns whether the replacement by the present content has failed before it deleted anything for sure. A retry goes on with its
 * DELETE. Other content is an ordinary change of what still exists.
 */
export function hasReplacementFailed({ spec, status }: Pick<Resource, 'spec' | 'status'>): boolean {
  const { event, state } = status ?? {};
  const isDeletingOld = event?.type === 'DELETE' && event.replacement !== undefined;
  return state === 'failed' && isDeletingOld && event.declared === declaredHashOf(spec);
}

/** @returns the number of the replacement whose DELETE is claimed next; undefined when none is */
export function replacementDue(resource: Pick<Resource, 'spec' | 'status'>): number | undefined {
  const { spec, status } = resource;
  if (isReplacementDue(resource)) return spec.replace;
  return hasReplacementFailed(resource) ? status?.event?.replacement : undefined;
}

/** Returns whether the old object of a replacement is gone, and the new one waits for what it uses. */
export function isBetweenObjects({ event, appliedConfig }: Partial<ResourceStatus>): boolean {
  const isReplaced = event?.type === 'DELETE' && event.replacement !== undefined;
  return isReplaced && appliedConfig === undefined;
}

/**
 * Returns whether the resource has an object of its own, or had one until its replacement: that forgets the config of what it deleted,
 * and its events have its number until a CREATE succeeds.
 */
export function hasHadObject({ event, appliedConfig }: Partial<ResourceStatus>): boolean {
  return appliedConfig !== undefined || event?.replacement !== undefined;
}

/** Returns whether an event deletes for good: a replacement has a DELETE as well, which is not that of a deletion. */
export function isDeletionEvent(event: ClaimedEvent | undefined): boolean {
  return event?.type === 'DELETE' && event.replacement === undefined;
}

/** Returns whether a change was refused before any event: it has no dead letter, and nothing that could be retried. */
export function isRefused({ status }: Pick<Resource, 'status'>): boolean {
  return status?.state === 'failed' && status.reason === Reason.ImmutableField;
}

/** Returns whether an event has failed permanently and waits for a decision: it has a dead letter. */
export function hasFailed({ status }: Pick<Resource, 'status'>): boolean {
  const isFailure = status?.state === 'failed' && !isRefused({ status });
  return isFailure || status?.reason === Reason.DeleteFailed;
}

/** @returns the failure of a Resource, `<event id>/<number of restarts>`; undefined when it has none */
export function failedEventId(resource: Pick<Resource, 'status'>): string | undefined {
  const event = resource.status?.event;
  if (event === undefined || !hasFailed(resource)) return undefined;
  return `${event.id}/${event.requeued ?? 0}`;
}

/** Returns whether the dead letter of the present failure was deleted. Does not cover another failure. */
export function isDismissed(resource: Pick<Resource, 'metadata' | 'status'>): boolean {
  const mark = resource.metadata.annotations?.[annotation.dismissed];
  return mark !== undefined && mark === failedEventId(resource);
}

/** The annotation that restarts the failed event of a Resource. @returns undefined when none failed */
export function requeueMark(resource: Pick<Resource, 'status'>): string | undefined {
  const event = resource.status?.event;
  if (event === undefined || !hasFailed(resource)) return undefined;
  return `${event.id}/${(event.requeued ?? 0) + 1}`;
}

/**
 * A mark acts once: the claim that follows it records its number.
 * @returns that number until the mark is followed; undefined when there is nothing to follow
 */
export function requeueAsked({
  metadata,
  status,
}: Pick<Resource, 'metadata' | 'status'>): number | undefined {
  const event = status?.event;
  const mark = metadata.annotations?.[annotation.requeue];
  if (event === undefined || mark === undefined || status?.state === 'processing') return undefined;
  const [id, text = ''] = mark.split('/');
  const count = Number(text);
  if (id !== event.id || !Number.isSafeInteger(count)) return undefined;
  return count > (event.requeued ?? 0) ? count : undefined;
}

/** Returns whether a deletion is forced: the resource is removed even if its provider cannot delete what it created. */
export function isForced({ metadata }: Pick<Resource, 'metadata'>): boolean {
  return metadata.annotations?.[annotation.forceDeletion] === 'true';
}

/**
 * Returns whether a CREATE was claimed, and nothing has succeeded since: neither it nor an import. Something of it may exist,
 * and the dead letter of an import that found nothing does not say so.
 */
export function isCreateUnfinished({ event, appliedConfig }: Partial<ResourceStatus>): boolean {
  // Without a success, the DELETE of a deletion is claimed only because of a CREATE.
  return appliedConfig === undefined && (isDeletionEvent(event) || wasCreateAttempted(event));
}

/** The claim of an import replaces that of the CREATE, and keeps this. */
export function wasCreateAttempted(event: ClaimedEvent | undefined): boolean {
  return event?.type === 'CREATE' || event?.createAttempted === true;
}

/** Returns whether a deletion leaves what the provider created. */
export function isOrphaned({
  metadata,
  spec,
  status,
}: Pick<Resource, 'metadata' | 'spec' | 'status'>): boolean {
  if (metadata.annotations?.[annotation.orphanDeletion] === 'true') return true;
  return keepsObject(spec, isCreateUnfinished(status ?? {}));
}

/** Returns whether a deletion has failed and waits for another request: with force, without it, or of its dead letter. */
export function hasDeletionFailed(resource: Pick<Resource, 'metadata' | 'status'>): boolean {
  const isFailure = resource.status?.reason === Reason.DeleteFailed;
  return isFailure && requeueAsked(resource) === undefined && !isForced(resource);
}

/** @returns the status when it is of a state; that of a failed deletion applies until the next request */
function currentStatus(resource: Resource, state: StoredState): ResourceStatus | undefined {
  const { status } = resource;
  if (status?.state !== state) return undefined;
  const isFollowed = status.reason === Reason.DeleteFailed && !hasDeletionFailed(resource);
  // A deletion that cannot go on keeps the reason of the failure, and the conditions show what stops it.
  return isFollowed && !isStalledByFailures(status.conditions) ? undefined : status;
}

/** @returns the reason of the state, as a CamelCase identifier */
export function resourceReason(resource: Resource, state: StoredState): string {
  if (state === 'draft') return Reason.Draft;
  const status = currentStatus(resource, state);
  if (status !== undefined) return status.reason;
  return state === 'deleting' ? Reason.Deleting : Reason.Queued;
}

/** @returns the message for the reason; null when there is none */
function resourceMessage(resource: Resource, state: StoredState): string | null {
  const status = state === 'draft' ? undefined : currentStatus(resource, state);
  if (status === undefined) return null;
  const message = findCondition(status.conditions, 'Ready')?.message ?? '';
  const { attempt, nextAttemptAt } = status.event ?? {};
  if (message === '') return null;
  if (status.reason === Reason.RetryScheduled && nextAttemptAt !== undefined) {
    return `${message}; attempt ${attempt} follows at ${iso(nextAttemptAt)}`;
  }
  const isLast = status.reason === Reason.AttemptsExhausted && attempt !== undefined;
  return isLast ? `${message} (attempt ${attempt} of ${attempt})` : message;
}

/** @returns the event that is in flight, or waits for its next attempt */
export function underWay(resource: Resource, state: StoredState): ClaimedEvent | undefined {
  const { event } = resource.status ?? {};
  if (state === 'processing') return event;
  // An accepted operation is polled to its end before the DELETE is sent.
  const isGoingOn = event?.type === 'DELETE' || event?.acceptedAt !== undefined;
  return state === 'deleting' && isGoingOn && !hasFailed(resource) ? event : undefined;
}

/** A resource being deleted is shown with the state of its teardown: under way, or failed permanently. */
export function shownState(resource: Resource): LifecycleState {
  const stored = resourceState(resource);
  if (stored !== 'deleting') return stored;
  return hasDeletionFailed(resource) ? 'failed' : 'processing';
}

/** @returns the record for readers; callers decide whether to show a resource being deleted. */
export function resourceRecord(resource: Resource): ResourceRecord {
  const { metadata, spec, status } = resource;
  const stored = resourceState(resource);
  const state = shownState(resource);
  const event = underWay(resource, stored);
  const tuple = { provider: spec.provider, resource: spec.resource, name: spec.name };
  const createdAt = iso(metadata.creationTimestamp);
  const appliedBy = metadata.annotations?.[annotation.appliedBy] ?? null;
  const showsError = state === 'failed' || state === 'processing';
  return {
    ...tuple,
    ...optionsOf(spec),
    id: idOf(tuple),
    revision: revisionOf(resource),
    projectId: projectIdOf(resource),
    state,
    reason: resourceReason(resource, stored),
    message: resourceMessage(resource, stored),
    attempt: event?.attempt ?? null,
    nextAttemptAt: isoOrNull(event?.nextAttemptAt),
    progress: event?.progress ?? null,
    adopt: (spec.adopt as JsonObject | undefined) ?? null,
    drift: shownDrift(status),
    observation: shownObservation(status),
    providerVersion: status?.providerVersion ?? null,
    appliedBy,
    appliedByName: shownName(appliedBy, metadata.annotations?.[annotation.appliedByName]),
    deletionRequestedAt: isoOrNull(metadata.deletionTimestamp),
    config: spec.config as JsonObject,
    typeVersion: storedTypeVersion(resource),
    newestVersion: newestStoredVersion(resource),
    outputs: (status?.outputs ?? {}) as JsonObject,
    secrets: recordedSecretsOf(resource),
    tags: spec.tags === undefined || spec.tags.length === 0 ? null : spec.tags,
    error: showsError ? (currentStatus(resource, stored)?.error ?? null) : null,
    dependencies: spec.dependencies ?? [],
    createdAt,
    updatedAt: latest(createdAt, metadata.annotations?.[annotation.updatedAt], status?.updatedAt),
  };
}

/** ISO 8601 UTC with milliseconds; Kubernetes' own times have none. */
export function iso(time: string | undefined): string {
  const parsed = new Date(time ?? 0);
  return Number.isNaN(parsed.getTime()) ? new Date(0).toISOString() : parsed.toISOString();
}

function isoOrNull(time: string | undefined): string | null {
  return time === undefined ? null : iso(time);
}

/** @returns the latest of some times, in the form of `iso` */
export function latest(...times: readonly (string | undefined)[]): string {
  return (
    times
      .filter((time) => time !== undefined)
      .map(iso)
      .sort()
      .at(-1) ?? iso(undefined)
  );
}

// Reads what the status of a Resource records about observations of its object.

function shownDrift(status: Pick<ResourceStatus, 'drift'> | undefined): Drift | null {
  if (status?.drift === undefined) return null;
  const { since, kind, changes, ...counts } = status.drift;
  return {
    since: new Date(since).toISOString(),
    kind: kind === 'Gone' ? 'gone' : 'changed',
    changes: changes.map(({ path, declared, actual }) => ({
      path,
      declared: jsonIn(declared ?? 'null') ?? null,
      actual: jsonIn(actual ?? 'null') ?? null,
      omitted: declared === undefined || actual === undefined,
    })),
    ...counts,
  };
}

function shownObservation(
  status: Pick<ResourceStatus, 'observation'> | undefined,
): RequestedObservation | null {
  if (status?.observation === undefined) return null;
  const { at, exists, compared, unknown, error = null } = status.observation;
  return { at: new Date(at).toISOString(), exists, compared, unknown, error };
}
