// A commit and the deletion of its provider, interleaved at the worst moments: the store of resources on a real API server, with
// a client that runs another request right before its write.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { type Provider, providerFinalizer } from '../../../src/crds/provider.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import type { ResourceDefinition } from '../../../src/crds/resource-definition.ts';
import type { FairleadError } from '../../../src/domain/errors.ts';
import { definitionNameOf, organizationOf } from '../../../src/domain/identity.ts';
import type { Informer, KubeClient } from '../../../src/kube/api.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { ResourceStore } from '../../../src/store/interfaces.ts';
import { apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { createDefinitionStore } from '../../../src/store/providers/definitions.ts';
import { createResourceStore } from '../../../src/store/resources/store.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { applyDeps } from '../../support/fixtures/apply-deps.ts';
import { aResource } from '../../support/fixtures/builders.ts';

const organization = organizationOf('https://issuer.test', `provider-races-${randomUUID()}`);
const { namespace } = organization;
const client = clientWithCrds();
const clock = systemClock;

beforeAll(async () => {
  const metadata = { name: namespace };
  await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata });
});

/** One that Fairlead runs: it stays until its resources are gone. */
async function hosted(name: string): Promise<void> {
  const metadata = { namespace, name, finalizers: [providerFinalizer] };
  const spec = { provider: name, version: '20260131.120000' };
  const provider = { apiVersion, kind: 'Provider', metadata, spec } as Provider;
  await client.create<Provider>(kinds.provider, provider);
}

const going = (name: string) => client.delete(kinds.provider, { namespace, name });

/** @param act done once, before the first write of a Resource */
function storeOver(act: () => Promise<unknown> = () => Promise.resolve()): ResourceStore {
  let acting: Promise<unknown> | undefined;
  const once = async (kind: object) => {
    if (kind !== kinds.resource) return;
    acting ??= act();
    await acting;
  };
  const slow: KubeClient = {
    ...client,
    create: async (kind, object, options) => {
      await once(kind);
      return client.create(kind, object, options);
    },
    replace: async (kind, object) => {
      await once(kind);
      return client.replace(kind, object);
    },
  };
  return createResourceStore({
    ...applyDeps(slow, client),
    // As if it existed: an apply reads the object that it changes. It is another one, so nothing is planned for it.
    known: () => aResource(),
  });
}

interface Asked {
  readonly provider: string;
  readonly lifecycle: 'draft' | 'pending';
  readonly name?: string;
}

function apply(resources: ResourceStore, { provider, lifecycle, name = 'a' }: Asked) {
  const wanted = {
    tuple: { provider, resource: 'crate', name },
    config: {},
    lifecycle,
    tags: undefined,
    projectId: undefined,
    dependencies: undefined,
  };
  const validateConfig = () => Promise.resolve(1);
  return resources.apply(organization, wanted, { scope: undefined, validateConfig }).then(
    ({ state }) => state,
    (thrown: FairleadError) => thrown.code,
  );
}

async function living(provider: string): Promise<readonly string[]> {
  const { items } = await client.list<Resource>(kinds.resource, { namespace });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ spec }) => spec.provider === provider)
    .map(({ spec }) => spec.lifecycle);
}

it('rejects commits for a provider in deletion, and accepts drafts', async () => {
  await hosted('gone');
  await going('gone');
  expect(await apply(storeOver(), { provider: 'gone', lifecycle: 'pending' })).toBe(
    'provider_deleting',
  );
  expect(await living('gone')).toEqual([]);
  const sketch = { provider: 'gone', name: 'sketch' };
  expect(await apply(storeOver(), { ...sketch, lifecycle: 'draft' })).toBe('draft');
  const committed = await apply(storeOver(), { ...sketch, lifecycle: 'pending' });
  expect(committed).toBe('provider_deleting');
  expect(await living('gone')).toEqual(['Draft']);
});

it('reverts what was created while the deletion started', async () => {
  await hosted('late');
  const slow = storeOver(() => going('late'));
  expect(await apply(slow, { provider: 'late', lifecycle: 'pending' })).toBe('provider_deleting');
  expect(await living('late')).toEqual([]);
});

it('keeps a change that the deletion sees, as it is included or blocks it', async () => {
  await hosted('seen');
  expect(await apply(storeOver(), { provider: 'seen', lifecycle: 'draft' })).toBe('draft');
  const slow = storeOver(() => going('seen'));
  expect(await apply(slow, { provider: 'seen', lifecycle: 'pending' })).toBe('pending');
  expect(await living('seen')).toEqual(['Committed']);
});

it('accepts resources of a missing provider', async () => {
  expect(await apply(storeOver(), { provider: 'never', lifecycle: 'pending' })).toBe('pending');
});

it('lists no type of a provider that went between two reads', async () => {
  await hosted('ended');
  const typeOf = (provider: string) => ({ namespace, name: definitionNameOf(provider, 'crate') });
  for (const provider of ['ended', 'elsewhere']) {
    const metadata = typeOf(provider);
    const spec = { provider, resource: 'crate', description: 'A crate' };
    await client.create(kinds.definition, {
      apiVersion,
      kind: 'ResourceDefinition',
      metadata,
      spec,
    } as ResourceDefinition);
  }
  let hasEnded = false;
  const end = async () => {
    if (hasEnded) return;
    hasEnded = true;
    await client.delete(kinds.definition, typeOf('ended'));
    const metadata = { finalizers: [] };
    await client.patch(kinds.provider, { namespace, name: 'ended' }, { metadata });
    await going('ended');
  };
  const slow: KubeClient = {
    ...client,
    list: async (kind, options) => {
      // After the first list of the types.
      if (kind === kinds.provider) await end();
      return client.list(kind, options);
    },
  };
  const types = createDefinitionStore({
    client: slow,
    cache: {} as Informer<ResourceDefinition>,
    providers: { get: () => undefined },
    clock,
  });
  expect((await types.list(organization)).map(({ provider }) => provider)).toEqual(['elsewhere']);
});
