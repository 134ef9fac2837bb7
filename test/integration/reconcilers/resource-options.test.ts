// Expiry, pause, orphaning and protection on a real API server, with a provider that records what it gets.
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import {
  fromReceiptObject,
  type ReceiptObject,
} from '../../../src/store/dead-letters/orphan-receipt-object.ts';
import { annotation, configMapKind, label, namespaceKind } from '../../../src/store/kinds.ts';
import { resourceRecord } from '../../../src/store/resources/state.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  type DeadLetterFixture,
  deadLetterFixture,
} from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();
const minutes = 60_000;

interface World {
  readonly fixture: DeadLetterFixture;
  /** The events that the provider got, as `DELETE db`. */
  readonly sent: string[];
  /** The wall clock of the controllers. */
  readonly clock: { aheadMs: number };
}

/** Names that begin with `stuck` cannot be deleted. */
async function aWorld(): Promise<World> {
  const sent: string[] = [];
  const clock = { ...systemClock, aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) };
  const fixture = await deadLetterFixture(real, {
    clock,
    before: async ({ type, name }) => void sent.push(`${type} ${name}`),
    answer: ({ type, name }) =>
      type === 'DELETE' && name.startsWith('stuck')
        ? { kind: 'failed', terminal: true, code: 'IN_USE', message: 'Somebody uses it' }
        : undefined,
    outputs: ({ name }) => ({ id: `id-${name}`, url: `box://${name}` }),
  });
  return { fixture, sent, clock };
}

const reads = async ({ fixture }: World, name: string) =>
  resourceRecord(await fixture.resource(name));

async function isReady(world: World, ...names: readonly string[]): Promise<void> {
  await eventually(async () => {
    for (const name of names) expect(await reads(world, name)).toMatchObject({ state: 'ready' });
  });
}

async function waits(world: World, name: string, reason: string, message: unknown): Promise<void> {
  await eventually(async () => expect(await reads(world, name)).toMatchObject({ reason, message }));
}

async function isGone({ fixture }: World, ...names: readonly string[]): Promise<void> {
  await eventually(async () => {
    const left = Object.values(await fixture.states()).flat();
    expect(left.filter((each) => names.includes(each))).toEqual([]);
  });
}

const uses = (name: string) => ({
  spec: { dependencies: [{ provider: 'box', resource: 'crate', name }] },
});
const expiresIn = (ms: number) => {
  const expiresAt = new Date(Date.now() + ms).toISOString();
  return { spec: { expiresAt } };
};

async function receiptOf({ fixture: { namespace } }: World, name: string, where = namespace) {
  const labelSelector = `${label.orphanReceipt}=true,${label.organizationNamespace}=${namespace}`;
  return await eventually(async () => {
    const found = await real.list<ReceiptObject>(configMapKind, {
      namespace: where,
      labelSelector,
    });
    const receipts = found.items.flatMap((each) => fromReceiptObject(each) ?? []);
    const receipt = receipts.find(({ resourceName }) => resourceName === name);
    expect(receipt).toBeDefined();
    return receipt;
  });
}

it('what expires goes after its users, also after a restart', async () => {
  const world = await aWorld();
  const { fixture, sent } = world;
  await fixture.apply(['db', 'app']);
  await fixture.patch('app', uses('db'));
  const first = fixture.run();
  await isReady(world, 'db', 'app');
  const { spec } = expiresIn(30 * minutes);
  await fixture.patch('db', { spec });
  await first.stop();

  const second = fixture.run();
  // A write by the new process shows that it has seen everything.
  await fixture.patch('app', { spec: { tags: ['seen'] } });
  await eventually(async () => {
    const { metadata, status } = await fixture.resource('app');
    expect(status?.observedGeneration).toBe(metadata.generation);
  });
  const before = second.dying.writes.length;

  world.clock.aheadMs = 31 * minutes;
  await fixture.patch('db', { spec: { tags: ['after the jump'] } });
  await waits(world, 'db', 'InUse', 'Used by box/crate/app');
  const [written] = second.dying.writes.slice(before);
  expect(written, 'nothing is written at the time but the deletion').toBe('delete Resource');
  expect((await fixture.resource('db')).metadata.annotations, 'no force').toBeUndefined();
  world.clock.aheadMs = 0;
  await fixture.remove('app');
  await isGone(world, 'db', 'app');
  expect(sent).toEqual(['CREATE db', 'CREATE app', 'DELETE app', 'DELETE db']);
});

it('what expired during an outage goes after it, and one that cannot be deleted is a dead letter', async () => {
  const world = await aWorld();
  const { fixture, sent } = world;
  await fixture.apply(['stuck', 'gone', 'waiting', 'kept']);
  await fixture.patch('waiting', { spec: { paused: true } });
  const first = fixture.run();
  await isReady(world, 'stuck', 'gone', 'kept');
  await first.stop();
  for (const name of ['stuck', 'gone', 'waiting']) await fixture.patch(name, expiresIn(-minutes));
  // Of deletions that never happened: their requests ended between two writes.
  const left = (mark: string) => ({ metadata: { annotations: { [mark]: 'true' } } });
  await fixture.patch('stuck', left(annotation.forceDeletion));
  await fixture.patch('gone', left(annotation.orphanDeletion));
  await fixture.patch('kept', expiresIn(60 * 24 * minutes));
  fixture.run();
  await isGone(world, 'gone', 'waiting');
  await waits(world, 'stuck', 'DeleteFailed', 'IN_USE: Somebody uses it');
  expect(await fixture.deadLetters()).toMatchObject([
    { eventType: 'DELETE', resourceName: 'stuck', errorCode: 'IN_USE' },
  ]);
  await isReady(world, 'kept');
  expect(sent.toSorted().slice(3)).toEqual(['DELETE gone', 'DELETE stuck']);
});

