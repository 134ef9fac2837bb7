// Watches of resources over HTTP, at two replicas on a real API server: events, filters, permissions, limits.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { skewSeconds } from '../../../src/http/auth/claims.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import {
  type EventReader,
  openEvents,
  type ServedEvent,
} from '../../support/runner/event-stream.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `watch-${randomUUID().slice(0, 8)}`;
let first: ServedApi;
let second: ServedApi;
let admin: ApiCaller;
let token: string;
let objects: ReturnType<typeof resourceObjects>;
const open: EventReader[] = [];

beforeAll(async () => {
  first = await serveApi();
  second = await serveApi({ issuer: first.issuer, systemNamespace: first.systemNamespace });
  admin = await first.caller(organization);
  token = await first.issuer.token({ org_id: organization });
  await admin.post('/resources/register', { provider: 'box', resource: 'crate' });
  objects = resourceObjects(first, organization);
  await objects.create('project', 'shop');
});

afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

afterAll(async () => {
  await objects?.close();
  await second?.close();
  await first?.close();
});

type Given = Partial<Parameters<typeof openEvents>[1]>;

async function watching(api: ServedApi, given: Given = {}): Promise<EventReader> {
  const reader = await openEvents(api, { token, ...given });
  open.push(reader);
  return reader;
}

const body = (name: string, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config: {} },
  ...more,
});

async function apply(name: string, more: object = {}, caller = admin): Promise<void> {
  const { status, text } = await caller.post('/resources/apply', body(name, more));
  expect(status, text).toBe(200);
}

/** Without repetitions: reconcilers write the status of a resource, too. */
function outlineOf({ events }: EventReader): readonly string[] {
  const lines = events.map(({ type, data }) =>
    [type, (data as { id?: string }).id].join(' ').trim(),
  );
  return lines.filter((line, index) => line !== lines[index - 1]);
}

const typesOf = ({ events }: EventReader) => events.map(({ type }) => type);
const namesIn = ({ events }: EventReader) =>
  events.filter(({ type }) => type === 'upsert').map(({ data }) => (data as { name: string }).name);

function until(reader: EventReader, type: string): Promise<ServedEvent> {
  return eventually(() => {
    const found = reader.events.find((each) => each.type === type);
    if (found === undefined) throw new Error(`No ${type} in: ${reader.text.slice(-500)}`);
    return found;
  });
}

describe('a watch', () => {
  it('begins with what a list shows, in its order, and continues with every change', async () => {
    const path = '/resources/?tags=begin';
    for (const name of ['b1', 'a1']) await apply(name, { tags: ['begin'] });
    for (const name of ['b1', 'a1']) await objects.settled(`box/crate/${name}`);
    const reader = await watching(second, { path });
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await until(reader, 'synced');
    expect(typesOf(reader)).toEqual(['upsert', 'upsert', 'synced']);
    const { body: listed } = await admin.get(path);
    expect(reader.events.slice(0, 2).map(({ data }) => data)).toEqual(listed);
    await apply('c1', { tags: ['begin'] });
    await apply('other1', { tags: ['none'] });
    await apply('a1', { tags: ['none'] });
    await admin.delete('/resources/box/crate/b1');
    await until(reader, 'deleted');
    const id = (name: string) => `resource:box_crate_${name}`;
    await eventually(() =>
      expect(
        outlineOf(reader)
          .slice(3)
          .filter((line) => !line.startsWith('deleting')),
      ).toEqual([`upsert ${id('c1')}`, `deleted ${id('a1')}`, `deleted ${id('b1')}`]),
    );
    const ids = reader.events.flatMap((each) => each.id ?? []).map(Number);
    expect(ids).toEqual([...ids].sort((left, right) => left - right));
  });

  it('shows a deletion that takes its time as lists do', async () => {
    await apply('slow', { tags: ['slow'] });
    const [hidden, shown] = [
      await watching(first, { path: '/resources/?tags=slow' }),
      await watching(second, { path: '/resources/?tags=slow&deleting=include' }),
    ];
    for (const each of [hidden, shown]) await until(each, 'synced');
    await objects.hold('box/crate/slow');
    await admin.delete('/resources/box/crate/slow');
    expect(await until(hidden, 'deleting')).toMatchObject({
      data: { id: 'resource:box_crate_slow' },
    });
    await eventually(() =>
      expect(shown.events.at(-1)).toMatchObject({
        type: 'upsert',
        data: { lifecycle_state: 'processing', deletion_requested_at: expect.any(String) },
      }),
    );
    await objects.release('box/crate/slow');
    for (const each of [hidden, shown]) await until(each, 'deleted');
    expect(typesOf(hidden).filter((type) => type === 'deleting')).toHaveLength(1);
  });

  it('of one resource follows this one, and is not found when there is none', async () => {
    await apply('one');
    for (const path of ['/resources/box/crate/one', '/resources/resource:box_crate_one']) {
      const reader = await watching(second, { path });
      await until(reader, 'synced');
      const tags = [path.slice(10, 20).replaceAll('/', '-')];
      await apply('one', { tags });
      await apply('one-more');
      await eventually(() => expect(reader.events.at(-1)).toMatchObject({ data: { tags } }));
      expect(new Set(namesIn(reader))).toEqual(new Set(['one']));
    }
    const none = await watching(first, { path: '/resources/box/crate/none' });
    expect(none.status).toBe(404);
  });

  it.each(['limit=1', 'cursor=YQBiAGM'])('has no pages: %s', async (search) => {
    const reader = await watching(first, { path: `/resources/?${search}` });
    expect(reader.status).toBe(422);
  });

  it('gives a sign of life within five seconds of silence, with a position to go on from', async () => {
    const reader = await watching(first, { path: '/resources/?tags=silence' });
    await until(reader, 'synced');
    const before = reader.lastId;
    await apply('unseen');
    const started = performance.now();
    await eventually(() => expect(reader.text).toContain(': quiet\n\n'), 10_000);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(Number(reader.lastId)).toBeGreaterThan(Number(before));
    expect(typesOf(reader)).toEqual(['synced']);
  });

  it('is reset when its position is unknown, of the future, or older than what is kept', async () => {
    for (const lastId of ['nonsense', '1', '999999999999999']) {
      const reader = await watching(first, { lastId });
      const synced = await until(reader, 'synced');
      expect(reader.events[0]).toEqual({ id: '', type: 'reset', data: {} });
      expect(Number(synced.id)).toBeGreaterThan(1);
    }
  });
});

