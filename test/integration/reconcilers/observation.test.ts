// Drift and its correction, with the brakes, on a real API server.
import { expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { definitionNameOf } from '../../../src/domain/identity.ts';
import { annotation, kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  aWorld,
  hour,
  isScheduled,
  nextInterval,
  observed,
  recordOf,
  shows,
  wake,
  writesOf,
} from '../../support/fixtures/observation/observed-world.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();

it('drift appears once, is written once, and disappears once', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  await fixture.apply(['db'], { config: { size: 2, tags: ['a', 'b'], password: 'first-secret' } });
  const running = fixture.run();
  await isScheduled(world, 'db');

  // The order of a set is no difference, nor what nobody declared, nor a secret.
  const same = { size: 2, tags: ['b', 'a'], password: 'other-secret', zone: 'eu' };
  cloud.objects.set('db', same);
  const inSync = writesOf(running);
  expect(await nextInterval(world, 'db')).toBe('in_sync');
  expect(await observed(world, 'db')).toMatchObject({ exists: true, compared: 2, unknown: 0 });
  await eventually(() => expect(inSync(), 'only the answer').toEqual(['status Resource']));

  cloud.objects.set('db', { ...same, size: 3 });
  const changed = writesOf(running);
  expect(await nextInterval(world, 'db')).toBe('changed');
  const changes = [{ path: '/size', declared: 2, actual: 3, omitted: false }];
  await shows(world, 'db', {
    state: 'ready',
    reason: 'Drifted',
    message: '1 of 2 compared values differs from the config: /size',
    drift: { kind: 'changed', changes, total: 1, compared: 2, unknown: 0 },
  });
  const { since } = (await recordOf(world, 'db')).drift ?? {};
  const { conditions = [] } = (await fixture.resource('db')).status ?? {};
  expect(conditions).toMatchObject([
    { type: 'Ready', status: 'True', reason: 'Drifted' },
    { type: 'Drifted', status: 'True' },
  ]);
  expect(await nextInterval(world, 'db')).toBe('changed');
  expect(await recordOf(world, 'db')).toMatchObject({ drift: { since } });
  expect(changed(), 'once').toEqual(['status Resource']);

  cloud.objects.set('db', same);
  expect(await nextInterval(world, 'db')).toBe('in_sync');
  await shows(world, 'db', { state: 'ready', reason: 'Processed', drift: null });
  expect(changed(), 'and once').toEqual(['status Resource', 'status Resource']);
  expect(cloud.count('UPDATE'), 'it only reports').toBe(0);

  // Of a type that is not observed any more, nothing is known.
  cloud.objects.set('db', { ...same, size: 3 });
  await observed(world, 'db');
  await shows(world, 'db', { reason: 'Drifted' });
  const { namespace } = fixture;
  const type = { namespace, name: definitionNameOf('box', 'crate') };
  await real.patch(kinds.definition, type, { spec: { observe: false } });
  await shows(world, 'db', { state: 'ready', reason: 'Processed', drift: null });
});

it('what the provider leaves out is unknown, and what is ignored is not compared', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  await fixture.apply(['db'], {
    config: { size: 2, tags: ['a'], limits: { cpu: 1, memory: 2 } },
    observe: { every: 'never', ignore: ['/limits/cpu'] },
  });
  fixture.run();
  await shows(world, 'db', { state: 'ready' });
  cloud.objects.set('db', { size: 9, tags: ['z'], limits: { cpu: 5, memory: 2 } });
  cloud.forgotten.add('tags');
  expect(await observed(world, 'db')).toMatchObject({ compared: 2, unknown: 1 });
  await shows(world, 'db', { drift: { total: 1, compared: 2, unknown: 1 } });
});

it('only the explicit answer is gone: failures are reported after three intervals, and end', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  await fixture.apply(['db'], { config: { size: 2 }, observe: { onDrift: 'Correct' } });
  const running = fixture.run();
  await isScheduled(world, 'db');
  cloud.knobs.fails = true;
  const writes = writesOf(running);
  for (const _ of [1, 2]) expect(await nextInterval(world, 'db')).toBe('not_observed');
  expect(writes()).toEqual([]);
  expect(await nextInterval(world, 'db')).toBe('not_observed');
  await eventually(async () => {
    const { conditions = [] } = (await fixture.resource('db')).status ?? {};
    expect(conditions.find(({ type }) => type === 'Observed')).toMatchObject({
      status: 'False',
      reason: 'ObserveFailed',
      message: 'Not observed: no answer',
    });
  });
  expect(await nextInterval(world, 'db')).toBe('not_observed');
  expect(writes(), 'once').toEqual(['status Resource']);
  expect(await recordOf(world, 'db')).toMatchObject({ state: 'ready', drift: null });
  expect(await observed(world, 'db')).toMatchObject({ error: 'no answer' });
  cloud.knobs.fails = false;
  expect(await observed(world, 'db')).toMatchObject({ exists: true });
  const { conditions = [] } = (await fixture.resource('db')).status ?? {};
  expect(conditions.map(({ type }) => type)).toEqual(['Ready']);
  expect(await fixture.deadLetters()).toEqual([]);
});

it('an event that becomes due ends a running observation, whose answer is dropped', async () => {
  const world = await aWorld(real);
  const { fixture, cloud } = world;
  await fixture.apply(['db'], { config: { size: 2 }, observe: { every: 'never' } });
  fixture.run();
  await shows(world, 'db', { state: 'ready' });
  const paused = Promise.withResolvers<void>();
  cloud.knobs.pause = paused.promise;
  const annotations = { [annotation.observe]: 'while-it-changes' };
  await fixture.patch('db', { metadata: { annotations } });
  cloud.objects.set('db', { size: 7 });
  await fixture.change('db', { size: 3 });
  await eventually(async () => expect(cloud.objects.get('db')).toEqual({ size: 3 }));
  paused.resolve();
  await shows(world, 'db', { state: 'ready', drift: null });
  await eventually(async () => {
    const { status } = await fixture.resource('db');
    expect(status?.observation).toMatchObject({ request: 'while-it-changes', compared: 1 });
  });
  expect(await recordOf(world, 'db')).toMatchObject({ drift: null });
});

