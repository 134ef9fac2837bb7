// The index behind groups and counts of dead letters, on a real API server behind a proxy: it follows one namespace, only as long as
// anybody asks, and while it cannot, the answers are those of the API server.
import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Organization, organizationOf } from '../../../src/domain/identity.ts';
import type { ChangeHandler, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import {
  createDeadLetterIndexes,
  type DeadLetterIndexes,
  type DeadLetterIndexLimits,
} from '../../../src/store/dead-letters/indexes.ts';
import { type DeadLetter, toConfigMap } from '../../../src/store/dead-letters/object.ts';
import { redriveSelector } from '../../../src/store/dead-letters/redrives.ts';
import {
  createDeadLetterStore,
  type DeadLetterStore,
} from '../../../src/store/dead-letters/store.ts';
import { configMapKind, namespaceKind } from '../../../src/store/kinds.ts';
import {
  type Asked,
  type Fault,
  type FaultProxy,
  startFaultProxy,
} from '../../support/faults/fault-proxy.ts';
import { aDeadLetter } from '../../support/fixtures/dead-letters/failed-resources.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

let proxy: FaultProxy;
/** Bypasses the proxy. */
let direct: StreamingClient;
let client: StreamingClient;
let indexes: DeadLetterIndexes;
let store: DeadLetterStore;
let namespacesChanged: ChangeHandler<KubeObject> | undefined;

beforeEach(async () => {
  const { kubeconfig } = sharedControlPlane();
  proxy = await startFaultProxy(kubeconfig);
  direct = createKubeClient(loadCluster({ kubeconfig }));
  client = createKubeClient(loadCluster({ kubeconfig: proxy.kubeconfig }));
  start();
});

afterEach(async () => {
  await indexes.close();
  await client.close();
  await direct.close();
  await proxy.stop();
});

function start(limits: Partial<DeadLetterIndexLimits> = {}): void {
  indexes = createDeadLetterIndexes({
    client,
    clock: systemClock,
    log: silentLog,
    random: Math.random,
    namespaces: {
      onChange(handler) {
        namespacesChanged = handler;
        return () => undefined;
      },
    },
    limits,
  });
  const resources = { get: () => undefined };
  store = createDeadLetterStore({ client, resources, indexes });
}

async function anOrganization(): Promise<Organization> {
  const organization = organizationOf('https://issuer.test', `indexes-${randomUUID()}`);
  await direct.create<KubeObject>(namespaceKind, { metadata: { name: organization.namespace } });
  return organization;
}

async function fail(
  organization: Organization,
  text: string,
  changes: Partial<DeadLetter> = {},
): Promise<{ namespace: string; name: string }> {
  const id = `evt-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  const object = toConfigMap(aDeadLetter(organization, id, changes));
  await direct.create(configMapKind, object);
  return { namespace: organization.namespace, name: id };
}

async function counts(organization: Organization): Promise<Record<string, number>> {
  const causes = await store.causes(organization, {});
  return Object.fromEntries(causes.map(({ provider, count }) => [provider, count]));
}

const shows = (organization: Organization, expected: Record<string, number>) =>
  eventually(async () => expect(await counts(organization)).toEqual(expected));

const requests = (verb: Asked['verb']) =>
  proxy.asked.filter((asked) => asked.verb === verb && asked.plural === 'configmaps');

const onWatches = (fault: Fault) =>
  proxy.rule(({ verb }) => (verb === 'watch' ? fault : undefined));

describe('an index', () => {
  it('follows new and deleted dead letters, and reads no more', async () => {
    const organization = await anOrganization();
    const first = await fail(organization, 'first');
    await fail(organization, 'bag', { provider: 'bag' });
    expect(await counts(organization)).toEqual({ box: 1, bag: 1 });
    const lists = requests('list').length;
    await fail(organization, 'second');
    await shows(organization, { box: 2, bag: 1 });
    await direct.delete(configMapKind, first);
    await shows(organization, { box: 1, bag: 1 });
    expect(requests('list').length).toBe(lists);
    expect(requests('watch').length).toBe(1);
  });

  it('is of one organization', async () => {
    const [mine, theirs] = [await anOrganization(), await anOrganization()];
    await fail(mine, 'mine');
    await fail(theirs, 'theirs', { provider: 'bag' });
    expect(await counts(mine)).toEqual({ box: 1 });
    expect(await counts(theirs)).toEqual({ bag: 1 });
    await fail(theirs, 'theirs again', { provider: 'bag' });
    await shows(theirs, { bag: 2 });
    expect(await counts(mine)).toEqual({ box: 1 });
    const paths = [...requests('list'), ...requests('watch')].map(({ path }) => path);
    const pathOf = ({ namespace }: Organization) => `/api/v1/namespaces/${namespace}/configmaps`;
    expect(new Set(paths)).toEqual(new Set([pathOf(mine), pathOf(theirs)]));
  });

  it('is shared by concurrent questions', async () => {
    const organization = await anOrganization();
    await fail(organization, 'one');
    await Promise.all(Array.from({ length: 10 }, () => counts(organization)));
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(1));
    expect(requests('list').length).toBe(1);
  });

  it('lists again when its watch has expired', async () => {
    const organization = await anOrganization();
    const first = await fail(organization, 'first');
    expect(await counts(organization)).toEqual({ box: 1 });
    await eventually(() => expect(proxy.disturb('configmaps', { error: 410 })).toBe(1));
    await direct.delete(configMapKind, first);
    await fail(organization, 'later', { provider: 'bag' });
    await shows(organization, { bag: 1 });
  });

  it('ends when nobody asks, and begins again', async () => {
    start({ idleMs: 100 });
    const organization = await anOrganization();
    await fail(organization, 'first');
    expect(await counts(organization)).toEqual({ box: 1 });
    await eventually(() => expect(indexes.open).toEqual([]));
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(0));
    await fail(organization, 'second');
    expect(await counts(organization)).toEqual({ box: 2 });
  });

  it('of many failures is opened ahead, and stays when nobody asks', async () => {
    start({ idleMs: 100 });
    const [few, many] = [await anOrganization(), await anOrganization()];
    await fail(many, 'first');
    indexes.keep(many.namespace);
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(1));
    await counts(few);
    await eventually(() => expect(indexes.open).toEqual([many.namespace]));
    const lists = requests('list').length;
    expect(await counts(many)).toEqual({ box: 1 });
    expect(requests('list').length).toBe(lists);
    indexes.release(many.namespace);
    await eventually(() => expect(indexes.open).toEqual([]));
  });

  it('is not opened ahead beyond the limits', async () => {
    start({ indexes: 1 });
    const [asked, other] = [await anOrganization(), await anOrganization()];
    await counts(asked);
    indexes.keep(other.namespace);
    expect(await counts(asked)).toEqual({});
    expect(indexes.open).toEqual([asked.namespace]);
  });

  it('ends with its namespace', async () => {
    const organization = await anOrganization();
    await fail(organization, 'first');
    expect(await counts(organization)).toEqual({ box: 1 });
    const { namespace: name } = organization;
    namespacesChanged?.(name, { metadata: { name } }, undefined);
    expect(indexes.open).toEqual([]);
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(0));
  });

  it('gives way to others beyond the limits, and never to none', async () => {
    start({ indexes: 2, deadLetters: 2 });
    const all = [await anOrganization(), await anOrganization(), await anOrganization()] as const;
    for (const organization of all) await fail(organization, organization.id);
    const namespaces = all.map(({ namespace }) => namespace);
    for (const organization of all) await counts(organization);
    expect(indexes.open).toEqual(namespaces.slice(1));
    for (const text of ['2', '3']) await fail(all[2], text);
    await shows(all[2], { box: 3 });
    expect(indexes.open).toEqual(namespaces.slice(2));
  });
});

describe('without a current index', () => {
  it('answers come from the API server while the watch is refused', async () => {
    onWatches({ answer: 403 });
    const organization = await anOrganization();
    await fail(organization, 'first');
    await shows(organization, { box: 1 });
    await eventually(() => expect(requests('watch').length).toBeGreaterThan(0));
    await fail(organization, 'second');
    expect(await counts(organization)).toEqual({ box: 2 });
  });

  it('answers come from the API server while the list is refused to the index', async () => {
    const organization = await anOrganization();
    await fail(organization, 'first');
    let refused = 0;
    proxy.rule(({ verb }) => {
      refused += verb === 'list' ? 1 : 0;
      return verb === 'list' && refused === 1 ? { answer: 500 } : undefined;
    });
    expect(await counts(organization)).toEqual({ box: 1 });
  });

  it('a question that waits too long is refused, and does not end the list', async () => {
    start({ firstListMs: 50 });
    const listed = Promise.withResolvers<void>();
    const takeBack = proxy.rule(() => ({ holdUntil: listed.promise }));
    const organization = await anOrganization();
    await fail(organization, 'first');
    await expect(counts(organization)).rejects.toMatchObject({ reason: 'timeout' });
    takeBack();
    listed.resolve();
    await shows(organization, { box: 1 });
    expect(requests('list').length).toBe(1);
  });

  it('the first dead letters are shown and retried before the watch delivers them', async () => {
    const organization = await anOrganization();
    expect(await counts(organization)).toEqual({});
    await eventually(() => expect(proxy.openWatches('configmaps')).toBe(1));
    const delivered = Promise.withResolvers<void>();
    proxy.disturb('configmaps', { holdUntil: delivered.promise });
    await fail(organization, 'first');
    expect(await counts(organization)).toEqual({ box: 1 });
    // Superseded, because there is no resource: not counted, and yet sent to the leader.
    expect(await store.retryAll(organization, {})).toBe(0);
    const { namespace } = organization;
    const where = { namespace, labelSelector: redriveSelector };
    expect((await direct.list(configMapKind, where)).items).toHaveLength(1);
    delivered.resolve();
  });
});
