// Builds and providers in a real API server, written by two replicas at once.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import { type Organization, organizationOf } from '../../../src/domain/identity.ts';
import type { ArtifactRef } from '../../../src/domain/providers/artifact.ts';
import { versionAt } from '../../../src/domain/providers/build.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type BuildStore, createBuildStore } from '../../../src/store/builds/store.ts';
import { apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { createProviderStore, type ProviderStore } from '../../../src/store/providers/store.ts';
import { installDefinitions } from '../../support/fixtures/install-definitions.ts';
import { objectCache } from '../../support/fixtures/object-cache.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const now = new Date('2026-12-31T23:59:55.000Z');
const clock = { ...systemClock, now: () => now };
const source: ArtifactRef = { digest: `sha256:${'5'.repeat(64)}`, size: 9 };

/** Two processes, each with connections of its own. */
const clients: StreamingClient[] = [];
const resources = objectCache<Resource>();
let builds: readonly [BuildStore, BuildStore];
let providers: readonly [ProviderStore, ProviderStore];

beforeAll(async () => {
  const cluster = loadCluster(sharedControlPlane());
  const [one, other] = [createKubeClient(cluster), createKubeClient(cluster)];
  clients.push(one, other);
  await installDefinitions(one);
  builds = [createBuildStore({ client: one, clock }), createBuildStore({ client: other, clock })];
  providers = [
    createProviderStore({ client: one, clock: systemClock, resources }),
    createProviderStore({ client: other, clock: systemClock, resources }),
  ];
});
afterAll(() => Promise.all(clients.map((each) => each.close())));

const client = () => clients[0] as StreamingClient;

async function anOrganization(): Promise<Organization> {
  const organization = organizationOf('https://issuer.test', `store-${randomUUID()}`);
  await client().create<KubeObject>(namespaceKind, { metadata: { name: organization.namespace } });
  return organization;
}

/** The client, and every request that goes through it. */
function listening(): { client: KubeClient; calls: string[] } {
  const calls: string[] = [];
  const proxy = new Proxy<KubeClient>(client(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...words: unknown[]) => {
        calls.push(String(name));
        return member.apply(target, words);
      };
    },
  });
  return { client: proxy, calls };
}

async function report(organization: Organization, name: string, status: object): Promise<void> {
  const { namespace } = organization;
  const object = await client().get<KubeObject>(kinds.build, { namespace, name });
  await client().replaceStatus(kinds.build, { ...object, status });
}

describe('builds', () => {
  it('have unique versions, also for many pushes and replicas within a second', async () => {
    const organization = await anOrganization();
    const pushes = Array.from({ length: 10 }, () =>
      builds.map((each) => each.create(organization, 'shop', source)),
    );
    const created = await Promise.all(pushes.flat());
    const versions = new Set(created.map(({ version }) => version));
    expect(versions.size).toBe(20);
    const seconds = Array.from({ length: 20 }, (_, index) =>
      versionAt(new Date(now.getTime() + index * 1_000)),
    );
    expect([...versions].sort(), 'The next free second each, over midnight').toEqual(seconds);
    const listed = await builds[1].list(organization, 'shop');
    expect(listed.map(({ version }) => version)).toEqual(seconds.toReversed());
    expect(listed.every(({ phase }) => phase === 'pending')).toBe(true);
  });

  it('never take a version below another, even one that the history has removed', async () => {
    const organization = await anOrganization();
    const { namespace } = organization;
    const create = () => builds[0].create(organization, 'box', source);
    const [first, second] = [await create(), await create()];
    await client().delete(kinds.build, { namespace, name: first.jobName });
    const third = await create();
    expect([first.version, second.version, third.version]).toEqual(
      [0, 1, 2].map((seconds) => versionAt(new Date(now.getTime() + seconds * 1_000))),
    );
  });

  it('of another provider do not use up versions', async () => {
    const organization = await anOrganization();
    const [shop, box] = await Promise.all([
      builds[0].create(organization, 'shop', source),
      builds[1].create(organization, 'box', source),
    ]);
    expect([shop.version, box.version]).toEqual([versionAt(now), versionAt(now)]);
    expect(await builds[0].list(organization, 'box')).toEqual([box]);
  });

  it('are found by name, only under their provider and organization', async () => {
    const organization = await anOrganization();
    const build = await builds[0].create(organization, 'shop', source);
    expect(await builds[1].get(organization, 'shop', build.jobName)).toEqual(build);
    const missing = { code: 'build_not_found' };
    await expect(builds[1].get(organization, 'box', build.jobName)).rejects.toMatchObject(missing);
    const stranger = await anOrganization();
    await expect(builds[1].get(stranger, 'shop', build.jobName)).rejects.toMatchObject(missing);
    await expect(builds[1].get(organization, 'shop', 'shop-20200101-000000')).rejects.toMatchObject(
      missing,
    );
  });

  it.each([
    ['an empty name', ''],
    ['.', '.'],
    ['..', '..'],
    ['a slash', 'a/b'],
    ['a way up', '../../namespaces/kube-system'],
    ['an escape', 'a%2fb'],
    ['a query', 'a?watch=true'],
    ['a line feed', 'shop-20260101-000000\n'],
    ['capitals', 'SHOP-20260101-000000'],
    ['a dot', 'a.b'],
    ['a null', 'a\0'],
    ['300 characters', 'a'.repeat(300)],
  ])('are not requested under an invalid name: %s', async (_name, hostile) => {
    const { client: watchedClient, calls } = listening();
    const store = createBuildStore({ client: watchedClient, clock });
    const organization = organizationOf('https://issuer.test', 'nobody');
    const failure = await store
      .get(organization, 'shop', hostile)
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'build_not_found' });
    expect((failure as Error).message.length).toBeLessThan(120);
    expect(calls).toEqual([]);
  });

  it('that are not finished are cancelled, and no others', async () => {
    const organization = await anOrganization();
    const [done, failed, running, , other] = [
      await builds[0].create(organization, 'shop', source),
      await builds[0].create(organization, 'shop', source),
      await builds[0].create(organization, 'shop', source),
      await builds[0].create(organization, 'shop', source),
      await builds[0].create(organization, 'box', source),
    ];
    await report(organization, done.jobName, { phase: 'success' });
    await report(organization, failed.jobName, { phase: 'failed', error: 'broken' });
    await report(organization, running.jobName, { phase: 'building' });
    await builds[0].withdraw(organization, 'shop');
    const left = await builds[0].list(organization, 'shop');
    expect(left.map(({ jobName }) => jobName)).toEqual([failed.jobName, done.jobName]);
    expect(await builds[0].list(organization, 'box')).toEqual([other]);
  });

  it('list no provider any more that was deleted, until code is pushed again', async () => {
    const organization = await anOrganization();
    const { jobName } = await builds[0].create(organization, 'shop', source);
    await report(organization, jobName, { phase: 'success' });
    const listed = async () =>
      (await builds[0].listPushed(organization)).map((each) => each.jobName);
    expect(await listed()).toEqual([jobName]);
    await builds[0].withdraw(organization, 'shop');
    expect(await listed()).toEqual([]);
    expect(await builds[0].list(organization, 'shop')).toHaveLength(1);
    const again = await builds[0].create(organization, 'shop', source);
    expect(await listed()).toEqual([again.jobName]);
  });
});