it('a correction begins after the window, once in an interval, and gives up after three that did not last', async () => {
  const world = await aWorld(real);
  const { fixture, cloud, clock } = world;
  await fixture.apply(['db'], { config: { size: 2 }, observe: { onDrift: 'Correct' } });
  fixture.run();
  await shows(world, 'db', { state: 'ready' });
  cloud.objects.set('db', { size: 5 });
  await observed(world, 'db');
  await shows(world, 'db', { reason: 'Drifted' });
  expect(cloud.count('UPDATE'), 'not before the others of the provider were observed').toBe(0);
  clock.aheadMs += 2 * hour;
  await wake(world, 'db');
  await eventually(() => expect(cloud.objects.get('db')).toEqual({ size: 2 }));
  await isScheduled(world, 'db');

  for (const corrections of [2, 3]) {
    cloud.objects.set('db', { size: 5 });
    clock.aheadMs += 2 * hour;
    await wake(world, 'db');
    await shows(world, 'db', { reason: 'Drifted' });
    clock.aheadMs += 2 * hour;
    await wake(world, 'db');
    await eventually(() => expect(cloud.count('UPDATE')).toBe(corrections));
    await isScheduled(world, 'db');
  }
  cloud.objects.set('db', { size: 5 });
  clock.aheadMs += 2 * hour;
  await wake(world, 'db');
  await shows(world, 'db', { reason: 'CorrectionLoop', drift: { kind: 'changed' } });
  clock.aheadMs += 4 * hour;
  await wake(world, 'db');
  await observed(world, 'db');
  expect(cloud.count('UPDATE'), 'two managers fight: it only reports').toBe(3);

  await fixture.patch('db', { spec: { tags: ['looked at'] } });
  clock.aheadMs += 2 * hour;
  await wake(world, 'db');
  await eventually(() => expect(cloud.count('UPDATE')).toBe(4));
});

it('what is gone is created again, with nothing of before, and not while paused', async () => {
  const world = await aWorld(real);
  const { fixture, cloud, clock } = world;
  const observe = { onDrift: 'Correct' } as const;
  await fixture.apply(['db', 'resting'], { config: { size: 2 }, observe });
  fixture.run();
  await shows(world, 'db', { state: 'ready' });
  await shows(world, 'resting', { state: 'ready' });
  await fixture.patch('resting', { spec: { paused: true } });
  cloud.objects.clear();
  await observed(world, 'db');
  await observed(world, 'resting');
  for (const name of ['db', 'resting'])
    await shows(world, name, { state: 'ready', reason: 'Gone' });
  const { conditions = [] } = (await fixture.resource('db')).status ?? {};
  expect(conditions).toMatchObject([{ type: 'Ready', status: 'False' }, { type: 'Drifted' }]);
  clock.aheadMs += 2 * hour;
  await wake(world, 'db', 'resting');
  await eventually(() => expect(cloud.objects.has('db')).toBe(true));
  await shows(world, 'db', { state: 'ready', reason: 'Processed', outputs: { id: 'db' } });
  await observed(world, 'resting');
  expect(cloud.count('CREATE')).toBe(3);
  await fixture.patch('resting', { spec: { paused: false } });
  await eventually(() => expect(cloud.objects.has('resting')).toBe(true));
});

it('an observer that says gone for everything leads to no CREATE, until a person releases it', async () => {
  const world = await aWorld(real);
  const { fixture, cloud, clock } = world;
  const names = Array.from({ length: 12 }, (_, at) => `db-${at}`);
  await fixture.apply(names, { config: { size: 2 }, observe: { onDrift: 'Correct' } });
  const first = fixture.run();
  await isScheduled(world, ...names);
  cloud.knobs.lies = true;
  clock.aheadMs += hour;
  await wake(world, ...names);
  for (const name of names) await shows(world, name, { reason: 'Gone' });
  // As after an outage: the interval in which they turned is long over.
  clock.aheadMs += 5 * hour;
  await wake(world, ...names);
  const { namespace } = fixture;
  const provider = () => real.get<Provider>(kinds.provider, { namespace, name: 'box' });
  const held = async () =>
    (await provider()).status?.conditions?.find(({ type }) => type === 'CorrectionsHeld');
  await eventually(async () => {
    expect(await held()).toMatchObject({
      status: 'True',
      message: expect.stringContaining('12 of 12 observed resources'),
    });
  });
  await first.stop();
  // It holds in the next process, and long after the interval.
  fixture.run();
  clock.aheadMs += 5 * hour;
  await wake(world, ...names);
  for (const name of names) await observed(world, name);
  expect(cloud.count('CREATE')).toBe(names.length);

  // What has been repaired meanwhile is not created again.
  const repaired = 'db-0';
  cloud.knobs.lies = false;
  for (const name of names.slice(1)) cloud.objects.delete(name);
  const correctionsReleased = (await held())?.lastTransitionTime;
  const patch = { spec: { correctionsReleased } };
  await real.patch(kinds.provider, { namespace, name: 'box' }, patch);
  await eventually(async () => expect(await held()).toBeUndefined());
  await eventually(() => expect(cloud.count('CREATE')).toBe(2 * names.length - 1));
  expect(cloud.received.filter((each) => each === `CREATE ${repaired}`)).toHaveLength(1);
  await shows(world, repaired, { state: 'ready', drift: null });
});
