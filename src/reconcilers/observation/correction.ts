// Whether, and when, Fairlead corrects an object by itself. Pure.
import type { Resource, ResourceStatus } from '../../crds/resource.ts';
import {
  missedToReport,
  wholeWindowEndAfter,
  windowEndAfter,
} from '../../domain/observation/schedule.ts';
import { correctsDrift, isPaused } from '../../store/resources/options.ts';
import type { LastObservations } from './memory.ts';
import type { Subject } from './subject.ts';

/** So many corrections in a row, after each of which the object differed again, mean that somebody else manages it as well. */
const maxCorrections = 3;

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

/** @returns how often an object is observed; by its type, where only requests are followed */
export function intervalOf({ everyMs, typeEveryMs }: Subject): number {
  return everyMs ?? typeEveryMs;
}

/** Returns whether the object has been corrected in vain too often. */
export function isLoop(subject: Subject, now: number): boolean {
  const { resource } = subject;
  return (
    correctsDrift(resource.spec) &&
    correctionsInRow(resource, { everyMs: intervalOf(subject), now }) >= maxCorrections
  );
}

interface CorrectionTerm {
  readonly now: number;
  /** When this process began to observe. */
  readonly beganAt: number;
}

/**
 * @returns when the correction of a drifted object may begin, in milliseconds since 1970; undefined when none follows. Not before a
 * window of its provider has ended in which every other object was looked at, by this process: if they are all gone, the provider
 * looks in the wrong place.
 */
export function correctionDue(
  subject: Subject,
  { now, beganAt }: CorrectionTerm,
): number | undefined {
  const { resource, provider, isReadOnly } = subject;
  const { drift, corrections } = resource.status ?? {};
  const isWanted = correctsDrift(resource.spec) && !isPaused(resource.spec);
  if (drift === undefined || !isWanted || isReadOnly || isLoop(subject, now)) return undefined;
  const everyMs = intervalOf(subject);
  const after = Math.max(
    windowEndAfter({ provider, everyMs }, Date.parse(drift.since)),
    wholeWindowEndAfter({ provider, everyMs }, beganAt),
  );
  if (corrections === undefined || isCountedOnly(resource)) return after;
  return Math.max(after, Date.parse(corrections.at) + everyMs);
}

interface CorrectionMoment {
  readonly now: number;
  /** The release of the corrections of its provider, if there is one. */
  readonly released: string | undefined;
}

/** Returns whether what was observed last may be acted on: it is from this interval, and from after the last release. */
export function isConfirmed(
  subject: Subject,
  last: Pick<LastObservations, 'observedAt' | 'released'> | undefined,
  { now, released }: CorrectionMoment,
): boolean {
  if (last?.observedAt === undefined || last.released !== released) return false;
  return last.observedAt > now - intervalOf(subject);
}

/** @returns what is recorded before the spec is changed, which makes the next generation */
export function nextCorrections(subject: Subject, now: Date): Corrections {
  const { resource } = subject;
  const row = correctionsInRow(resource, { everyMs: intervalOf(subject), now: now.getTime() });
  const generation = (resource.metadata.generation ?? 0) + 1;
  return { count: row + 1, at: now.toISOString(), generation };
}

/** Observations by this process of the resources of a provider. */
export interface Observations {
  /** When each was last observed by this process, in milliseconds since 1970. */
  readonly observedAt: readonly number[];
  /** Intervals of those that this process is to observe, and has not yet. An observation that fails again and again is not awaited. */
  readonly awaited: readonly number[];
  readonly drifted: readonly CorrectionDrifted[];
}

/** A difference that no person has released. */
interface CorrectionDrifted {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly everyMs: number;
}

export interface DriftCount {
  /** Resources of the provider, without those that were last observed before the first of them drifted. */
  readonly observed: number;
  /** Resources that drifted together. */
  readonly drifted: number;
}

const minDrifted = 10;
const maxDriftedShare = 0.2;

/** Returns whether so many objects drifted that nothing may be corrected: a wrong region or credential has this effect. */
export function isMassive({ observed, drifted }: DriftCount): boolean {
  return drifted > Math.max(minDrifted, maxDriftedShare * observed);
}

/** @param released the release of the corrections of the provider: a person has seen what drifted before it */
export function lookAt(
  subjects: Iterable<readonly [subject: Subject, last: LastObservations | undefined]>,
  released: string | undefined,
): Observations {
  const observedAt: number[] = [];
  const awaited: number[] = [];
  const drifted: CorrectionDrifted[] = [];
  for (const [subject, last] of subjects) {
    const { everyMs, resource } = subject;
    if (last?.observedAt !== undefined) observedAt.push(last.observedAt);
    else if (everyMs !== undefined && (last?.failures ?? 0) < missedToReport) awaited.push(everyMs);
    const { drift } = resource.status ?? {};
    if (drift !== undefined && drift.correctionsReleased === released) {
      drifted.push({ since: Date.parse(drift.since), everyMs: intervalOf(subject) });
    }
  }
  return { observedAt, awaited, drifted };
}

/**
 * Resources that drifted within so many intervals drifted together: an interval passes until each object is observed, and clocks of leaders
 * differ.
 */
const togetherIntervals = 2;

/**
 * Compares times of drift, not now: drift found after an outage began before it.
 * @returns each group of resources that drifted together, and how many objects were observed since the first of it. Earlier observations
 * prove nothing: the provider may look elsewhere since then
 */
function driftCounts({ observedAt, drifted }: Observations): readonly DriftCount[] {
  const times = [...observedAt].sort(ascending);
  const drifts = [...drifted].sort((one, other) => ascending(one.since, other.since));
  const starts = drifts.map(({ since }) => since);
  return drifts.map(({ since, everyMs }, first) => ({
    observed: times.length - countBelow(times, since),
    drifted: countBelow(starts, since + togetherIntervals * everyMs) - first,
  }));
}

const ascending = (one: number, other: number) => one - other;

/** @returns how many of the sorted numbers are below a limit */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether corrections of a provider may begin. Unknown: what was not looked at yet decides it. */
export type Gate =
  | { readonly is: 'open' | 'unknown' }
  | { readonly is: 'held'; readonly by: DriftCount };

/** @param everyMs the interval of what is to be corrected: what is observed less often is not awaited */
export function gateOf(looked: Observations, everyMs: number): Gate {
  const awaited = looked.awaited.filter((each) => each <= everyMs).length;
  const massive = driftCounts(looked)
    .filter(isMassive)
    .sort((one, other) => ascending(other.drifted, one.drifted));
  // Even if all that is awaited is in order.
  const held = massive
    .map((group) => ({ ...group, observed: group.observed + awaited }))
    .find(isMassive);
  if (held === undefined) return { is: massive.length === 0 ? 'open' : 'unknown' };
  return { is: 'held', by: { ...held, observed: Math.max(held.observed, held.drifted) } };
}