it('[I6] shows an organization and a project nothing of others', async () => {
  const canary = `canary-${randomUUID().slice(0, 8)}`;
  const other = await first.caller(`rival-${organization}`);
  // A watch of an organization that is still being set up is refused.
  await eventually(async () => expect((await other.get('/resources/')).status).toBe(200));
  const rival = await first.issuer.token({ org_id: `rival-${organization}` });
  const shop = await first.issuer.token({ org_id: organization, project_id: 'shop' });
  const own = await watching(second);
  const readers = [
    await watching(first, { token: rival }),
    await watching(second, { token: rival, lastId: (await until(own, 'synced')).id ?? '' }),
    await watching(first, { token: shop }),
    await watching(second, { token: shop, path: '/resources/?project_id=other' }),
    await watching(second, { token: shop, lastId: own.lastId }),
  ];
  for (const each of readers) await until(each, 'synced');
  await apply(canary, { config: { canary } });
  await apply(canary, { config: { again: canary } });
  await admin.delete(`/resources/box/crate/${canary}`);
  await until(own, 'deleted');
  await apply(`${canary}-shop`, { project_id: 'shop' });
  await eventually(() => expect(readers[2]?.text).toContain(`${canary}-shop`));
  for (const { text } of readers) {
    expect(text.replaceAll(`${canary}-shop`, '')).not.toContain(canary);
  }
  const late = await watching(first, { token: shop, lastId: readers[4]?.lastId ?? '' });
  await until(late, 'synced');
  expect(late.text.replaceAll(`${canary}-shop`, '')).not.toContain(canary);
  for (const each of [readers[0], readers[1], readers[3]]) {
    expect(each?.text).not.toContain(canary);
  }
  const missing = await watching(first, {
    token: rival,
    path: `/resources/box/crate/${canary}-shop`,
  });
  expect(missing.status).toBe(404);
});

it('[T13] ends with an event when the token expires', async () => {
  const exp = Math.floor(Date.now() / 1_000) - skewSeconds + 3;
  const soon = await first.issuer.token({ org_id: organization, exp });
  const reader = await watching(first, { token: soon, path: '/resources/?tags=none-at-all' });
  expect(await until(reader, 'expired')).toMatchObject({ data: { detail: expect.any(String) } });
  await eventually(() => expect(reader.ended).toBe('cut'));
  expect(Number(reader.lastId)).toBeGreaterThan(0);
});

it('refuses the watches of an organization above twenty, and nobody else', async () => {
  const id = `many-${organization}`;
  const own = await first.issuer.token({ org_id: id });
  const caller = await first.caller(id);
  await eventually(async () => expect((await caller.get('/resources/')).status).toBe(200));
  const readers: EventReader[] = [];
  for (let count = 0; count < 20; count += 1) readers.push(await watching(first, { token: own }));
  const refused = await watching(first, { token: own });
  expect(refused.status).toBe(429);
  expect(refused.response.headers['retry-after']).toBe('5');
  await eventually(() => expect(refused.text).toContain('too_many_requests'));
  expect((await watching(first)).status).toBe(200);
  expect((await caller.get('/resources/')).status).toBe(200);
  readers[0]?.close();
  await eventually(async () => expect((await watching(first, { token: own })).status).toBe(200));
});
