// Holds the corrections of a provider when too many of its objects turn at once.
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../src/crds/conditions.ts';
import type { Provider } from '../../../../src/crds/provider.ts';
import type { Observations } from '../../../../src/reconcilers/observation/correction.ts';
import {
  correctionsHeldCondition,
  createMassGuard,
  unreleasedConditions,
} from '../../../../src/reconcilers/observation/mass-guard.ts';
import { correctionsHeldOf, released } from '../../../../src/store/providers/corrections.ts';
import { objectCache } from '../../../support/fixtures/object-cache.ts';
import { hour, minute } from '../../../support/fixtures/observation/observed-subjects.ts';
import { aProvider } from '../../../support/fixtures/workloads/workload-builders.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const { namespace } = aProvider().metadata;
const key = `${namespace}/shop`;

/** A guard of a process that has just started, beside a provider. */
function guarded(provider: Provider = aProvider()) {
  const time = manualTime();
  const providers = objectCache(provider);
  const guard = createMassGuard({ providers, clock: time.clock });
  const held: string[] = [];
  guard.onChange((each) => held.push(each));
  const now = () => time.clock.now().getTime();
  /** Asks for a resource that is observed every hour. */
  const asks = (looked: Observations) => guard.gate(key, hour, () => looked);
  const release = (correctionsReleased: string) =>
    providers.put(aProvider({ spec: { correctionsReleased } }));
  return { guard, time, providers, held, asks, release, now };
}

type World = ReturnType<typeof guarded>;

/** So many resources, of which some drifted at a time. */
const looked = (
  { now }: World,
  observed: number,
  drifted: number,
  since = now(),
): Observations => ({
  observedAt: Array.from({ length: observed }, () => since),
  awaited: [],
  drifted: Array.from({ length: drifted }, () => ({ since, everyMs: hour })),
});

const stored = (at: string): Condition => ({
  type: 'CorrectionsHeld',
  status: 'True',
  reason: 'CorrectionsHeld',
  message: 'of before',
  lastTransitionTime: at,
});

