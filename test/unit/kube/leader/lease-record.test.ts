// Conclusions of a candidate from observing a Lease with its own clock.
import { describe, expect, it } from 'vitest';
import {
  createLookout,
  fencingTokenOf,
  type Lease,
  microTime,
} from '../../../../src/kube/leader/lease-record.ts';
import { type ManualTime, manualTime } from '../../../support/runner/manual-time.ts';

const leaseMs = 15_000;

interface LeaseTraits {
  readonly holder?: string | undefined;
  readonly version?: string;
  readonly uid?: string;
  readonly seconds?: number;
  readonly renewTime?: string;
}

function lease({ holder = 'other', version = '1', uid = 'u', ...rest }: LeaseTraits = {}): Lease {
  const { seconds = 15, renewTime = '2026-01-01T00:00:00.000000Z' } = rest;
  return {
    metadata: { name: 'leader', namespace: 'default', uid, resourceVersion: version },
    spec: { holderIdentity: holder, leaseDurationSeconds: seconds, renewTime },
  };
}

interface Case {
  readonly of: string;
  /** The observations, each with the milliseconds before it. */
  readonly seen: readonly (readonly [afterMs: number, Lease | undefined])[];
  /** The time since the last observation when evaluated. */
  readonly thenMs?: number;
  readonly mayTake: boolean;
}

const cases: readonly Case[] = [
  { of: 'no lease', seen: [[0, undefined]], mayTake: true },
  { of: 'a lease without a holder', seen: [[0, lease({ holder: '' })]], mayTake: true },
  {
    of: 'a lease that was released',
    seen: [
      [0, lease()],
      [100, lease({ holder: '', version: '2' })],
    ],
    mayTake: true,
  },
  { of: 'its own lease', seen: [[0, lease({ holder: 'me' })]], mayTake: true },
  { of: 'the lease of another, seen for the first time', seen: [[0, lease()]], mayTake: false },
  {
    of: 'a lease that says it was renewed long ago, seen for the first time',
    seen: [[0, lease({ renewTime: '2001-01-01T00:00:00.000000Z' })]],
    mayTake: false,
  },
  {
    of: 'a lease that says it was renewed in the future, unchanged for longer than it lasts',
    seen: [[0, lease({ renewTime: '2999-01-01T00:00:00.000000Z' })]],
    thenMs: leaseMs + 1,
    mayTake: true,
  },
  {
    of: 'a lease unchanged for as long as it lasts',
    seen: [[0, lease()]],
    thenMs: leaseMs,
    mayTake: false,
  },
  {
    of: 'a lease unchanged for longer than it lasts',
    seen: [[0, lease()]],
    thenMs: leaseMs + 1,
    mayTake: true,
  },
  {
    of: 'a lease that was looked at again, unchanged',
    seen: [
      [0, lease()],
      [10_000, lease()],
    ],
    thenMs: 5_001,
    mayTake: true,
  },
  {
    of: 'a lease that was renewed meanwhile',
    seen: [
      [0, lease()],
      [10_000, lease({ version: '2' })],
    ],
    thenMs: 5_001,
    mayTake: false,
  },
  {
    of: 'a lease that was deleted and made again with the same version',
    seen: [
      [0, lease()],
      [10_000, lease({ uid: 'v' })],
    ],
    thenMs: 5_001,
    mayTake: false,
  },
  {
    of: 'a lease that came after there was none',
    seen: [
      [0, undefined],
      [60_000, lease()],
    ],
    mayTake: false,
  },
  {
    of: 'a lease that asks for more time than we would give it',
    seen: [[0, lease({ seconds: 60 })]],
    thenMs: leaseMs + 1,
    mayTake: false,
  },
  {
    of: 'a lease that asks for less time than we would give it',
    seen: [[0, lease({ seconds: 1 })]],
    thenMs: leaseMs,
    mayTake: false,
  },
];

function look(
  { seen, thenMs = 0 }: Case,
  time: ManualTime,
  afterwards: () => void = () => undefined,
): boolean {
  const lookout = createLookout({ identity: 'me', clock: time.clock, leaseMs });
  for (const [afterMs, found] of seen) {
    time.pass(afterMs);
    lookout.note(found);
    afterwards();
  }
  time.pass(thenMs);
  return lookout.mayTake();
}

describe('a candidate', () => {
  it.each(cases)('that observed $of: may acquire it: $mayTake', (given) => {
    expect(look(given, manualTime())).toBe(given.mayTake);
  });

  it.each(cases)('has the same view of $of when its wall clock was set', (given) => {
    const time = manualTime();
    const setWallClock = () => time.setWallClock(new Date('2040-01-01T00:00:00.000Z'));
    expect(look(given, time, setWallClock)).toBe(given.mayTake);
  });
});

describe('the record', () => {
  it('has times with microseconds', () => {
    expect(microTime(new Date('2026-01-01T00:00:00.103Z'))).toBe('2026-01-01T00:00:00.103000Z');
  });

  it('has 0 transitions before the first leader', () => {
    expect(fencingTokenOf(undefined)).toBe(0);
    expect(fencingTokenOf(lease())).toBe(0);
    expect(fencingTokenOf({ ...lease(), spec: { leaseTransitions: 7 } })).toBe(7);
  });
});
