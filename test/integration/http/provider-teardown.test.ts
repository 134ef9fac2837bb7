// A provider is deleted with its resources while another version of it rolls out, on a real API server: its types hold for each
// deletion of a resource, and go with the Provider.
import { expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import type { ResourceDefinition } from '../../../src/crds/resource-definition.ts';
import { definitionNameOf, organizationOf } from '../../../src/domain/identity.ts';
import { hasReason } from '../../../src/kube/errors.ts';
import { typeOf } from '../../../src/reconcilers/resource/type/observed-type.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { typeInForce } from '../../../src/store/providers/type-in-force.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { deployedCode } from '../../support/fixtures/code/deployed-code.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { eventually } from '../../support/runner/eventually.ts';

const organization = 'teardown';
const { api, admin, built, deploy, serves, commit, typesOf } = deployedCode(organization);
const client = clientWithCrds();

const slow = { resource: 'crate', description: 'A crate', timeoutSeconds: 1_800, concurrency: 1 };
const other = { resource: 'lid', description: 'A lid' };

const namespace = () => organizationOf(api().issuer.url, organization).namespace;
const provider = (name: string) =>
  client.get<Provider>(kinds.provider, { namespace: namespace(), name });

async function definitionsOf(name: string): Promise<readonly string[]> {
  const { items } = await client.list<ResourceDefinition>(kinds.definition, {
    namespace: namespace(),
  });
  return items.flatMap(({ spec }) => (spec.provider === name ? [spec.resource] : []));
}

/** The options of the type, as each pass over a resource observes them. */
async function limitsOf(name: string) {
  const ref = { namespace: namespace(), name: definitionNameOf(name, 'crate') };
  const definition = await client.get<ResourceDefinition>(kinds.definition, ref);
  const type = typeInForce(definition, await provider(name));
  return typeOf({ type, content: type?.content, provider: await provider(name) });
}

async function untilGone(name: string): Promise<void> {
  await eventually(async () => {
    const left = await provider(name).catch((thrown: unknown) => thrown);
    expect(hasReason(left, 'notFound')).toBe(true);
  });
}

it('keeps the limits of its types for the deletions, and leaves no type behind', async () => {
  const first = await built('going', [slow]);
  await deploy('going');
  await serves('going', first);
  const objects = resourceObjects(api(), organization);
  expect((await commit('going', 'first')).status).toBe(200);
  await objects.hold('going/crate/first');

  expect(await admin.delete('/providers/going?cascade=true')).toMatchObject({
    status: 200,
    body: { resources_deleted: 1, resource_definitions_deleted: 1 },
  });
  expect(await limitsOf('going')).toMatchObject({ timeoutSeconds: 1_800, concurrency: 1 });
  expect(await typesOf('going'), 'they accept nothing, and are not listed').toEqual([]);

  await objects.release('going/crate/first');
  await objects.close();
  await untilGone('going');
  expect(await definitionsOf('going')).toEqual([]);
});

it('stages no type of a version that is wanted during its deletion', async () => {
  const first = await built('rolling', [slow]);
  await deploy('rolling');
  await serves('rolling', first);
  const objects = resourceObjects(api(), organization);
  expect((await commit('rolling', 'first')).status).toBe(200);
  await objects.hold('rolling/crate/first');
  const version = await built('rolling', [slow, other]);

  expect((await admin.delete('/providers/rolling?cascade=true')).status).toBe(200);
  // As with kubectl: a deploy over HTTP is refused by now.
  const ref = { namespace: namespace(), name: 'rolling' };
  const { metadata } = await client.patch<Provider>(kinds.provider, ref, { spec: { version } });
  await eventually(async () => {
    const { status } = await provider('rolling');
    expect(status?.observedGeneration).toBe(metadata.generation);
  });
  expect(await definitionsOf('rolling')).toEqual(['crate']);

  await objects.release('rolling/crate/first');
  await objects.close();
  await untilGone('rolling');
  expect(await definitionsOf('rolling')).toEqual([]);
});

it('keeps types that were registered for a provider without code, and removes them with the provider', async () => {
  const type = { provider: 'manual', resource: 'crate', description: '' };
  expect((await admin.post('/resources/register', type)).status).toBe(200);
  expect((await admin.delete('/providers/manual')).status).toBe(200);
  expect(await definitionsOf('manual'), 'there is no such provider').toEqual(['crate']);

  await built('manual', []);
  await deploy('manual');
  expect((await admin.delete('/providers/manual')).status).toBe(200);
  await untilGone('manual');
  expect(await definitionsOf('manual')).toEqual([]);
  expect((await admin.post('/resources/register', type)).status, 'a new one').toBe(200);
  expect(await typesOf('manual')).toHaveLength(1);
});
