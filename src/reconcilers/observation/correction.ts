// Whether, and when, Fairlead corrects an object by itself. Pure.
import type { Resource, ResourceStatus } from '../../crds/resource.ts';
import { windowEndAfter } from './schedule.ts';
import type { Subject } from './subject.ts';

/** So many corrections in a row, after each of which the object differed again, mean that somebody else manages it as well. */
export const maxCorrections = 3;

/** A difference that comes later than this many intervals after a correction is not the same one again. */
const againWithinIntervals = 10;

type Corrections = NonNullable<ResourceStatus['corrections']>;

/** @returns the corrections in a row that did not last; a change of the spec since begins anew */
export function correctionsInRow(
  resource: Resource,
  { everyMs, now }: { readonly everyMs: number; readonly now: number },
): number {
  const { corrections } = resource.status ?? {};
  if (corrections === undefined) return 0;
  if (now - Date.parse(corrections.at) > againWithinIntervals * everyMs) return 0;
  if (isCountedOnly(resource)) return corrections.count - 1;
  return corrections.generation === resource.metadata.generation ? corrections.count : 0;
}

/** Returns whether the last correction was counted, and a crash or another write came before the change of the spec that begins it. */
function isCountedOnly({ metadata, status }: Resource): boolean {
  return status?.corrections?.generation === (metadata.generation ?? 0) + 1;
}

function intervalOf({ everyMs, typeEveryMs }: Subject): number {
  return everyMs ?? typeEveryMs;
}

/** Returns whether the object has been corrected in vain too often. */
export function isLoop(subject: Subject, now: number): boolean {
  const { resource } = subject;
  const isCorrected = resource.spec.observe?.onDrift === 'Correct';
  return (
    isCorrected &&
    correctionsInRow(resource, { everyMs: intervalOf(subject), now }) >= maxCorrections
  );
}

/**
 * @returns when the correction of a drifted object may begin, in milliseconds since 1970; undefined when none follows. Not before the
 * window of its provider has ended, in which every other object was looked at: if they are all gone, the provider looks in the
 * wrong place.
 */
export function correctionDue(subject: Subject, now: number): number | undefined {
  const { resource, provider, isReadOnly } = subject;
  const { drift, corrections } = resource.status ?? {};
  const isWanted = resource.spec.observe?.onDrift === 'Correct' && resource.spec.paused !== true;
  if (drift === undefined || !isWanted || isReadOnly || isLoop(subject, now)) return undefined;
  const everyMs = intervalOf(subject);
  const after = windowEndAfter({ provider, everyMs }, Date.parse(drift.since));
  if (corrections === undefined || isCountedOnly(resource)) return after;
  return Math.max(after, Date.parse(corrections.at) + everyMs);
}

/** Returns whether what was observed last may be acted on: it is from this interval, and from after the last release. */
export function isConfirmed(
  subject: Subject,
  {
    observedAt,
    now,
    releasedAt,
  }: { readonly observedAt: number; readonly now: number; readonly releasedAt: number },
): boolean {
  return observedAt > Math.max(releasedAt, now - intervalOf(subject));
}

/** @returns what is recorded before the spec is changed, which makes the next generation */
export function nextCorrections(subject: Subject, now: Date): Corrections {
  const { resource } = subject;
  const row = correctionsInRow(resource, { everyMs: intervalOf(subject), now: now.getTime() });
  const generation = (resource.metadata.generation ?? 0) + 1;
  return { count: row + 1, at: now.toISOString(), generation };
}

/** The observed resources of a provider. Times are in milliseconds since 1970. */
export interface Looked {
  /** When each was last observed by this process; undefined: not yet. */
  readonly observedAt: readonly (number | undefined)[];
  /** Since when those differ that do. */
  readonly since: readonly number[];
}

export interface Turned {
  /** Resources of the provider, without those that were last observed before the first of them turned. */
  readonly observed: number;
  /** Those that turned out to differ or to be gone within one interval. */
  readonly turned: number;
}

const minTurned = 10;
const maxTurnedShare = 0.2;

/** Returns whether so many objects turned that nothing may be corrected: a wrong region or credential looks like this. */
export function isMassive({ observed, turned }: Turned): boolean {
  return turned > Math.max(minTurned, maxTurnedShare * observed);
}

/** @param subjects each with the time of its last observation by this process */
export function lookAt(
  subjects: Iterable<readonly [subject: Subject, observedAt: number | undefined]>,
): Looked {
  const observedAt: Looked['observedAt'][number][] = [];
  const since: number[] = [];
  for (const [{ resource }, at] of subjects) {
    observedAt.push(at);
    const { drift } = resource.status ?? {};
    if (drift !== undefined) since.push(Date.parse(drift.since));
  }
  return { observedAt, since };
}

/** A drift that may be corrected. */
export interface Candidate {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly everyMs: number;
}

/** @returns the drift of a subject that has one */
export function candidateOf(subject: Subject): Candidate {
  const since = Date.parse(subject.resource.status?.drift?.since ?? '');
  return { since, everyMs: intervalOf(subject) };
}

/**
 * @param releasedAt what turned before is not counted: a person has looked at it
 * @returns how many turned together with the candidate. Not by the time of now: what turned together before an outage did so after it
 */
export function turnedWith(
  { since, everyMs }: Candidate,
  { observedAt, since: all }: Looked,
  releasedAt: number,
): Turned {
  const together = all.filter((each) => each > releasedAt && Math.abs(each - since) < everyMs);
  // The others say nothing: the provider may look elsewhere since then.
  const first = together.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const observed = observedAt.filter((at) => at === undefined || at >= first).length;
  return { observed, turned: together.length };
}