describe('the corrections of a provider', () => {
  it.each<[observed: number, drifted: number, is: string]>([
    [10, 10, 'open'],
    [11, 11, 'held'],
    [100, 20, 'open'],
    [100, 21, 'held'],
  ])('of %i objects of which %i drifted are %s', (observed, drifted, is) => {
    const world = guarded();
    expect(world.asks(looked(world, observed, drifted))).toBe(is);
    expect(world.held).toEqual(is === 'held' ? [key] : []);
  });

  it('are not held while it is unknown what else drifted', () => {
    const world = guarded();
    const awaited = Array.from({ length: 60 }, () => hour);
    expect(world.asks({ ...looked(world, 20, 12), awaited })).toBe('unknown');
    expect([world.held, world.guard.of(key)]).toEqual([[], undefined]);
  });

  it('stay held when fewer differ by then, until they are released', () => {
    const world = guarded();
    const { guard, time, asks, release } = world;
    asks(looked(world, 20, 20));
    time.pass(5 * hour);
    expect(asks(looked(world, 20, 1))).toBe('held');
    expect(guard.of(key)).toMatchObject({ observed: 20, drifted: 20 });
    release('2026-01-01T00:00:00.000Z');
    expect([asks(looked(world, 20, 1)), guard.of(key)]).toEqual(['open', undefined]);
  });

  it('are held of one provider alone', () => {
    const world = guarded();
    world.asks(looked(world, 20, 20));
    world.providers.put(aProvider({ metadata: { name: 'other' }, spec: { provider: 'other' } }));
    const other = world.guard.gate(`${namespace}/other`, hour, () => looked(world, 20, 1));
    expect(other).toBe('open');
  });

  it('do not begin while the provider is being deleted, or is gone', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const going = guarded(aProvider({ metadata: { deletionTimestamp } }));
    expect(going.asks(looked(going, 20, 1))).toBe('held');
    const gone = guarded(aProvider({ metadata: { name: 'other' } }));
    expect(gone.asks(looked(gone, 20, 1))).toBe('held');
  });

  it('are open after a release, whatever its time, and held when as many turn after it', () => {
    for (const at of ['2020-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z']) {
      const world = guarded();
      const { guard, release } = world;
      world.asks(looked(world, 20, 20));
      release(at);
      expect([guard.released(key), world.asks(looked(world, 20, 0))]).toEqual([at, 'open']);
      world.time.pass(minute);
      expect(world.asks(looked(world, 20, 11))).toBe('held');
      expect(world.held, 'each time').toEqual([key, key]);
    }
  });

  it('are held after an outage, long after the interval in which all drifted', () => {
    const world = guarded();
    const all = looked(world, 20, 20);
    world.time.pass(50 * hour);
    expect(world.asks(all)).toBe('held');
  });

  it('are held by the next process, which finds the condition and looks at nothing', () => {
    const conditions = [stored('2025-12-31T00:00:00.000Z')];
    const { guard, providers } = guarded(aProvider({ status: { conditions } }));
    const look = () => expect.unreachable('it looked');
    const releasedAs = (correctionsReleased: string) =>
      providers.put(aProvider({ spec: { correctionsReleased }, status: { conditions } }));
    expect(guard.gate(key, hour, look)).toBe('held');
    releasedAs('2026-12-31T00:00:00.000Z');
    expect(guard.gate(key, hour, look), 'that is another hold').toBe('held');
    releasedAs('2025-12-31T00:00:00Z');
    expect(guard.gate(key, hour, () => ({ observedAt: [], awaited: [], drifted: [] }))).toBe(
      'open',
    );
  });

  it('cost one look a second, however many resources ask, and one after a release', () => {
    const world = guarded();
    let looks = 0;
    const ask = () =>
      world.guard.gate(key, hour, () => {
        looks += 1;
        return looked(world, 100, 5);
      });
    for (let times = 0; times < 100; times += 1) ask();
    expect(looks).toBe(1);
    world.time.pass(1_000);
    ask();
    expect(looks).toBe(2);
    world.release('2026-01-01T00:00:00.000Z');
    ask();
    expect(looks).toBe(3);
  });

  it('tell nobody after an unsubscription', () => {
    const world = guarded();
    const told: string[] = [];
    world.guard.onChange((each) => told.push(each))();
    world.asks(looked(world, 11, 11));
    expect([told, world.held]).toEqual([[], [key]]);
  });
});

describe('the condition of a provider', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const hold = { observed: 40, drifted: 12, released: undefined };

  it('has the numbers, and what to do', () => {
    const [condition] = correctionsHeldCondition(aProvider(), hold);
    expect(condition).toMatchObject({
      type: 'CorrectionsHeld',
      status: 'True',
      message: expect.stringMatching(/^12 of 40 observed resources .* release the corrections$/),
    });
  });

  it('keeps its numbers, also in the next process', () => {
    const provider = aProvider({ status: { conditions: [stored(at)] } });
    for (const known of [hold, undefined]) {
      expect(correctionsHeldCondition(provider, known)).toMatchObject([{ message: 'of before' }]);
    }
    expect(unreleasedConditions(provider)).toEqual([stored(at)]);
  });

  it('is absent when nothing is held, and after a release', () => {
    expect(correctionsHeldCondition(aProvider(), undefined)).toEqual([]);
    const after = aProvider({
      spec: { correctionsReleased: at },
      status: { conditions: [stored(at)] },
    });
    expect(correctionsHeldCondition(after, undefined)).toEqual([]);
    expect(unreleasedConditions(after), 'the next one has its own time').toEqual([]);
    expect(correctionsHeldCondition(after, { ...hold, released: at })).toMatchObject([
      { message: expect.stringContaining('12 of 40') },
    ]);
  });
});

describe('a release', () => {
  it('names what it releases, whatever the clock of its machine says', () => {
    const held = aProvider({ status: { conditions: [stored('2030-01-01T00:00:00.000Z')] } });
    const after = released(held);
    expect(after.spec.correctionsReleased).toBe('2030-01-01T00:00:00.000Z');
    expect(correctionsHeldOf(after)).toBeUndefined();
    expect(released(after), 'nothing is held any more').toBe(after);
    expect(released(aProvider())).toEqual(aProvider());
  });
});
