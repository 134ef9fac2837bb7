// The controllers die after each write of a correction, an import, a takeover and a forced deletion, on a real API server, and others
// continue. An import changes nothing, no correction begins twice in an interval, and every end is that of an undisturbed run.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import type { OutgoingEvent } from '../../../src/events/protocol.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { createReceiptStore } from '../../../src/store/dead-letters/orphan-receipts.ts';
import { annotation } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  type DeadLetterFixture,
  isStep,
} from '../../support/fixtures/dead-letters/dead-letter-fixture.ts';
import {
  aWorld,
  hour,
  observed,
  shows,
  type World,
  wake,
} from '../../support/fixtures/observation/observed-world.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();
const config = { size: 2 };

interface Watched extends World {
  /** What the provider received, without observations by schedule or request. */
  readonly events: OutgoingEvent[];
  of(name: string): readonly OutgoingEvent[];
}

async function aWatchedWorld(): Promise<Watched> {
  const world = await aWorld(real);
  const events: OutgoingEvent[] = [];
  const { answer } = world.cloud;
  world.cloud.answer = (event) => {
    if (!event.id.startsWith('obs-')) events.push(event);
    return answer(event);
  };
  return { ...world, events, of: (name) => events.filter((each) => each.name === name) };
}

/**
 * Lets the controllers die after a write, and others continue. @param succeed what follows when the others begin
 * @returns a function that ends them, and their writes before the death
 */
function mortal(fixture: DeadLetterFixture, lastWrite: number, succeed?: () => Promise<void>) {
  const first = fixture.run(lastWrite);
  let running = first;
  let over = false;
  const successor = (async () => {
    while (!over && !first.dying.isDead) await pause(10);
    if (over) return;
    await first.stop();
    running = fixture.run();
    await succeed?.();
  })();
  return async () => {
    over = true;
    await successor;
    await running.stop();
    return { writes: first.dying.accepted.filter(isStep), died: first.dying.isDead };
  };
}

interface Scenario {
  /** Before the first write that counts, for all runs at once. */
  readonly prepare?: (world: Watched, names: readonly string[]) => Promise<void>;
  /** Before the controllers run. */
  readonly begin?: (world: Watched, name: string) => Promise<void>;
  /** From the cause to the end, and what holds there. */
  readonly run: (world: Watched, name: string) => Promise<void>;
  /** When others continue. */
  readonly succeed?: (world: Watched, name: string) => Promise<void>;
  /** Of an undisturbed run. */
  readonly writes: readonly string[];
}

/** A dead letter is marked as superseded at any time. */
const besides = 'patch ConfigMap';

async function walk({
  prepare,
  begin,
  run,
  succeed = async () => {},
  writes,
}: Scenario): Promise<void> {
  const world = await aWatchedWorld();
  const { fixture } = world;
  const names = ['undisturbed', ...writes.map((_, index) => `dying-${index + 1}`)];
  const maker = fixture.run();
  await prepare?.(world, names);
  await maker.stop();
  for (const [lastWrite, name] of names.entries()) {
    await begin?.(world, name);
    const end = mortal(fixture, lastWrite, () => succeed(world, name));
    await run(world, name);
    const { died, writes: written } = await end();
    expect(died).toBe(lastWrite > 0);
    if (!died) expect(written.filter((each) => each !== besides)).toEqual(writes);
  }
}

/** Declared, and there, with corrections. */
async function ready(world: Watched, names: readonly string[]): Promise<void> {
  await world.fixture.apply(names, { config, observe: { onDrift: 'Correct' } });
  for (const name of names) await shows(world, name, { state: 'ready' });
}

/** Of its life: each event has one id, however often it was sent. */
function expectEvents(world: Watched, name: string, types: readonly string[]): void {
  const ids = new Map(world.of(name).map(({ id, type }) => [id, type]));
  expect([...ids.values()]).toEqual(types);
}

async function windowPasses(world: Watched, name: string): Promise<void> {
  world.clock.aheadMs += 2 * hour;
  await wake(world, name);
}

function correction(kind: 'changed' | 'gone', disturb: (world: Watched, name: string) => void) {
  const type = kind === 'gone' ? 'CREATE' : 'UPDATE';
  return {
    prepare: ready,
    writes: [
      'status Resource',
      'status Resource',
      'patch Resource',
      'status Resource',
      'status Resource',
    ],
    async run(world, name) {
      const { fixture, cloud } = world;
      disturb(world, name);
      await observed(world, name);
      await shows(world, name, { drift: { kind } });
      await windowPasses(world, name);
      await eventually(() => expect(cloud.objects.get(name)).toEqual(config));
      await shows(world, name, { state: 'ready', reason: 'Processed', drift: null });
      expectEvents(world, name, ['CREATE', type]);
      const { spec, status } = await fixture.resource(name);
      expect(spec.retry).toBe(1);
      expect(status?.corrections?.count).toBe(1);
    },
    // They correct nothing before a whole window of their own.
    succeed: windowPasses,
  } satisfies Scenario;
}

const stored = createReceiptStore({ client: real, systemNamespace: 'default' });

