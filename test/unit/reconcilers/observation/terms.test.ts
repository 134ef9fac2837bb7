// Corrections across changes of the leader, and with machines whose clocks differ.
import { describe, expect, it } from 'vitest';
import { wholeWindowEndAfter } from '../../../../src/domain/observation/schedule.ts';
import { now } from '../../../support/fixtures/builders.ts';
import {
  at,
  changed,
  found,
  gone,
  hour,
  minute,
  notThere,
} from '../../../support/fixtures/observation/observed-subjects.ts';
import { observedObjects } from '../../../support/fixtures/observation/observing-controller.ts';
import {
  config,
  named,
  observingWorld,
  schema,
} from '../../../support/fixtures/observation/observing-world.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const correct = { observe: { onDrift: 'Correct' } } as const;
const some = (count: number) =>
  Array.from({ length: count }, (_, index) => named(`db-${index}`, { spec: correct }));
const begun = ({ writes }: { readonly writes: readonly string[] }) =>
  writes.filter((each) => each.includes('again')).length;

type World = Awaited<ReturnType<typeof observingWorld>>;

const second = 1_000;
const provider = `${named('db').metadata.namespace}/postgres`;

/** Passes time until so many objects were observed, ends the process, and passes more time until the next one begins. */
async function endAfter(world: World, observed: number, absentMs = 0): Promise<void> {
  while (world.observed().length < observed) await world.pass(second);
  await world.stop();
  world.time.pass(absentMs);
}

describe('a leader that ends in the middle of a window, in which everything is gone,', () => {
  it.each([
    [90, 0],
    [90, 10 * minute],
  ])('after %i of 500, and a successor %i ms later: nothing is created', async (seen, absentMs) => {
    const of = some(500);
    const objects = observedObjects(of, { schema });
    const first = await observingWorld({ of, objects, answer: () => notThere });
    await endAfter(first, seen, absentMs);
    const { time } = first;
    const next = await observingWorld({ of, objects, time, answer: () => notThere });
    await next.pass(3 * hour, minute);
    expect([begun(first), begun(next)]).toEqual([0, 0]);
    expect(next.guard.of(provider)).toMatchObject({ observed: 500 });
  });

  it('and four after it as well: nothing is created', async () => {
    const of = some(300);
    const objects = observedObjects(of, { schema });
    let world = await observingWorld({ of, objects, answer: () => notThere });
    for (let term = 0; term < 5; term += 1) {
      await endAfter(world, 55, 10 * minute);
      expect(begun(world)).toBe(0);
      const { time } = world;
      world = await observingWorld({ of, objects, time, answer: () => notThere });
    }
    await world.pass(3 * hour, minute);
    expect(begun(world)).toBe(0);
    expect(world.guard.of(provider)).toBeDefined();
  });
});

describe('a new leader', () => {
  const lost = { reason: 'Gone', drift: gone } as const;
  const ofMany = (count: number, turned: number) =>
    some(count).map((resource, index) =>
      index < turned ? named(`db-${index}`, { spec: correct, status: lost }) : resource,
    );
  const answers = (turned: number) => (event: { name: string; outputs: object }) =>
    Number(event.name.slice(3)) < turned ? notThere : found(config, event.outputs as never);

  it('corrects what is gone of many, after one whole window', async () => {
    const world = await observingWorld({ of: ofMany(500, 90), answer: answers(90) });
    const end = wholeWindowEndAfter({ provider, everyMs: hour }, world.time.clock.now().getTime());
    while (world.time.clock.now().getTime() < end - minute) await world.pass(minute);
    expect(begun(world)).toBe(0);
    await world.pass(2 * hour, minute);
    expect([begun(world), world.guard.of(provider)]).toEqual([90, undefined]);
  });

  it('waits for those of which it knows nothing yet', async () => {
    const of = ofMany(60, 12);
    const objects = observedObjects(of, { schema });
    const { promise, resolve } = Promise.withResolvers<void>();
    const world = await observingWorld({
      ...{ of, objects },
      async answer(event) {
        if (Number(event.name.slice(3)) >= 56) await promise;
        return answers(12)(event);
      },
    });
    await world.pass(hour + hour / 5, minute);
    expect(begun(world)).toBe(0);
    resolve();
    await world.pass(hour, minute);
    expect(begun(world)).toBe(12);
  });
});

describe('a release by a machine whose clock differs', () => {
  it.each([hour, -hour])('by %i ms costs one observation, and counts', async (ms) => {
    const drift = { ...changed, since: at(-2 * hour) };
    const of = [named('db', { spec: correct, status: { reason: 'Drifted', drift } })];
    const objects = observedObjects(of, { schema });
    const [stored] = objects.providers.items();
    if (stored === undefined) throw new Error('no provider');
    const time = manualTime();
    const world = await observingWorld({
      ...{ of, objects, time },
      answer: () =>
        new Promise((answered) => {
          time.timers.after(20, () => answered(found({ ...config, size: 3 })));
        }),
    });
    const end = wholeWindowEndAfter({ provider, everyMs: hour }, now.getTime());
    while (time.clock.now().getTime() < end - minute) await world.pass(20 * second);
    const { length } = world.observed();
    const correctionsReleased = new Date(time.clock.now().getTime() + ms).toISOString();
    objects.providers.put({ ...stored, spec: { ...stored.spec, correctionsReleased } });
    await world.pass(minute);
    world.change('db', {
      metadata: { ...world.get('db').metadata, annotations: { woken: 'yes' } },
    });
    await world.pass(10 * second, 20);
    expect(world.observed().length - length).toBe(1);
    expect(begun(world)).toBe(1);
  });
});
