// [upgrade] Providers that were stored under the definition of release 0.1.0, which allowed 0 to 100 replicas, on a real API server:
// in a group of its own, because the definitions of Fairlead are shared.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { crdManifest } from '../../../src/crds/manifest.ts';
import { Provider } from '../../../src/crds/provider.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type Kubectl, kubectlFor } from '../../support/tools/kubectl.ts';

const group = `u${randomUUID().slice(0, 8)}.fairlead.test`;
const plural = `providers.${group}`;

interface Definition {
  metadata: object;
  spec: {
    group: string;
    names: object;
    versions: [{ schema: { openAPIV3Schema: { properties: { spec: Schema } } } }];
  };
}

interface Schema {
  properties: { replicas: object };
}

function definition(replicas?: object): Definition {
  const made = JSON.parse(JSON.stringify(crdManifest(Provider, '0.1.0'))) as Definition;
  made.metadata = { name: plural };
  made.spec.group = group;
  made.spec.names = { kind: 'Provider', listKind: 'ProviderList', plural: 'providers' };
  const { spec } = made.spec.versions[0].schema.openAPIV3Schema.properties;
  if (replicas !== undefined) spec.properties.replicas = replicas;
  return made;
}

let kubectl: Kubectl;
const names = { none: undefined, many: 50, zero: 0 };
const patch = (name: string, change: object, ...flags: readonly string[]) =>
  kubectl('patch', plural, name, '--type=merge', '-p', JSON.stringify(change), ...flags);
const replicasOf = (name: string) =>
  kubectl('get', plural, name, '-o', 'jsonpath={.spec.replicas}');

beforeAll(async () => {
  kubectl = kubectlFor(sharedControlPlane().kubeconfig);
  const before = definition({ type: 'integer', minimum: 0, maximum: 100 });
  await kubectl.with(before, 'create', '-f', '-');
  for (const [name, replicas] of Object.entries(names)) {
    const spec = { provider: name, version: '20260101.000000', replicas };
    const object = { apiVersion: `${group}/v1alpha1`, kind: 'Provider', metadata: { name }, spec };
    await eventually(() => kubectl.with(object, 'create', '-f', '-'));
  }
  await kubectl.with(definition(), 'replace', '-f', '-');
  await eventually(async () => expect(await replicasOf('none')).toBe('1'));
});

afterAll(() => kubectl('delete', 'customresourcedefinition', plural));

it.each(Object.keys(names))(
  '%s: can be changed otherwise, and its status be written',
  async (name) => {
    const before = await replicasOf(name);
    await patch(name, { spec: { version: '20260102.000000' } });
    await patch(name, { status: { replicas: 1, selector: 'a=b' } }, '--subresource=status');
    expect(await replicasOf(name)).toBe(before);
  },
);

it('accepts only numbers from 1 to 10 from then on', async () => {
  await expect(patch('many', { spec: { replicas: 51 } })).rejects.toThrow(/must be 1 to 10/);
  await patch('many', { spec: { replicas: 10 } });
  await expect(patch('many', { spec: { replicas: 50 } })).rejects.toThrow(/must be 1 to 10/);
  await kubectl('scale', `${plural}/zero`, '--replicas=2');
  expect(await replicasOf('zero')).toBe('2');
});
