// Groups dead letters by cause, so that an operator with thousands of dead letters sees a few causes. Pure.

import { byCodeUnit } from '../../lib/text.ts';
import type { IndexedDeadLetter } from './indexed.ts';
import type { StoredDeadLetter } from './object.ts';

/** A dead letter, and whether it is superseded. */
export interface DeadLetterRecord extends StoredDeadLetter {
  readonly superseded: boolean;
}

export interface CountedCause {
  readonly provider: string;
  readonly cause: string;
  readonly errorCode: string;
  /** The common text of the failures. */
  readonly errorMessage: string;
  readonly count: number;
  /** Number of superseded dead letters. */
  readonly superseded: number;
  readonly oldestFailedAt: Date;
  readonly newestFailedAt: Date;
  /** Event ids of the earliest failures. */
  readonly examples: readonly string[];
  /** The earliest failure. */
  readonly oldest: Pick<IndexedDeadLetter, 'eventId' | 'createdVersion'> | undefined;
}

export interface CauseRecord extends CountedCause {
  /** The message of the earliest failure; undefined when it is not read, or gone. */
  readonly exampleMessage: string | undefined;
}

interface CauseCounter {
  add(deadLetter: IndexedDeadLetter, superseded: boolean): void;
  /** Most frequent first. */
  causes(): readonly CountedCause[];
}

const maxExamples = 3;

interface CauseCount {
  readonly shared: Pick<CountedCause, 'provider' | 'cause' | 'errorCode' | 'errorMessage'>;
  count: number;
  superseded: number;
  newest: Date;
  /** The earliest failures only. */
  oldest: readonly CauseExample[];
}

type CauseExample = Pick<IndexedDeadLetter, 'eventId' | 'failedAt' | 'createdVersion'>;

export function createCauseCounter(): CauseCounter {
  /** By cause; those of several providers side by side. A key of both would be made for each of thousands. */
  const groups = new Map<string, CauseCount[]>();

  function groupOf(deadLetter: IndexedDeadLetter): CauseCount {
    const ofCause = groups.get(deadLetter.cause) ?? [];
    const found = ofCause.find(({ shared }) => shared.provider === deadLetter.provider);
    if (found !== undefined) return found;
    const group = emptyGroup(deadLetter);
    groups.set(deadLetter.cause, [...ofCause, group]);
    return group;
  }

  return {
    add: (deadLetter, superseded) => countDeadLetter(groupOf(deadLetter), deadLetter, superseded),
    causes: () => [...groups.values()].flat().map(countedCause).sort(mostFrequentFirst),
  };
}

function emptyGroup({ failedAt, ...deadLetter }: IndexedDeadLetter): CauseCount {
  const { provider, cause, errorCode, errorPattern: errorMessage } = deadLetter;
  const shared = { provider, cause, errorCode, errorMessage };
  return { shared, count: 0, superseded: 0, newest: failedAt, oldest: [] };
}

function countDeadLetter(
  group: CauseCount,
  deadLetter: IndexedDeadLetter,
  superseded: boolean,
): void {
  group.count += 1;
  if (superseded) group.superseded += 1;
  if (deadLetter.failedAt > group.newest) group.newest = deadLetter.failedAt;
  const last = group.oldest[maxExamples - 1];
  if (last !== undefined && oldestFirst(last, deadLetter) < 0) return;
  group.oldest = [...group.oldest, deadLetter].sort(oldestFirst).slice(0, maxExamples);
}

function countedCause({ shared, oldest, newest, ...counts }: CauseCount): CountedCause {
  const [first] = oldest;
  return {
    ...shared,
    count: counts.count,
    superseded: counts.superseded,
    oldestFailedAt: first?.failedAt ?? newest,
    newestFailedAt: newest,
    examples: oldest.map(({ eventId }) => eventId),
    oldest: first,
  };
}

function oldestFirst(left: CauseExample, right: CauseExample): number {
  const byTime = left.failedAt.getTime() - right.failedAt.getTime();
  return byTime === 0 ? byCodeUnit(left.eventId, right.eventId) : byTime;
}

function mostFrequentFirst(left: CountedCause, right: CountedCause): number {
  const byCount = right.count - left.count;
  if (byCount !== 0) return byCount;
  return byCodeUnit(`${left.provider}/${left.cause}`, `${right.provider}/${right.cause}`);
}
