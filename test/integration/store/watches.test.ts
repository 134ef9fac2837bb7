// What one reader of a watch receives when it is slow, was away for long, or reads from a cache that is behind: against a
// real API server, without HTTP.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import {
  keyOf,
  type Organization,
  objectNameOf,
  organizationOf,
} from '../../../src/domain/identity.ts';
import type { Informer, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { createInformer } from '../../../src/kube/informer/informer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { createResourceChanges } from '../../../src/store/watches/changes.ts';
import { createResourceWatches, type ResourceEvent } from '../../../src/store/watches/index.ts';
import { aResource } from '../../support/fixtures/builders.ts';
import { installDefinitions } from '../../support/fixtures/install-definitions.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

let client: StreamingClient;
let organization: Organization;
let running: Informer<Resource>[] = [];
let leaving = new AbortController();

beforeAll(async () => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
  await installDefinitions(client);
  organization = organizationOf('https://issuer.test', randomUUID());
  await client.create<KubeObject>(namespaceKind, { metadata: { name: organization.namespace } });
});

afterEach(async () => {
  leaving.abort();
  leaving = new AbortController();
  await Promise.all(running.map((each) => each.stop()));
  running = [];
});

afterAll(() => client?.close());

async function replica(limits: { pendingBytes?: number; deletions?: number } = {}) {
  const { deletions, pendingBytes } = limits;
  const cache = createInformer<Resource>({
    ...{ client, kind: kinds.resource, log: silentLog, clock: systemClock, random: Math.random },
  });
  running.push(cache);
  const changes = createResourceChanges(cache, deletions);
  const watches = createResourceWatches({
    ...{ client, cache, changes },
    ...(pendingBytes !== undefined && { pendingBytes }),
  });
  await cache.start();
  return { cache, changes, watches };
}

type Replica = Awaited<ReturnType<typeof replica>>;

const refOf = (name: string) => ({
  namespace: organization.namespace,
  name: objectNameOf(keyOf({ provider: 'pg', resource: 'db', name })),
});

async function write(name: string, tag: string): Promise<string> {
  const { spec } = aResource({
    spec: { ...{ provider: 'pg', resource: 'db', name, project: 'p' }, tags: [tag] },
  });
  const head = { apiVersion, kind: kinds.resource.kind };
  const known = await client.get<Resource>(kinds.resource, refOf(name)).catch(() => undefined);
  const written =
    known === undefined
      ? await client.create<Resource>(kinds.resource, { ...head, metadata: refOf(name), spec })
      : await client.replace<Resource>(kinds.resource, { ...known, ...head, spec });
  return written.metadata.resourceVersion ?? '';
}

const remove = (name: string) => client.delete(kinds.resource, refOf(name));

async function reader({ watches }: Replica, since?: string) {
  const options = { selection: { filter: {} }, since, signal: leaving.signal };
  const watch = await watches.open(organization, options);
  const source = watch.events[Symbol.asyncIterator]();
  return {
    /** Until an event of a type. */
    async read(last: ResourceEvent['type']): Promise<readonly string[]> {
      const lines: string[] = [];
      for (;;) {
        const { value = [] } = (await source.next()) as { value?: readonly ResourceEvent[] };
        lines.push(...value.map(lineOf));
        if (value.some(({ type }) => type === last)) return lines;
      }
    },
  };
}

function lineOf(event: ResourceEvent): string {
  if (event.type === 'upsert') return `upsert ${event.record().name} ${event.record().tags?.[0]}`;
  return 'resourceId' in event ? `${event.type} ${event.resourceId}` : event.type;
}

it('a slow reader receives the last state of each resource', async () => {
  const own = await replica();
  const { read } = await reader(own);
  await read('synced');
  let version = '';
  for (let count = 0; count < 20; count += 1) {
    await write('slow-a', `a${count}`);
    version = await write('slow-b', `b${count}`);
  }
  await remove('slow-a');
  await own.cache.caughtUp(version, 10_000);
  await eventually(() =>
    expect(own.cache.get(`${refOf('x').namespace}/${refOf('slow-a').name}`)).toBeUndefined(),
  );
  // It was never known to the reader, so its deletion is no event.
  expect(await read('upsert')).toEqual(['upsert slow-b b19']);
});

it('a reader that is too slow is reset, and receives everything anew', async () => {
  const own = await replica({ pendingBytes: 1_000 });
  const { read } = await reader(own);
  await read('synced');
  let version = '';
  for (let count = 0; count < 10; count += 1) version = await write(`many-${count}`, 'x');
  await own.cache.caughtUp(version, 10_000);
  const lines = await read('synced');
  expect(lines[0]).toBe('reset');
  expect(lines.filter((line) => line.startsWith('upsert many-'))).toHaveLength(10);
});

it('a position goes on at a replica that is behind, once it has caught up, with what was missed', async () => {
  const [ahead, behind] = [await replica(), await replica()];
  await write('kept', 'x');
  await write('gone', 'x');
  const since = await write('before', 'x');
  await write('after', 'x');
  await remove('gone');
  const version = await write('kept', 'y');
  await ahead.cache.caughtUp(version, 10_000);
  const { read } = await reader(behind, since);
  const lines = [...(await read('synced'))];
  while (!lines.includes('upsert kept y')) lines.push(...(await read('upsert')));
  expect(lines).toEqual(
    expect.arrayContaining(['upsert after x', 'deleted resource:pg_db_gone', 'upsert kept y']),
  );
  expect(lines).not.toContain('upsert before x');
  expect(lines).not.toContain('reset');
});

it('a position older than the deletions that are kept is void', async () => {
  const own = await replica({ deletions: 1 });
  const since = await write('old', 'x');
  const removed = async (name: string) => {
    await write(name, 'x');
    await remove(name);
  };
  await removed('first');
  const late = await write('old', 'y');
  await removed('second');
  await own.cache.caughtUp(await write('old', 'z'), 10_000);
  expect((await (await reader(own, since)).read('synced'))[0]).toBe('reset');
  const lines = await (await reader(own, late)).read('synced');
  expect(lines).toEqual(['deleted resource:pg_db_second', 'upsert old z', 'synced']);
});

it('a new watch contains acknowledged writes, though the cache has not received them', async () => {
  const cut = await replica();
  await running[0]?.stop();
  await write('acknowledged', 'new');
  const lines = await (await reader(cut)).read('synced');
  expect(lines).toContain('upsert acknowledged new');
});

it('ends for all readers when the replica stops, which then refuses new ones', async () => {
  const own = await replica();
  const options = { selection: { filter: {} }, since: undefined, signal: leaving.signal };
  const { events } = await own.watches.open(organization, options);
  const reading = (async () => {
    let count = 0;
    for await (const batch of events) count += batch.length;
    return count;
  })();
  own.watches.close();
  expect(await reading).toBeGreaterThanOrEqual(0);
  await expect(own.watches.open(organization, options)).rejects.toMatchObject({
    code: 'unavailable',
  });
});
