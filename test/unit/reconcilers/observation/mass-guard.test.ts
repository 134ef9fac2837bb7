// Holds the corrections of a provider when too many of its objects turn at once.
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../src/crds/conditions.ts';
import type { Provider } from '../../../../src/crds/provider.ts';
import type { Looked } from '../../../../src/reconcilers/observation/correction.ts';
import {
  correctionsHeldCondition,
  createMassGuard,
} from '../../../../src/reconcilers/observation/mass-guard.ts';
import { objectCache } from '../../../support/fixtures/object-cache.ts';
import { hour, minute } from '../../../support/fixtures/observed-subjects.ts';
import { aProvider } from '../../../support/fixtures/workload-builders.ts';
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
  const since = now();
  /** Asks for a resource that turned when the process started. */
  const asks = (looked: Looked) => guard.isHeld(key, { since, everyMs: hour }, () => looked);
  const release = () =>
    providers.put(aProvider({ spec: { correctionsReleasedAt: time.clock.now().toISOString() } }));
  return { guard, time, providers, held, asks, release, now };
}

type World = ReturnType<typeof guarded>;

/** So many resources, of which some turned at a time. */
const looked = ({ now }: World, observed: number, turned: number, since = now()): Looked => ({
  observedAt: Array.from({ length: observed }, () => since),
  since: Array.from({ length: turned }, () => since),
});

const stored = (at: string): Condition => ({
  type: 'CorrectionsHeld',
  status: 'True',
  reason: 'CorrectionsHeld',
  message: 'of before',
  lastTransitionTime: at,
});

describe('the corrections of a provider', () => {
  it.each<[observed: number, turned: number, isHeld: boolean]>([
    [10, 10, false],
    [11, 11, true],
    [100, 20, false],
    [100, 21, true],
  ])('of %i objects of which %i turned are held: %s', (observed, turned, isHeld) => {
    const world = guarded();
    expect(world.asks(looked(world, observed, turned))).toBe(isHeld);
    expect(world.held).toEqual(isHeld ? [key] : []);
  });

  it('stay held when fewer differ by then, until they are released', () => {
    const world = guarded();
    const { guard, time, asks, release } = world;
    asks(looked(world, 20, 20));
    time.pass(5 * hour);
    expect(asks(looked(world, 20, 1))).toBe(true);
    expect(guard.of(key)).toMatchObject({ observed: 20, turned: 20 });
    release();
    expect([asks(looked(world, 20, 1)), guard.of(key)]).toEqual([false, undefined]);
  });

  it('are held of one provider alone', () => {
    const world = guarded();
    world.asks(looked(world, 20, 20));
    const candidate = { since: world.now(), everyMs: hour };
    world.providers.put(aProvider({ metadata: { name: 'other' }, spec: { provider: 'other' } }));
    const other = world.guard.isHeld(`${namespace}/other`, candidate, () => looked(world, 20, 1));
    expect(other).toBe(false);
  });

  it('do not begin while the provider is being deleted, or is gone', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const going = guarded(aProvider({ metadata: { deletionTimestamp } }));
    expect(going.asks(looked(going, 20, 1))).toBe(true);
    const gone = guarded(aProvider({ metadata: { name: 'other' } }));
    expect(gone.asks(looked(gone, 20, 1))).toBe(true);
  });

  it('are free for what turned before the release, and held when as many turn after it', () => {
    const world = guarded();
    const { time, guard, release } = world;
    const before = looked(world, 20, 20);
    world.asks(before);
    time.pass(minute);
    release();
    time.pass(minute);
    expect(world.asks(before)).toBe(false);
    time.pass(minute);
    const candidate = { since: world.now(), everyMs: hour };
    expect(guard.isHeld(key, candidate, () => looked(world, 20, 11))).toBe(true);
    expect(world.held, 'each time').toEqual([key, key]);
  });

  it('are held after an outage, long after the interval in which all turned', () => {
    const world = guarded();
    const all = looked(world, 20, 20);
    world.time.pass(50 * hour);
    expect(world.asks(all)).toBe(true);
  });

  it('are held by the next process, which finds the condition and looks at nothing', () => {
    const conditions = [stored('2025-12-31T00:00:00.000Z')];
    const { guard, providers, now } = guarded(aProvider({ status: { conditions } }));
    const candidate = { since: now(), everyMs: hour };
    const look = () => expect.unreachable('it looked');
    expect(guard.isHeld(key, candidate, look)).toBe(true);
    const spec = { correctionsReleasedAt: '2025-12-31T00:00:00.001Z' };
    providers.put(aProvider({ spec, status: { conditions } }));
    expect(guard.isHeld(key, candidate, () => ({ observedAt: [], since: [] }))).toBe(false);
  });

  it('cost one look a second, however many resources ask', () => {
    const world = guarded();
    let looks = 0;
    const ask = () =>
      world.guard.isHeld(key, { since: world.now(), everyMs: hour }, () => {
        looks += 1;
        return looked(world, 100, 5);
      });
    for (let times = 0; times < 100; times += 1) ask();
    expect(looks).toBe(1);
    world.time.pass(1_000);
    ask();
    expect(looks).toBe(2);
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
  const at = Date.parse('2026-01-01T00:00:00.000Z');
  const hold = { observed: 40, turned: 12, at };

  it('has the numbers, and what to do', () => {
    const [condition] = correctionsHeldCondition(aProvider(), hold);
    expect(condition).toMatchObject({
      type: 'CorrectionsHeld',
      status: 'True',
      message: expect.stringMatching(/^12 of 40 observed resources .* release the corrections$/),
    });
  });

  it('keeps its numbers, also in the next process', () => {
    const provider = aProvider({ status: { conditions: [stored('2026-01-01T00:00:00.000Z')] } });
    for (const known of [hold, undefined]) {
      expect(correctionsHeldCondition(provider, known)).toMatchObject([{ message: 'of before' }]);
    }
  });

  it('is absent when nothing is held, and after a release', () => {
    expect(correctionsHeldCondition(aProvider(), undefined)).toEqual([]);
    const released = aProvider({
      spec: { correctionsReleasedAt: '2026-01-01T00:00:00.000Z' },
      status: { conditions: [stored('2026-01-01T00:00:00.000Z')] },
    });
    expect(correctionsHeldCondition(released, undefined)).toEqual([]);
  });
});
