// What follows from observations: corrections with their brakes, and the outputs of what is only observed.
import { describe, expect, it } from 'vitest';
import { keyOf, objectNameOf } from '../../../../src/domain/identity.ts';
import { windowEndAfter } from '../../../../src/domain/observation/schedule.ts';
import { resolveReferences } from '../../../../src/domain/references/references.ts';
import {
  aReadOnlySubject,
  found,
  gone,
  hour,
  minute,
  notThere,
  type ObservedShape,
} from '../../../support/fixtures/observation/observed-subjects.ts';
import { observedObjects } from '../../../support/fixtures/observation/observing-controller.ts';
import {
  config,
  named,
  observingWorld,
  schema,
  slowProvider,
} from '../../../support/fixtures/observation/observing-world.ts';

const correct = { observe: { onDrift: 'Correct' } } as const;

describe('corrections', () => {
  it('are counted, and then begun, after the window', async () => {
    const world = await observingWorld({ of: [named('db', { spec: correct })] });
    world.cloud.says = found({ ...config, size: 3 });
    await world.pass(hour + hour / 10, 1_000);
    expect(world.writes).toEqual(['db Drifted', 'db Drifted', 'db runs again']);
    const { spec, status, metadata } = world.get('db');
    expect([spec.retry, metadata.generation]).toEqual([1, 2]);
    expect(status?.corrections).toMatchObject({ count: 1, generation: 2 });
    expect(world.news.map(({ message }) => message)).toEqual([
      '1 of 1 compared values differs from the config: /size',
      'Correcting: 1 of 1 compared values differs from the config: /size',
    ]);
    await world.pass(9 * hour, minute);
    expect(world.writes.length, 'another content is under way').toBe(3);
  });

  it.each<[string, NonNullable<ObservedShape['spec']>]>([
    ['when drift is only reported', {}],
    ['while the resource is paused', { ...correct, paused: true }],
  ])('do not begin %s', async (_name, spec) => {
    const world = await observingWorld({ of: [named('db', { spec })] });
    world.cloud.says = notThere;
    await world.pass(5 * hour, minute);
    expect([world.writes, world.get('db').status?.reason]).toEqual([['db Gone'], 'Gone']);
  });

  it('do not begin when everything is gone, in this process and in the next, until they are released', async () => {
    const of = Array.from({ length: 12 }, (_, index) => named(`db-${index}`, { spec: correct }));
    const objects = observedObjects(of, { schema });
    const first = await observingWorld({ of, objects });
    first.cloud.says = notThere;
    await first.pass(5 * hour, minute);
    expect(first.writes.filter((each) => each.includes('again'))).toEqual([]);
    const hold = first.guard.of(`${of[0]?.metadata.namespace}/postgres`);
    expect(hold).toMatchObject({ observed: 12, drifted: 12 });
    await first.stop();

    const { time } = first;
    const second = await observingWorld({ of, objects, time });
    second.cloud.says = notThere;
    await second.pass(5 * hour, minute);
    expect(second.writes).toEqual([]);
    const [provider] = objects.providers.items();
    if (provider === undefined) throw new Error('no provider');
    const correctionsReleased = time.clock.now().toISOString();
    objects.providers.put({ ...provider, spec: { ...provider.spec, correctionsReleased } });
    await second.pass(2 * hour, minute);
    expect(second.writes.filter((each) => each.includes('again')).length).toBe(12);
  });

  it('wait for those that got a slot, and are not looked at yet', async () => {
    const of = Array.from({ length: 12 }, (_, index) => named(`db-${index}`, { spec: correct }));
    const slow = slowProvider();
    const handedOut: string[] = [];
    const onFree = (key: string) => void handedOut.push(key);
    const world = await observingWorld({ of, answer: slow.answer, onFree });
    const provider = `${of[0]?.metadata.namespace}/postgres`;
    const now = () => world.time.clock.now().getTime();
    await world.pass(windowEndAfter({ provider, everyMs: hour }, now()) - now() - 1_000, minute);
    slow.gives(notThere);
    await world.pass(minute, 1_000);
    expect([world.writes.length, handedOut.length], '8 are gone, and 4 come next').toEqual([8, 4]);
    for (const key of handedOut) world.queue.add(key);
    await world.pass(minute, 1_000);
    // All of them are gone, so nothing is corrected.
    expect(world.writes.length).toBe(12);
    expect(world.writes.filter((each) => each.includes('again'))).toEqual([]);
    expect(world.guard.of(provider)).toMatchObject({ drifted: 12 });
  });

  it('begin for the few that are gone of many', async () => {
    const lost = { reason: 'Gone', drift: gone } as const;
    const of = Array.from({ length: 60 }, (_, index) =>
      named(`db-${index}`, { spec: correct, ...(index < 12 && { status: lost }) }),
    );
    const world = await observingWorld({
      of,
      answer: ({ outputs, name }) =>
        Number(name.slice(3)) < 12 ? notThere : found(config, outputs),
    });
    await world.pass(3 * hour, minute);
    expect(world.writes.filter((each) => each.includes('again')).length).toBe(12);
  });
});

