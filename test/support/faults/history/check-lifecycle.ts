// I4 and I5: the raw watch of each object. States follow the published diagram, nothing skips `processing`, results of an
// older generation change nothing later, and created things are torn down before the object is removed.
import type { ClaimedEvent } from '../../../../src/crds/claimed-event.ts';
import type { Resource } from '../../../../src/crds/resource.ts';
import { contentHash, type StoredState } from '../../../../src/domain/lifecycle.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../../../src/lib/json.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { specContent } from '../../../../src/store/resources/content.ts';
import { resourceState } from '../../../../src/store/resources/state.ts';
import { type History, livesOf, nameOf, type ResourceVersion, type Violation } from './model.ts';

/** The state as shown to users: a status that is older than its spec is `pending`. */
const legal: Readonly<Record<StoredState, readonly StoredState[]>> = {
  draft: ['draft', 'pending', 'deleting'],
  pending: ['pending', 'processing', 'deleting'],
  processing: ['processing', 'ready', 'failed', 'deleting'],
  ready: ['ready', 'pending', 'deleting'],
  failed: ['failed', 'pending', 'deleting'],
  deleting: ['deleting'],
};

export function* checkLifecycle(history: History): Iterable<Violation> {
  for (const [uid, versions] of livesOf(history)) {
    yield* checkBeginning(uid, versions);
    for (const [index, after] of versions.entries()) {
      const before = versions[index - 1];
      if (before === undefined || after.gap) continue;
      yield* checkStep(uid, before, after);
    }
    yield* checkEnd(uid, versions, history);
  }
}

function* checkBeginning(uid: string, [first]: readonly ResourceVersion[]): Iterable<Violation> {
  if (first === undefined || first.gap) return;
  const state = resourceState(first.object);
  if (state !== 'draft' && state !== 'pending') yield i5(uid, `it began as ${state}`);
}

function* checkStep(
  uid: string,
  before: ResourceVersion,
  after: ResourceVersion,
): Iterable<Violation> {
  if (before.type === 'DELETED') yield i5(uid, 'it was there after its deletion');
  const [from, to] = [resourceState(before.object), resourceState(after.object)];
  const isLegal = legal[from].includes(to) || isFound(after.object);
  if (!isLegal && !isRerun(before.object, after.object)) {
    yield i5(uid, `${from} became ${to}`);
  }
  yield* checkOrder(uid, before.object, after.object);
}

/** What is only read has no events: an observation makes it `ready` at once. */
function isFound({ spec, status }: Resource): boolean {
  return spec.management === 'Observed' && status?.state === 'ready';
}

/** A referenced output changed: the same content is sent again without an apply. */
function isRerun({ status: before }: Resource, { status: after }: Resource): boolean {
  return after?.state === 'processing' && before?.references !== after.references;
}

function* checkOrder(
  uid: string,
  { status: before }: Resource,
  after: Resource,
): Iterable<Violation> {
  const { status } = after;
  if (before === undefined) return;
  if (status === undefined) return void (yield i4(uid, 'its status was lost'));
  if (status.observedGeneration < before.observedGeneration) {
    yield i4(uid, `observedGeneration fell to ${status.observedGeneration}`);
  }
  const [older, newer] = [before.event?.generation ?? 0, status.event?.generation ?? 0];
  if (newer < older) yield i4(uid, `the event of generation ${newer} came back after ${older}`);
  yield* checkOutputs(uid, before, after);
}

function* checkOutputs(
  uid: string,
  before: NonNullable<Resource['status']>,
  { metadata, spec, status }: Resource,
): Iterable<Violation> {
  if (json(before.outputs) === json(status?.outputs)) return;
  if (before.event?.id !== status?.event?.id && !isCreatedAnew(before, status)) {
    yield i4(uid, 'outputs changed together with the event: a result came without its claim');
  }
  const current =
    spec.management === 'Observed' || status?.event?.content === contentHash(specContent(spec));
  if (!current && metadata.deletionTimestamp === undefined && status?.state === 'ready') {
    yield i4(uid, 'outputs of older content were recorded as ready');
  }
}

