// Clients that go on with a watch at another replica: what they know in the end is what a list shows.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startFaultProxy } from '../../support/faults/fault-proxy.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import {
  createView,
  type EventReader,
  openEvents,
  type View,
} from '../../support/runner/event-stream.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { randomOf, seedFrom } from '../../support/runner/random.ts';
import { sharedIdentities } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const seed = seedFrom('WATCH_SEED');
const organization = `resume-${randomUUID().slice(0, 8)}`;
let first: ServedApi;
let second: ServedApi;
let admin: ApiCaller;
let token: string;
const open: EventReader[] = [];

beforeAll(async () => {
  first = await serveApi();
  second = await serveApi({ issuer: first.issuer, systemNamespace: first.systemNamespace });
  admin = await first.caller(organization);
  token = await first.issuer.token({ org_id: organization });
  await admin.post('/resources/register', { provider: 'box', resource: 'crate' });
  const objects = resourceObjects(first, organization);
  await objects.create('project', 'shop');
  await objects.close();
});

afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

afterAll(async () => {
  await second?.close();
  await first?.close();
});

const body = (name: string, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config: {} },
  ...more,
});

interface Follower {
  readonly view: View;
  readonly path: string;
  /** How often it went on at another replica. */
  readonly moves: number;
  stop(): void;
}

/** Reads, leaves at any moment, and goes on at the other replica. */
function follow(path: string, own: string, random: () => number): Follower {
  const view = createView();
  let stopped = false;
  let moves = 0;
  async function turn(lastId: string): Promise<string> {
    if (lastId === '') view.receive({ id: '', type: 'reset', data: {} });
    const api = moves % 2 === 0 ? first : second;
    const reader = await openEvents(api, { token: own, path, lastId, receive: view.receive });
    open.push(reader);
    await pause(20 + 400 * random());
    // The last one stays open.
    if (!stopped) reader.close();
    return reader.lastId;
  }
  async function run(): Promise<void> {
    for (let lastId = ''; !stopped; moves += 1) lastId = await turn(lastId);
  }
  void run();
  return {
    view,
    path,
    get moves() {
      return moves;
    },
    stop() {
      stopped = true;
    },
  };
}

async function writeOnce(writer: ApiCaller, random: () => number, count: number): Promise<void> {
  const number = Math.floor(random() * 20);
  const [kind, color, state] = [random(), random(), random()];
  if (kind < 0.3) {
    await writer.delete(`/resources/box/crate/r${number}`);
    return;
  }
  const more = {
    ...{ tags: [color < 0.5 ? 'red' : 'blue'], config: { count } },
    ...(number % 2 === 0 ? { project_id: 'shop' } : {}),
    lifecycle_state: state < 0.3 ? 'pending' : 'draft',
  };
  const { status } = await writer.post('/resources/apply', body(`r${number}`, more));
  // A pending resource, or one in deletion, refuses some applies.
  expect(status).toBeOneOf([200, 409]);
}

it(`[H17] ends with the state of a fresh list for a client that moves between replicas (seed ${seed})`, async () => {
  const random = randomOf(seed);
  const shop = await first.issuer.token({ org_id: organization, project_id: 'shop' });
  const followers = [
    follow('/resources/', token, randomOf(seed + 1)),
    follow('/resources/?tags=red', token, randomOf(seed + 2)),
    follow('/resources/?lifecycle_state=draft&deleting=include', token, randomOf(seed + 3)),
    follow('/resources/', shop, randomOf(seed + 4)),
  ];
  const writers = [admin, await second.caller(organization)];
  const writeSome = async (writer: ApiCaller) => {
    for (let count = 0; count < 100; count += 1) await writeOnce(writer, random, count);
  };
  await Promise.all(writers.map(writeSome));
  for (const each of followers) expect(each.moves).toBeGreaterThan(3);
  for (const each of followers) each.stop();
  await eventually(async () => {
    for (const { view, path } of followers.slice(0, 3)) {
      const listed = (await admin.get(path)).body as readonly { id: string }[];
      expect(Object.fromEntries(view.records), path).toEqual(
        Object.fromEntries(listed.map((each) => [each.id, each])),
      );
    }
    const own = await first.caller(organization, { project_id: 'shop' });
    const listed = (await own.get('/resources/')).body as readonly { id: string }[];
    expect([...(followers[3]?.view.records.values() ?? [])].map(({ id }) => id).sort()).toEqual(
      listed.map(({ id }) => id).sort(),
    );
  });
});

it('ends when its replica stops, and goes on at another one', async () => {
  const third = await serveApi({ issuer: first.issuer, systemNamespace: first.systemNamespace });
  const path = '/resources/?tags=moving';
  const view = createView();
  await admin.post('/resources/apply', body('m1', { tags: ['moving'] }));
  const reader = await openEvents(third, { token, path, receive: view.receive });
  await eventually(() => expect(view.isSynced).toBe(true));
  const started = performance.now();
  await third.close();
  expect(performance.now() - started).toBeLessThan(4_000);
  await eventually(() => expect(reader.ended).toBe('whole'));
  await admin.post('/resources/apply', body('m2', { tags: ['moving'] }));
  await admin.delete('/resources/box/crate/m1');
  const next = await openEvents(first, {
    ...{ token, path, lastId: reader.lastId },
    receive: view.receive,
  });
  open.push(next);
  await eventually(() => expect([...view.records.keys()]).toEqual(['resource:box_crate_m2']));
  expect(next.events.map(({ type }) => type)).not.toContain('reset');
});

it('begins anew at a replica that has missed what the client knows', async () => {
  const proxy = await startFaultProxy(sharedIdentities().controller);
  const { issuer, systemNamespace } = first;
  const replica = await serveApi({ issuer, systemNamespace, kubeconfig: proxy.kubeconfig });
  const listed = Promise.withResolvers<void>();
  const view = createView();
  const brief = 'resource:box_crate_brief';
  try {
    const reader = await openEvents(first, { token, receive: view.receive });
    await eventually(() => expect(view.isSynced).toBe(true));
    const again = proxy.rule(({ verb, plural }) =>
      verb === 'list' && plural === 'resources' ? { holdUntil: listed.promise } : undefined,
    );
    expect(proxy.disturb('resources', { error: 410 })).toBeGreaterThan(0);
    await admin.post('/resources/apply', body('brief', { lifecycle_state: 'draft' }));
    await eventually(() => expect([...view.records.keys()]).toContain(brief));
    const { lastId } = reader;
    reader.close();
    await admin.delete('/resources/box/crate/brief');
    await eventually(async () => {
      const gone = await admin.get('/resources/?deleting=include');
      expect(gone.text).not.toContain(brief);
    });
    again();
    listed.resolve();
    const next = await openEvents(replica, { token, lastId, receive: view.receive });
    open.push(next);
    await eventually(() => expect(next.events.map(({ type }) => type)).toContain('synced'));
    expect([...view.records.keys()]).not.toContain(brief);
  } finally {
    listed.resolve();
    await replica.close();
    await proxy.stop();
  }
});