describe('what is only observed', () => {
  const readOnly = (shape: ObservedShape = {}) =>
    aReadOnlySubject({
      ...shape,
      metadata: { name: 'db', uid: 'uid-db' },
      spec: { name: 'db', config: { id: 'x' }, ...shape.spec },
    }).resource;

  it('is observed at once, and every minute until it is there', async () => {
    const world = await observingWorld({ of: [readOnly()], answer: () => notThere });
    expect([world.observed(), world.writes]).toEqual([['db'], ['db NotFound']]);
    await world.pass(5 * minute, minute);
    expect(world.observed().length).toBe(6);
    expect(world.writes).toEqual(['db NotFound']);
  });

  it('is asked for with its declared config, and has the outputs of its object', async () => {
    const outputs = { url: 'y' };
    const world = await observingWorld({
      of: [readOnly()],
      answer: () => found({ size: 5 }, outputs),
    });
    expect(world.asked[0]?.event).toMatchObject({ config: { id: 'x' }, previousConfig: null });
    expect(world.get('db').status).toMatchObject({ state: 'ready', reason: 'Found', outputs });
    await world.pass(5 * hour, minute);
    expect([world.observed().length, world.writes]).toEqual([6, ['db Found']]);
  });

  const reference = `\${postgres/database/dep.outputs.zone}`;

  it('has the outputs with which it was asked for, and not those of the time of the answer', async () => {
    const name = objectNameOf(keyOf({ provider: 'postgres', resource: 'database', name: 'dep' }));
    const dependency = (zone: string) =>
      named(name, { spec: { name: 'dep' }, status: { outputs: { zone } } });
    const hashIn = (zone: string) => resolveReferences({ zone: reference }, () => ({ zone })).hash;
    const slow = slowProvider();
    const net = readOnly({ spec: { config: { zone: reference } } });
    const world = await observingWorld({ of: [net, dependency('eu')], answer: slow.answer });
    expect(world.asked[0]?.event.config).toEqual({ zone: 'eu' });
    world.objects.resources.put(dependency('us'));
    slow.gives(found({ zone: 'eu' }));
    await world.settle();
    const { references, reason } = world.get('db').status ?? {};
    expect([references, reason]).toEqual([hashIn('eu'), 'Found']);
  });

  it('is not asked for with the text of a reference', async () => {
    const net = readOnly({ spec: { config: { zone: reference } } });
    const world = await observingWorld({ of: [net], answer: () => notThere });
    await world.request('db', 'r-1');
    expect(world.observed()).toEqual([]);
    const { observation, reason } = world.get('db').status ?? {};
    const error = 'The config refers to an output that does not exist';
    expect([reason, observation]).toMatchObject(['Observing', { request: 'r-1', error }]);
  });
});