it('a pause holds events and deletion, what is in flight ends, and force passes', async () => {
  const world = await aWorld();
  const { fixture, sent } = world;
  await fixture.apply(['new', 'old']);
  const paused = { spec: { paused: true } };
  await fixture.patch('new', paused);
  fixture.run();
  await waits(world, 'new', 'Paused', 'Paused: spec.paused is true');
  await isReady(world, 'old');
  expect(sent).toEqual(['CREATE old']);
  await fixture.patch('new', { spec: { paused: false } });
  await isReady(world, 'new');

  await fixture.patch('old', { spec: { ...paused.spec, config: { size: 2 } } });
  await waits(world, 'old', 'Paused', 'Paused: spec.paused is true');
  await fixture.remove('old');
  await waits(world, 'old', 'Paused', 'Paused: spec.paused is true; its deletion waits');
  expect(sent).toEqual(['CREATE old', 'CREATE new']);
  await fixture.patch('old', { metadata: { annotations: { [annotation.forceDeletion]: 'true' } } });
  await isGone(world, 'old');
  expect(sent).toEqual(['CREATE old', 'CREATE new', 'DELETE old']);
});

it('what is orphaned stays outside, and its receipt keeps what identifies it', async () => {
  const world = await aWorld();
  const { fixture, sent } = world;
  await fixture.apply(['asked', 'declared']);
  await fixture.patch('declared', { spec: { deletionPolicy: 'Orphan' } });
  fixture.run();
  await isReady(world, 'asked', 'declared');
  await fixture.patch('asked', {
    metadata: { annotations: { [annotation.orphanDeletion]: 'true' } },
  });
  for (const name of ['asked', 'declared']) {
    await fixture.remove(name);
    await isGone(world, name);
    expect(await receiptOf(world, name)).toMatchObject({
      reason: 'OrphanPolicy',
      protected: false,
      outputs: { id: `id-${name}` },
    });
  }
  expect(sent.filter((each) => each.startsWith('DELETE'))).toEqual([]);
});

it('a protected resource gets no DELETE, and leaves a receipt when its finalizer is removed or its namespace goes', async () => {
  const world = await aWorld();
  const { fixture, sent } = world;
  const { namespace } = fixture;
  await fixture.apply(['by-hand', 'taken-along', 'other', 'unknown']);
  await fixture.patch('unknown', { spec: { paused: true, protected: true } });
  fixture.run();
  await isReady(world, 'by-hand', 'taken-along', 'other');
  await fixture.patch('taken-along', { spec: { protected: true } });
  // A pause gives the time to protect it after the request, which the policy would refuse.
  await fixture.patch('by-hand', { spec: { paused: true } });
  await fixture.remove('by-hand');
  await waits(world, 'by-hand', 'Paused', expect.stringContaining('its deletion waits'));
  await fixture.patch('by-hand', { spec: { protected: true, paused: false } });
  await waits(
    world,
    'by-hand',
    'Protected',
    expect.stringContaining('until spec.protected is false'),
  );
  await fixture.patch('by-hand', { metadata: { finalizers: [] } });
  const identified = (name: string) => ({ protected: true, outputs: { id: `id-${name}` } });
  expect(await receiptOf(world, 'by-hand')).toMatchObject({
    reason: 'FinalizerRemoved',
    ...identified('by-hand'),
  });

  await expect(fixture.remove('taken-along')).rejects.toThrow('is protected and cannot be deleted');
  await real.delete(namespaceKind, { name: namespace });
  // The API server, which knows of the namespace a moment later, then deletes what is in it.
  for (const name of ['taken-along', 'other', 'unknown']) {
    await eventually(() => fixture.remove(name));
  }
  await isGone(world, 'taken-along', 'other', 'unknown');
  expect(await receiptOf(world, 'taken-along', 'default')).toMatchObject({
    reason: 'NamespaceDeleted',
    ...identified('taken-along'),
  });
  expect(sent.filter((each) => each.startsWith('DELETE'))).toEqual(['DELETE other']);
});

it('an integer of kubectl that a provider would get rounded is not sent', async () => {
  const world = await aWorld();
  // Numbers of JavaScript are rounded already.
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const big = rawJSON('9007199254740993');
  const places = {
    'config.big': { big },
    'config.deep.list.0.n': { deep: { list: [{ n: big }] } },
  };
  for (const [index, config] of Object.values(places).entries()) {
    await world.fixture.apply([`big${index}`], { config } as object);
  }
  await world.fixture.apply(['exact'], { config: { big: Number.MAX_SAFE_INTEGER } });
  world.fixture.run();
  await isReady(world, 'exact');
  const says = 'Integers beyond 2^53 - 1 lose precision; declare a string';
  for (const [index, place] of Object.keys(places).entries()) {
    await waits(world, `big${index}`, 'InvalidConfig', `INVALID_CONFIG: ${place}: ${says}`);
    expect(await reads(world, `big${index}`)).toMatchObject({ state: 'failed' });
  }
  expect(world.sent).toEqual(['CREATE exact']);
});
