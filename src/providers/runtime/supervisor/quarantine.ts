// The order in which suspects run in the quarantine. Those that ended a process together run again in halves, those that ran for the
// shortest time first, until one ends a process alone: it is the culprit. A suspect that has run for longer than it had at that end is
// taken for innocent: it goes on, and the next ones join it, so that its handler holds nobody up. So does one that comes again and runs for
// twice as long as before, but it joins nobody itself: most end their process once more, and would end those beside them each time.

export interface Suspicion {
  /** When it was first suspected, by `monotonicMs`: those of an earlier end go first. */
  readonly since: number;
  /** Half of those that ended a process with it: as many begin at once, and at least one. */
  readonly together: number;
  /** How long its handler had run, at most, at the end of a process; twice as long for one that is known. */
  readonly ranMs: number;
  /** It was suspected before this delivery: it never joins others. */
  readonly isKnown: boolean;
}

export interface Suspect {
  readonly suspicion: Suspicion;
  /** When its handler was called, by `monotonicMs`. */
  readonly begunAt: number | undefined;
}

/** An innocent is a little slower at times. */
const marginMs = 1_000;
/** The handler of an earlier delivery ran in another pod. */
const unknownMs = 30_000;

/**
 * @param ranMs how long its handler had run when its process ended, if that was here
 * @returns the suspicion of an event that was suspected before it was delivered
 */
export function knownSuspicion(now: number, ranMs = unknownMs): Suspicion {
  return { since: now, together: 0, ranMs: 2 * ranMs, isKnown: true };
}

/**
 * @param inside what is in the quarantine
 * @param hasRoom whether it has memory for more
 * @returns the suspects that begin now
 */
export function nextSuspects<S extends Suspect>(
  waiting: readonly S[],
  { inside, hasRoom }: { readonly inside: readonly Suspect[]; readonly hasRoom: boolean },
  now: number,
): readonly S[] {
  const isEmpty = inside.length === 0;
  if (!isEmpty && !(hasRoom && inside.every((each) => isCleared(each, now)))) return [];
  const [first, ...others] = waiting
    .filter(({ suspicion }) => isEmpty || !suspicion.isKnown)
    .toSorted((one, other) => compareSuspicions(one.suspicion, other.suspicion));
  if (first === undefined) return [];
  const { since, together } = first.suspicion;
  const ofSameEnd = others.filter(({ suspicion }) => suspicion.since === since);
  return [first, ...ofSameEnd].slice(0, Math.max(1, together));
}

function compareSuspicions(one: Suspicion, other: Suspicion): number {
  return one.since - other.since || one.together - other.together || one.ranMs - other.ranMs;
}

interface MaybeSuspect extends Pick<Suspect, 'begunAt'> {
  readonly suspicion: Suspicion | undefined;
}

/**
 * @param all whose handlers ran in the process that has ended
 * @returns the suspicion of one of them
 */
export function suspicionAfterEnd(
  each: MaybeSuspect,
  all: readonly MaybeSuspect[],
  now: number,
): Suspicion {
  const { suspicion: before } = each;
  const ranMs = Math.max(before?.ranMs ?? 0, runsMs(each, now));
  const others = all.filter((one) => !isCleared(one, now));
  // One that had been cleared is less likely than those that had just joined it.
  if (before !== undefined && isCleared(each, now) && others.length > 0)
    return { ...before, ranMs };
  const half = Math.floor((others.length || all.length) / 2);
  const together = Math.min(half, before?.together ?? half);
  return { since: before?.since ?? now, together, ranMs, isKnown: before?.isKnown ?? false };
}

function isCleared(each: MaybeSuspect, now: number): boolean {
  return each.suspicion !== undefined && runsMs(each, now) > each.suspicion.ranMs + marginMs;
}

/** @returns how long its handler has run */
export function runsMs({ begunAt }: Pick<Suspect, 'begunAt'>, now: number): number {
  return begunAt === undefined ? 0 : now - begunAt;
}

// Events of a resource that comes again.

export interface Suspects {
  /** @returns how long its handler had run, at most, when its process ended; undefined for one that is not suspected @param subject of an event */
  ranMs(subject: string): number | undefined;
  add(subject: string, ranMs: number): void;
  /** Its handler has ended without its process. */
  clear(subject: string): void;
}

/** A pod remembers its last ones. The controller knows all culprits, and says so with the delivery. */
const maxSubjects = 1_000;

export function createSuspects(): Suspects {
  const subjects = new Map<string, number>();
  return {
    ranMs: (subject) => subjects.get(subject),
    add(subject, ranMs) {
      const longest = Math.max(ranMs, subjects.get(subject) ?? 0);
      subjects.delete(subject);
      subjects.set(subject, longest);
      const [oldest] = subjects.keys();
      if (subjects.size > maxSubjects && oldest !== undefined) subjects.delete(oldest);
    },
    clear: (subject) => void subjects.delete(subject),
  };
}