const scenarios: Readonly<Record<string, Scenario>> = {
  'a correction of what was changed': correction('changed', ({ cloud }, name) => {
    cloud.objects.set(name, { size: 7 });
  }),
  'a correction of what is gone': correction('gone', ({ cloud }, name) => {
    cloud.objects.delete(name);
  }),
  'an import of what exists': {
    writes: ['status Resource', 'status Resource'],
    async begin({ fixture, cloud }, name) {
      cloud.objects.set(`id-${name}`, { size: 4 });
      await fixture.apply([name], { config, adopt: adopted(name) });
    },
    async run(world, name) {
      const drift = { kind: 'changed', total: 1 };
      const outputs = { id: `id-${name}`, size: 4 };
      await shows(world, name, { state: 'ready', reason: 'Drifted', outputs, drift });
      expectEvents(world, name, ['OBSERVE']);
      expect(world.cloud.objects.get(`id-${name}`)).toEqual({ size: 4 });
    },
  },
  'an import of what does not exist': {
    writes: ['status Resource', 'create ConfigMap', 'status Resource'],
    async begin({ fixture }, name) {
      await fixture.apply([name], { config, adopt: adopted(name) });
    },
    async run(world, name) {
      const error = expect.stringContaining('NOT_FOUND');
      await shows(world, name, { state: 'failed', reason: 'ProviderFailed', error });
      expectEvents(world, name, ['OBSERVE']);
      expect(world.cloud.objects.size).toBe(0);
      const letters = await world.fixture.deadLetters();
      const its = letters.filter(({ resourceName }) => resourceName === name);
      expect(its).toMatchObject([{ eventType: 'OBSERVE', errorCode: 'NOT_FOUND' }]);
    },
  },
  'a deletion after a CREATE that failed, and an import of what does not exist': {
    async prepare(world, names) {
      const { fixture, cloud } = world;
      const { answer } = cloud;
      const failure = { kind: 'failed', terminal: true, code: 'HALF', message: 'x' } as const;
      cloud.answer = (event) => {
        const received = answer(event);
        return event.type === 'CREATE' ? failure : received;
      };
      await fixture.apply(names, { config });
      for (const name of names) await shows(world, name, { state: 'failed' });
      cloud.answer = answer;
    },
    writes: [
      ...['status Resource', 'create ConfigMap', 'status Resource'],
      ...['status Resource', 'patch Resource'],
    ],
    async run(world, name) {
      const { fixture, cloud } = world;
      await fixture.patch(name, { spec: { adopt: adopted(name) } });
      await shows(world, name, { state: 'failed', error: expect.stringContaining('NOT_FOUND') });
      await fixture.remove(name);
      await eventually(async () => {
        expect(Object.values(await fixture.states()).flat()).not.toContain(name);
      });
      expectEvents(world, name, ['CREATE', 'OBSERVE', 'DELETE']);
      expect(cloud.objects.has(name)).toBe(false);
    },
  },
  'a read-only resource that is taken over': {
    writes: ['status Resource', 'status Resource', 'status Resource', 'status Resource'],
    async begin({ fixture, cloud }, name) {
      cloud.objects.set(name, { size: 4 });
      await fixture.apply([name], { config, management: 'Observed' });
    },
    async run(world, name) {
      await shows(world, name, { state: 'ready', reason: 'Found' });
      expectEvents(world, name, []);
      await world.fixture.patch(name, { spec: { management: 'Managed' } });
      await shows(world, name, { state: 'ready', reason: 'Processed', drift: null });
      expectEvents(world, name, ['UPDATE']);
      for (const { previousConfig } of world.of(name)) expect(previousConfig).toEqual({ size: 4 });
      expect(world.cloud.objects.get(name)).toEqual(config);
    },
  },
  'a forced deletion of what the provider keeps': {
    prepare: ready,
    writes: ['status Resource', 'create ConfigMap', 'patch Resource'],
    async run(world, name) {
      const { fixture, cloud } = world;
      const { answer } = cloud;
      cloud.answer = (event) => {
        const received = answer(event);
        if (event.type !== 'DELETE') return received;
        cloud.objects.set(name, config);
        return { kind: 'failed', terminal: true, code: 'IN_USE', message: 'somebody uses it' };
      };
      await fixture.patch(name, {
        metadata: { annotations: { [annotation.forceDeletion]: 'true' } },
      });
      await fixture.remove(name);
      await eventually(async () => {
        expect(Object.values(await fixture.states()).flat()).not.toContain(name);
      });
      cloud.answer = answer;
      expectEvents(world, name, ['CREATE', 'DELETE']);
      const receipts = await stored.list({ issuer: 'i', id: 'o', namespace: fixture.namespace });
      const its = receipts.filter(({ resourceName }) => resourceName === name);
      expect(its).toMatchObject([{ reason: 'Forced', exists: true }]);
    },
  },
};

function adopted(name: string) {
  return { id: `id-${name}` } as JsonObject as NonNullable<Resource['spec']['adopt']>;
}

it.for(Object.entries(scenarios))(
  '%s reaches the same end after a crash at any write',
  async ([, scenario]) => {
    await walk(scenario);
  },
);
