// Remembers in this process the observations of each resource. Losing it costs nothing but the count of failures.
import { Reason } from '../../crds/conditions.ts';
import { momentAfter } from '../../domain/observation/schedule.ts';
import type { Key } from '../../kube/api.ts';
import type { Subject } from './subject.ts';

interface MemoryEntry {
  /** The interval of the schedule by which the next moment was computed. */
  readonly everyMs: number | undefined;
  /** The content whose first observation is to come at once; undefined for what follows the schedule. */
  readonly first: string | undefined;
  /** The next moment, in milliseconds since 1970. */
  next: number;
  /** Failures since the last observation that succeeded. */
  failures: number;
  /** The last success of this process; undefined before it. */
  observedAt: number | undefined;
  /** The release of the corrections of the provider at that time. */
  released: string | undefined;
  /** When the resource was first seen. */
  readonly seenAt: number;
}

export interface ObservationMemory {
  /** @returns the next moment; Infinity when it is observed only on request */
  next(key: Key, subject: Subject, now: number): number;
  /** @returns what is known of the last observations; undefined before `next` */
  last(key: Key): LastObservations | undefined;
  /** An observation ended, and its result is recorded. */
  ended(key: Key, ended: EndedObservation): void;
  forget(key: Key): void;
  /** @returns for each resource, when it was last observed, in milliseconds since 1970 */
  ages(): Iterable<readonly [Key, number]>;
}

export interface LastObservations {
  /** When one last succeeded, in milliseconds since 1970. */
  readonly observedAt: number | undefined;
  /** The release of the corrections of the provider when that one was requested, if there was one. */
  readonly released: string | undefined;
  /** Failures since. */
  readonly failures: number;
}

interface EndedObservation {
  readonly subject: Subject;
  readonly now: number;
  readonly hasFailed: boolean;
  /** The release of the corrections of the provider at the request. */
  readonly released?: string | undefined;
  /** The object is only observed, and does not exist. */
  readonly isMissing?: boolean;
}

/** An awaited object is looked for every minute; never, when it is observed only on request. */
const missingMs = 60_000;

export function createObservationMemory(): ObservationMemory {
  const entries = new Map<Key, MemoryEntry>();

  function entryOf(key: Key, subject: Subject, now: number): MemoryEntry {
    const known = entries.get(key);
    const { everyMs } = subject;
    const first = observingContent(subject) ?? known?.first;
    // The first observation changes the status, and must not be forgotten by that.
    if (known !== undefined && known.everyMs === everyMs && known.first === first) return known;
    const next = first === known?.first ? nextObservation(subject, now) : now;
    const { failures = 0, observedAt, released, seenAt = now } = known ?? {};
    const entry = { everyMs, first, next, failures, observedAt, released, seenAt };
    entries.set(key, entry);
    return entry;
  }

  return {
    next: (key, subject, now) => entryOf(key, subject, now).next,
    ended(key, { subject, now, hasFailed, released, isMissing = false }) {
      const entry = entryOf(key, subject, now);
      if (isMissing) entry.next = soon(subject, now);
      else entry.next = hasFailed ? nextObservation(subject, now) : scheduledAt(subject, now);
      entry.failures = hasFailed ? entry.failures + 1 : 0;
      if (hasFailed) return;
      entry.observedAt = now;
      entry.released = released;
    },
    last: (key) => entries.get(key),
    forget: (key) => void entries.delete(key),
    *ages() {
      for (const [key, { observedAt, seenAt, everyMs }] of entries) {
        if (everyMs !== undefined) yield [key, observedAt ?? seenAt];
      }
    },
  };
}

/** Without outputs, a resource that is only observed is of no use. */
function observingContent({ isReadOnly, resource: { status } }: Subject): string | undefined {
  return isReadOnly && status?.reason === Reason.Observing ? status.content : undefined;
}

function nextObservation(subject: Subject, now: number): number {
  const { isReadOnly, resource } = subject;
  const isAwaited = isReadOnly && resource.status?.state !== 'ready';
  return isAwaited ? soon(subject, now) : scheduledAt(subject, now);
}

function soon(subject: Subject, now: number): number {
  const next = scheduledAt(subject, now);
  return next === Number.POSITIVE_INFINITY ? next : Math.min(next, now + missingMs);
}

function scheduledAt({ provider, uid, everyMs }: Subject, now: number): number {
  return everyMs === undefined
    ? Number.POSITIVE_INFINITY
    : momentAfter({ provider, uid, everyMs }, now);
}