describe('providers', () => {
  const [a, b, c] = ['20260101.000000', '20260102.000000', '20260103.000000'];

  it('end in one of two concurrently deployed versions', async () => {
    const organization = await anOrganization();
    await providers[0].deploy(organization, 'shop', { version: a });
    const answers = await Promise.all([
      providers[0].deploy(organization, 'shop', { version: b }),
      providers[1].deploy(organization, 'shop', { version: c }),
    ]);
    expect(answers.map(({ version }) => version)).toEqual([b, c]);
    const { version } = (await providers[0].find(organization, 'shop')) ?? {};
    expect([b, c]).toContain(version);
  });

  it('are created once when two first versions are deployed at once', async () => {
    const organization = await anOrganization();
    await Promise.all([
      providers[0].deploy(organization, 'shop', { version: a }),
      providers[1].deploy(organization, 'shop', { version: b }),
    ]);
    const all = await providers[0].list(organization);
    expect(all).toHaveLength(1);
    expect([a, b]).toContain(all[0]?.version);
  });

  it('keep the replicas that an administrator set', async () => {
    const organization = await anOrganization();
    const ref = { namespace: organization.namespace, name: 'shop' };
    await providers[0].deploy(organization, 'shop', { version: a });
    await client().patch(kinds.provider, ref, { spec: { replicas: 3 } });
    await providers[0].deploy(organization, 'shop', { version: b });
    expect(await client().get<Provider>(kinds.provider, ref)).toMatchObject({
      spec: { replicas: 3, version: b },
    });
  });

  it('with an external endpoint are not overwritten by a deploy', async () => {
    const organization = await anOrganization();
    const { namespace } = organization;
    const endpoint = 'https://shop.example/events';
    const spec = { provider: 'shop', endpoint };
    const metadata = { name: 'shop', namespace };
    await client().create(kinds.provider, {
      apiVersion,
      kind: 'Provider',
      metadata,
      spec,
    } as Provider);
    await expect(providers[0].deploy(organization, 'shop', { version: a })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('runs elsewhere'),
    });
    expect(await providers[0].find(organization, 'shop')).toMatchObject({
      endpoint,
      version: undefined,
    });
  });

  it('in deletion are neither listed nor deployed', async () => {
    const organization = await anOrganization();
    const ref = { namespace: organization.namespace, name: 'shop' };
    await providers[0].deploy(organization, 'shop', { version: a });
    await client().patch(kinds.provider, ref, { metadata: { finalizers: ['test.invalid/hold'] } });
    await providers[0].remove(organization, 'shop');
    expect(await providers[1].find(organization, 'shop')).toBeUndefined();
    expect(await providers[1].list(organization)).toEqual([]);
    await expect(providers[1].deploy(organization, 'shop', { version: b })).rejects.toMatchObject({
      code: 'provider_deleting',
    });
    await client().patch(kinds.provider, ref, { metadata: { finalizers: [] } });
    expect(await providers[1].deploy(organization, 'shop', { version: b })).toMatchObject({
      version: b,
      previousVersion: undefined,
    });
  });

  it('can be removed when missing', async () => {
    const organization = await anOrganization();
    await providers[0].remove(organization, 'shop');
    expect(await providers[0].list(organization)).toEqual([]);
  });
});
