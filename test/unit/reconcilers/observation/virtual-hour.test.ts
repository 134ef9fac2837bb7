// An hour of many resources, in which nothing differs.
import { expect, it } from 'vitest';
import { windowEndAfter } from '../../../../src/domain/observation/schedule.ts';
import type { Answer } from '../../../../src/events/protocol.ts';
import { now, readyResource } from '../../../support/fixtures/builders.ts';
import { found, hour, minute } from '../../../support/fixtures/observation/observed-subjects.ts';
import {
  observedObjects,
  observingController,
  width,
} from '../../../support/fixtures/observation/observing-controller.ts';
import { type ManualTime, manualTime } from '../../../support/runner/manual-time.ts';

/** So long a provider works on an observation; time passes in such steps. */
const answerMs = 200;

const named = (index: number) =>
  readyResource({
    spec: { name: `orders-${index}`, config: { name: `orders-${index}`, size: 2 } },
    metadata: { uid: `uid-${index}`, name: `orders-${index}` },
    status: { appliedSecrets: [] },
  });
const many = (count: number) => Array.from({ length: count }, (_, index) => named(index));

/** Whatever a controller writes ends a test. */
const noWrites = {
  writeStatus: () => expect.unreachable('it wrote a status'),
  runAgain: () => expect.unreachable('it began a correction'),
};

function inSync(time: ManualTime, objects: ReturnType<typeof observedObjects>) {
  return observingController({
    ...{ time, objects, claims: noWrites },
    answer: ({ config }) =>
      new Promise<Answer>((resolve) => {
        time.timers.after(answerMs, () => resolve(found({ ...config, zone: 'eu' })));
      }),
  });
}

it('observes 10,000 resources once in an hour, within a tenth of it, eight at a time, without a write', async () => {
  const count = 10_000;
  const time = manualTime();
  const world = inSync(time, observedObjects(many(count)));
  await world.start();
  expect(world.asked, 'nothing is observed because a process starts').toEqual([]);
  await world.pass(hour, answerMs);
  const times = world.asked.map(({ at }) => at);
  expect(new Set(world.asked.map(({ name }) => name)).size).toBe(count);
  expect(times.length, 'once').toBe(count);
  expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(hour / 10);
  expect(world.underWay).toEqual({ now: 0, most: width });
  expect(world.outcomes.filter((outcome) => outcome !== 'in_sync')).toEqual([]);
  expect([world.outcomes.length, world.news.length]).toEqual([count, 0]);
  expect([world.queue.depth, world.queue.delayed]).toEqual([0, count]);
  await world.stop();
});

it('observes nothing twice, and catches up with nothing, when processes restart meanwhile', async () => {
  const count = 500;
  const { metadata, spec } = named(0);
  const provider = `${metadata.namespace}/${spec.provider}`;
  const end = windowEndAfter({ provider, everyMs: hour }, now.getTime());
  const time = manualTime(new Date(end - hour / 10));
  const objects = observedObjects(many(count));
  const asked: string[] = [];
  let lost = 0;
  for (let process = 0; process < 6; process += 1) {
    const world = inSync(time, objects);
    await world.start();
    await world.pass(minute, answerMs);
    asked.push(...world.asked.map(({ name }) => name));
    lost += world.asked.length - world.outcomes.length;
    // Its observations are aborted with it.
    void world.stop();
    await world.pass(answerMs);
  }
  expect(new Set(asked).size, 'none twice').toBe(asked.length);
  expect(asked.length).toBeGreaterThan(count - 6 * width);
  expect(lost).toBeLessThanOrEqual(6 * width);
});
