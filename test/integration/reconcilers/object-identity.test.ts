// One object has one resource in an organization, by the identity that its type declares, on a real API server.
import { expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { definitionNameOf } from '../../../src/domain/identity.ts';
import type { Answer, OutgoingEvent } from '../../../src/events/protocol.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { byPrecedence } from '../../../src/store/resources/managed-objects/precedence.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { aWorld, shows, type World } from '../../support/fixtures/observation/observed-world.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();
const byId = { outputs: { id: '/id' }, adopt: { id: '/id' } };
const adoptOf = (id: string) => ({ id }) as JsonObject as Resource['spec']['adopt'];

async function identified(): Promise<World> {
  const world = await aWorld(real);
  await declare(world, byId);
  return world;
}

async function declare({ fixture }: World, identity: typeof byId | object): Promise<void> {
  const ref = { namespace: fixture.namespace, name: definitionNameOf('box', 'crate') };
  await real.patch(kinds.definition, ref, { spec: { identity } });
}

/** Makes the provider answer some events with the object of another one. */
function answering({ cloud }: World, outputsOf: (event: OutgoingEvent) => JsonObject | undefined) {
  const { answer } = cloud;
  cloud.answer = (event): Answer => {
    const outputs = outputsOf(event);
    if (outputs === undefined || event.type === 'DELETE' || event.type === 'OBSERVE') {
      return answer(event);
    }
    cloud.received.push(`${event.type} ${event.name}`);
    return { kind: 'succeeded', outputs };
  };
}

const sentFor = ({ cloud }: World, name: string) =>
  cloud.received.filter((each) => each.endsWith(` ${name}`));

async function areGone({ fixture }: World, ...names: readonly string[]): Promise<void> {
  await eventually(async () => {
    const left = Object.values(await fixture.states()).flat();
    expect(left.filter((name) => names.includes(name))).toEqual([]);
  });
}

it('[K28] an object that a resource created is not imported as another one', async () => {
  const world = await identified();
  const { fixture, cloud } = world;
  await fixture.apply(['made'], { config: { size: 2 } });
  fixture.run();
  await shows(world, 'made', { state: 'ready' });
  expect((await fixture.resource('made')).status?.identity).toMatch(/^[0-9a-f]{32}$/);
  await fixture.apply(['twin'], { config: { size: 2 }, adopt: adoptOf('made') });
  await fixture.apply(['reader'], { config: {}, adopt: adoptOf('made'), management: 'Observed' });
  const names = expect.stringContaining('Resource box/crate/made stands for the object');
  await shows(world, 'twin', { state: 'failed', reason: 'ObjectTaken', error: names });
  await shows(world, 'reader', { state: 'pending', reason: 'ObjectTaken', message: names });
  expect([sentFor(world, 'twin'), sentFor(world, 'reader')]).toEqual([[], []]);

  // An orphaned object is free.
  await fixture.patch('made', { spec: { deletionPolicy: 'Orphan' } });
  await fixture.remove('made');
  await areGone(world, 'made');
  await fixture.remove('reader');
  await areGone(world, 'reader');
  await fixture.patch('twin', { spec: { retry: 1 } });
  await shows(world, 'twin', { state: 'ready', reason: 'Imported' });
  expect(cloud.objects.has('made')).toBe(true);
});

it('[K28] a CREATE that finds the object of another resource fails, and its deletion leaves it', async () => {
  const world = await identified();
  const { fixture, cloud } = world;
  await fixture.apply(['owner'], { config: { size: 2 } });
  const running = fixture.run();
  await shows(world, 'owner', { state: 'ready' });
  answering(world, ({ name }) => (name === 'thief' ? { id: 'owner' } : undefined));
  await fixture.apply(['thief'], { config: { size: 3 } });
  await shows(world, 'thief', {
    ...{ state: 'failed', reason: 'ObjectTaken', outputs: {} },
    error: expect.stringContaining('ALREADY_EXISTS: The provider answered with an object'),
  });
  expect(await fixture.deadLetters()).toMatchObject([{ errorCode: 'ALREADY_EXISTS' }]);
  await running.stop();

  // Whoever goes on after a crash knows as much.
  fixture.run();
  await fixture.remove('thief');
  await areGone(world, 'thief');
  expect(sentFor(world, 'thief')).toEqual(['CREATE thief']);
  expect(cloud.objects.has('owner')).toBe(true);
  await shows(world, 'owner', { state: 'ready' });

  // Another name is another object.
  answering(world, ({ name }) => (name === 'second' ? { id: 'other' } : undefined));
  await fixture.apply(['second'], { config: { size: 3 } });
  await shows(world, 'second', { state: 'ready', outputs: { id: 'other' } });
});

it('[K28] one that only observes gives way to who makes the object, and is not taken over', async () => {
  const world = await identified();
  const { fixture, cloud } = world;
  await fixture.apply(['net'], { config: { size: 2 }, management: 'Observed' });
  fixture.run();
  cloud.objects.set('net', { size: 2 });
  await shows(world, 'net', { state: 'ready', reason: 'Found' });
  answering(world, ({ name }) => (name === 'maker' ? { id: 'net' } : undefined));
  await fixture.apply(['maker'], { config: { size: 2 } });
  await shows(world, 'maker', { state: 'ready' });
  const refused = {
    ...{ state: 'pending', reason: 'ObjectTaken' },
    message: expect.stringContaining('crate/maker'),
  };
  await shows(world, 'net', refused);
  const before = sentFor(world, 'net').length;
  await fixture.patch('net', { spec: { management: 'Managed' } });
  await eventually(async () => {
    const { metadata, status } = await fixture.resource('net');
    expect(status?.observedGeneration).toBe(metadata.generation);
  });
  await shows(world, 'net', refused);
  await fixture.remove('net');
  await areGone(world, 'net');
  expect(sentFor(world, 'net').slice(before)).toEqual([]);
  expect(cloud.objects.has('net')).toBe(true);
});

it('[K28] of two that have one object since their type changed, the later one gets no event', async () => {
  const world = await identified();
  const { fixture } = world;
  answering(world, ({ name }) => ({ id: name, region: 'eu' }));
  await fixture.apply(['a', 'b'], { config: { size: 2 } });
  fixture.run();
  await shows(world, 'a', { state: 'ready' });
  await shows(world, 'b', { state: 'ready' });
  const [first, second] = [await fixture.resource('a'), await fixture.resource('b')]
    .sort(byPrecedence)
    .map((each) => each.spec.name) as [string, string];
  await declare(world, { outputs: { id: '/region' }, adopt: { id: '/id' } });
  await fixture.patch(second, { spec: { config: { size: 3 } } });
  await shows(world, second, { state: 'pending', reason: 'ObjectTaken' });
  await fixture.patch(first, { spec: { config: { size: 3 } } });
  await shows(world, first, { state: 'ready', config: { size: 3 } });
  expect(sentFor(world, second)).toEqual([`CREATE ${second}`]);
  await declare(world, byId);
  await shows(world, second, { state: 'ready', config: { size: 3 } });
  expect(sentFor(world, second)).toEqual([`CREATE ${second}`, `UPDATE ${second}`]);
});

/** Holds the answers to CREATEs until each is released. */
function held({ cloud }: World, ...names: readonly string[]): (name: string) => void {
  const holds = new Map(names.map((name) => [name, Promise.withResolvers<void>()]));
  cloud.knobs.hold = ({ type, name }) => (type === 'CREATE' ? holds.get(name)?.promise : undefined);
  return (name) => holds.get(name)?.resolve();
}

async function areSent({ fixture }: World, ...names: readonly string[]): Promise<void> {
  await eventually(() => expect(fixture.received).toEqual(expect.arrayContaining([...names])));
}

it('[K28] of several CREATEs that name one object at once, the first answer is recorded', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const world = await identified();
  const { fixture } = world;
  answering(world, () => ({ id: 'one' }));
  const release = held(world, ...names);
  await fixture.apply(names, { config: { size: 2 } });
  fixture.run();
  await areSent(world, ...names);
  for (const name of names.toReversed()) release(name);
  await shows(world, 'f', { state: 'ready', outputs: { id: 'one' } });
  const losers = names.filter((name) => name !== 'f');
  for (const name of losers) {
    const error = expect.stringMatching(/^ALREADY_EXISTS: .*Resource box\/crate\/f stands for/);
    await shows(world, name, { state: 'failed', reason: 'ObjectTaken', error, outputs: {} });
    await fixture.remove(name);
  }
  await areGone(world, ...losers);
  expect(losers.flatMap((name) => sentFor(world, name))).toEqual(
    losers.map((name) => `CREATE ${name}`),
  );
  await shows(world, 'f', { state: 'ready', reason: 'Processed' });
});

it('[K28] a resource that is deleted while two CREATEs make one object leaves it to the other', async () => {
  const world = await identified();
  const { fixture } = world;
  answering(world, () => ({ id: 'one' }));
  const release = held(world, 'a', 'b');
  await fixture.apply(['a', 'b'], { config: { size: 2 } });
  fixture.run();
  await areSent(world, 'a', 'b');
  const [elder, younger] = [await fixture.resource('a'), await fixture.resource('b')]
    .sort(byPrecedence)
    .map((each) => each.spec.name) as [string, string];
  await fixture.remove(elder);
  release(younger);
  release(elder);
  await areGone(world, elder);
  await shows(world, younger, { state: 'ready', outputs: { id: 'one' } });
  expect(sentFor(world, elder)).toEqual([`CREATE ${elder}`]);
});