/** The write that claims the CREATE of a replacement forgets the old object. */
function isCreatedAnew(before: Resource['status'], after: Resource['status']): boolean {
  const [old, fresh] = [before?.event, after?.event];
  const isNext = old?.type === 'DELETE' && fresh?.type === 'CREATE';
  const isSame = fresh?.replacement !== undefined && fresh.replacement === old?.replacement;
  return isNext && isSame && after?.outputs === undefined;
}

type Claimed = Pick<NonNullable<Resource['status']>, 'state'> & { readonly event: ClaimedEvent };

function isMaking({ event, state }: Claimed): boolean {
  return event.type === 'CREATE' && state !== 'ready';
}

function isDeletionBefore(deletion: ClaimedEvent, creation: ClaimedEvent): boolean {
  return deletion.type === 'DELETE' && deletion.replacement === creation.replacement;
}

/** The new object of a replacement is made after the old one is gone, and between the two nothing is left of either. */
function* checkReplacements(
  uid: string,
  versions: readonly ResourceVersion[],
  { deliveries }: History,
): Iterable<Violation> {
  const during = versions.flatMap(({ object: { status } }) =>
    status?.event?.replacement === undefined ? [] : { ...status, event: status.event },
  );
  for (const { event, outputs, appliedConfig } of during.filter(isMaking)) {
    const deletions = during.filter((each) => isDeletionBefore(each.event, event));
    const isGone = deliveries.some(
      ({ eventId, answered }) =>
        answered?.status === 200 && deletions.some(({ event: { id } }) => id === eventId),
    );
    if (!isGone) yield i5(uid, `${event.id} was claimed before anything was deleted`);
    if (outputs !== undefined || appliedConfig !== undefined) {
      yield i5(uid, `${event.id} has outputs or a config of what is gone`);
    }
  }
}

function* checkEnd(
  uid: string,
  versions: readonly ResourceVersion[],
  history: History,
): Iterable<Violation> {
  const last = versions.at(-1);
  if (last === undefined) return;
  yield* checkResults(uid, versions, history);
  yield* checkReplacements(uid, versions, history);
  if (last.type !== 'DELETED') return;
  const { metadata, spec } = last.object;
  if (metadata.deletionTimestamp === undefined) return void (yield i5(uid, 'it vanished'));
  const given = spec.deletionPolicy === 'Orphan' || isForced(last.object);
  const events = new Set(versions.map(({ object }) => object.status?.event?.id));
  const received = history.deliveries.filter(({ eventId }) => events.has(eventId));
  const tornDown = received.some(
    ({ eventType, answered }) => eventType === 'DELETE' && answered?.status === 200,
  );
  if (received.length > 0 && !tornDown && !given) {
    yield i5(uid, `${nameOf(last.object)} is gone, and its provider has not cleaned up`);
  }
}

/** Outputs must equal the provider's response to that event; those of what is only read are of an observation. */
function* checkResults(
  uid: string,
  versions: readonly ResourceVersion[],
  { deliveries }: History,
): Iterable<Violation> {
  for (const { object } of versions) {
    const { state, event, outputs } = object.status ?? {};
    if (state !== 'ready' || isFound(object)) continue;
    const answered = deliveries.some(
      (delivery) =>
        delivery.eventId === event?.id && json(delivery.answered?.outputs) === json(outputs),
    );
    if (!answered) yield i5(uid, `it was ready with outputs that nobody answered to ${event?.id}`);
  }
}

function isForced({ metadata }: Resource): boolean {
  return metadata.annotations?.[annotation.forceDeletion] === 'true';
}

function json(value: unknown): string {
  return canonicalJson((value ?? {}) as JsonValue as JsonObject);
}

function i4(subject: string, message: string): Violation {
  return { invariant: 'I4', subject, message };
}

function i5(subject: string, message: string): Violation {
  return { invariant: 'I5', subject, message };
}
