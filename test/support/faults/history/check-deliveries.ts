// I3: deliveries. Every event was claimed before; one (uid, generation, type) has one id; attempts rise; the same attempt
// repeats only after a fault in between. I4: the sequence of deliveries grows per name.
import { cancelId, type EventSource, eventId } from '../../../../src/domain/event.ts';
import {
  type Delivery,
  type History,
  type ResourceVersion,
  resourceVersions,
  type Violation,
} from './model.ts';

export function* checkDeliveries(history: History): Iterable<Violation> {
  const claims = claimsOf(history);
  for (const delivery of history.deliveries) yield* checkIdentity(delivery, claims);
  const byEvent = Map.groupBy(history.deliveries, (delivery) => delivery.eventId);
  for (const [id, deliveries] of byEvent) {
    yield* checkAttempts(id, deliveries, {
      history,
      requeued: requeuesOf(claims.get(id)),
    });
  }
}

/** Providers fence by the sequence: a resource that is recreated under a name must have higher ones too. */
export function* checkSequences(history: History): Iterable<Violation> {
  const byName = Map.groupBy(history.deliveries, ({ name }) => name);
  for (const [name, deliveries] of byName) {
    for (const [index, next] of deliveries.entries()) {
      const before = deliveries[index - 1];
      if (before === undefined) continue;
      yield* checkSequence(name, [before, next], history);
    }
  }
}

function* checkSequence(
  name: string,
  [before, next]: readonly [Delivery, Delivery],
  history: History,
): Iterable<Violation> {
  if (next.sequence > before.sequence) return;
  const repeats = next.sequence === before.sequence;
  // Only a process that no longer leads sends a lower one.
  if (repeats || !faultBetween(history, before.at, next.at)) {
    const what = repeats ? 'was given to two deliveries' : 'did not grow';
    yield { invariant: 'I4', subject: name, message: `sequence ${next.sequence} ${what}` };
  }
}

type Claims = ReadonlyMap<string, readonly ResourceVersion[]>;

/** The versions that contain each event. */
function claimsOf(history: History): Claims {
  return Map.groupBy(resourceVersions(history), ({ object }) => object.status?.event?.id ?? '');
}

function requeuesOf(claims: readonly ResourceVersion[] = []): number {
  return Math.max(0, ...claims.map(({ object }) => object.status?.event?.requeued ?? 0));
}

function* checkIdentity(delivery: Delivery, claims: Claims): Iterable<Violation> {
  const { cancels } = delivery;
  const [claim] = claims.get(cancels?.event_id ?? delivery.eventId) ?? [];
  if (claim === undefined) {
    yield violation(delivery.eventId, `${delivery.name} was sent an event that nobody claimed`);
    return;
  }
  const { uid = '' } = claim.object.metadata;
  const { content = '' } = claim.object.status?.event ?? {};
  const source = { uid, generation: delivery.generation, content };
  const expected = expectedId(delivery, source);
  if (delivery.eventId !== expected) {
    const what = `${delivery.eventType} of generation ${delivery.generation}`;
    yield violation(delivery.eventId, `${what} of ${uid} must be ${expected}`);
  }
}

function expectedId({ eventType, cancels }: Delivery, source: EventSource): string | undefined {
  if (eventType !== 'CANCEL') return eventId(source, eventType);
  return cancels && cancelId(eventId(source, cancels.event_type));
}

interface Context {
  readonly history: History;
  readonly requeued: number;
}

function* checkAttempts(
  id: string,
  deliveries: readonly Delivery[],
  { history, requeued }: Context,
): Iterable<Violation> {
  let falls = 0;
  for (const [index, next] of deliveries.entries()) {
    const before = deliveries[index - 1];
    if (before === undefined) continue;
    if (next.attempt < before.attempt) falls += 1;
    const isWait = before.answered?.status === 202 || before.answered?.status === 429;
    const repeated = next.attempt === before.attempt && !isWait;
    if (repeated && requeued === 0 && !faultBetween(history, before.at, next.at)) {
      yield violation(id, `attempt ${next.attempt} was sent again though nothing went wrong`);
    }
  }
  if (falls > requeued) {
    yield violation(id, `attempts fell ${falls} times, and it was requeued ${requeued} times`);
  }
}

function faultBetween({ faults }: History, from: number, to: number): boolean {
  return faults.some((fault) => fault.from <= to && fault.to >= from);
}

function violation(subject: string, message: string): Violation {
  return { invariant: 'I3', subject, message };
}
