import { beforeEach, describe, expect, it } from 'vitest';
import type { Timers } from '../../../src/kube/timers.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { createTally, type Tally } from '../../../src/lib/tally.ts';
import { type Accounting, createAccounting } from '../../../src/metrics/unaccounted.ts';

const { signal } = new AbortController();
const acme = 'fl-acme';

let resourceStates: Tally<'ready'>;
let accounting: Accounting;
/** The objects of the API server. */
let held: Map<string, number>;
let organizations: string[];
let asked: string[];
let whileCounting: () => void;
let whilePausing: () => void;

const instantly: Timers = {
  after(_ms, callback) {
    whilePausing();
    queueMicrotask(callback);
    return () => undefined;
  },
};

beforeEach(() => {
  resourceStates = createTally();
  held = new Map();
  organizations = [acme];
  asked = [];
  whileCounting = () => undefined;
  whilePausing = () => undefined;
  accounting = createAccounting({
    resourceStates,
    organizations: () => organizations,
    log: silentLog,
    timers: instantly,
    async count(organization) {
      asked.push(organization);
      const counted = held.get(organization) ?? 0;
      whileCounting();
      return await Promise.resolve(counted);
    },
  });
});

function known(...keys: readonly string[]): void {
  for (const key of keys) resourceStates.set(`${acme}/${key}`, acme, 'ready');
}

describe('unaccounted resources', () => {
  it('is 0 when both counts are equal, after one request', async () => {
    known('a', 'b');
    held.set(acme, 2);
    await accounting.look(signal);
    expect(accounting.balances.get(acme)).toEqual({ applied: 2, unaccounted: 0 });
    expect(asked).toEqual([acme]);
  });

  it('ignores changes in transit', async () => {
    known('a');
    held.set(acme, 2);
    whilePausing = () => known('b');
    await accounting.look(signal);
    expect(accounting.balances.get(acme)).toEqual({ applied: 2, unaccounted: 0 });
  });

  it.each([
    { held: 3, unaccounted: 1, what: 'an object missing in the cache' },
    { held: 1, unaccounted: -1, what: 'a deleted object still in the cache' },
  ])('reports $what', async ({ held: count, unaccounted }) => {
    known('a', 'b');
    held.set(acme, count);
    await accounting.look(signal);
    expect(accounting.balances.get(acme)).toEqual({ applied: count, unaccounted });
    expect(asked).toHaveLength(5);
  });

  it('is not measured during changes, and keeps its last value', async () => {
    let next = 0;
    known('a');
    held.set(acme, 9);
    whileCounting = () => known(`b${next++}`);
    await accounting.look(signal);
    expect(accounting.balances.get(acme)).toEqual({ applied: 9, unaccounted: undefined });

    whileCounting = () => undefined;
    held.set(acme, resourceStates.total(acme));
    await accounting.look(signal);
    expect(accounting.balances.get(acme)?.unaccounted).toBe(0);

    held.set(acme, 100);
    whileCounting = () => known(`b${next++}`);
    await accounting.look(signal);
    expect(accounting.balances.get(acme)).toEqual({ applied: 100, unaccounted: 0 });
  });

  it('is detected without an event of the missed object, and ends after the repair', async () => {
    known('a');
    held.set(acme, 1);
    await accounting.look(signal);
    held.set(acme, 2);
    await accounting.look(signal);
    expect(accounting.balances.get(acme)?.unaccounted).toBe(1);
    held.set(acme, 1);
    await accounting.look(signal);
    expect(accounting.balances.get(acme)?.unaccounted).toBe(0);
  });
});

describe('a measurement', () => {
  it('takes idle organizations in turn, and changed ones at once', async () => {
    organizations = Array.from({ length: 60 }, (_, n) => `fl-${n}`);
    await accounting.look(signal);
    expect(new Set(asked)).toEqual(new Set(organizations));

    asked = [];
    resourceStates.set('fl-59/a', 'fl-59', 'ready');
    held.set('fl-59', 1);
    await accounting.look(signal);
    expect(asked).toContain('fl-59');
    expect(asked).toHaveLength(21);

    for (let looks = 0; looks < 2; looks += 1) await accounting.look(signal);
    expect(new Set(asked)).toEqual(new Set(organizations));
  });

  it('keeps its state when the API server does not respond', async () => {
    known('a');
    held.set(acme, 1);
    await accounting.look(signal);
    known('b');
    whileCounting = () => {
      throw new Error('no answer');
    };
    await accounting.look(signal);
    expect(accounting.balances.get(acme)).toEqual({ applied: 1, unaccounted: 0 });

    whileCounting = () => undefined;
    held.set(acme, 2);
    await accounting.look(signal);
    expect(accounting.balances.get(acme)).toEqual({ applied: 2, unaccounted: 0 });
  });

  it('drops deleted organizations', async () => {
    organizations = [acme, 'fl-gone'];
    await accounting.look(signal);
    expect([...accounting.balances.keys()].sort()).toEqual([acme, 'fl-gone']);
    organizations = [acme];
    await accounting.look(signal);
    expect([...accounting.balances.keys()]).toEqual([acme]);
  });
});
