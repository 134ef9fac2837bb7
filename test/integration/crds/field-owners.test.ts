// [upgrade] Two field managers that declare one config, on a real API server: also when the object was stored under definitions that
// merged configs. In a group of its own, because the definitions of Fairlead are shared.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { crdManifest } from '../../../src/crds/manifest.ts';
import { Resource } from '../../../src/crds/resource.ts';
import { aResource } from '../../support/fixtures/kubectl-fixture.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type Kubectl, kubectlFor } from '../../support/tools/kubectl.ts';

const group = `o${randomUUID().slice(0, 8)}.fairlead.test`;
const plural = `resources.${group}`;
const mapType = 'x-kubernetes-map-type';

interface Definition {
  metadata: object;
  spec: {
    group: string;
    names: object;
    versions: [{ schema: { openAPIV3Schema: { properties: { spec: Schema } } } }];
  };
}

interface Schema {
  properties: Record<'config' | 'adopt', { [mapType]?: string }>;
}

function definition(merging: boolean): Definition {
  const made = JSON.parse(JSON.stringify(crdManifest(Resource, '0.1.0'))) as Definition;
  made.metadata = { name: plural };
  made.spec.group = group;
  made.spec.names = { kind: 'Resource', listKind: 'ResourceList', plural: 'resources' };
  const { spec } = made.spec.versions[0].schema.openAPIV3Schema.properties;
  if (merging) {
    for (const field of ['config', 'adopt'] as const) delete spec.properties[field][mapType];
  } else {
    // Accepted as soon as the API server works by this definition.
    Object.assign(spec.properties, { servedNow: { type: 'string' } });
  }
  return made;
}

type Fields = Readonly<Record<'config' | 'adopt', object>>;
const both = (value: object): Fields => ({ config: value, adopt: value });

let kubectl: Kubectl;
const declared = (name: string, fields: Fields & { servedNow?: string }) => {
  const made = aResource({ name, ...fields });
  return { ...made, apiVersion: `${group}/v1alpha1` };
};
const nameOf = (name: string) => aResource({ name }).metadata.name;
/** What the API of Fairlead does: an update of the whole object. */
const create = (name: string, fields: Fields) =>
  kubectl.with(declared(name, fields), 'create', '--field-manager=fairlead', '-f', '-');
const applyAs = (manager: string, name: string, fields: Fields) => {
  const words = ['--server-side', '--force-conflicts', `--field-manager=${manager}`];
  return kubectl.with(declared(name, fields), 'apply', ...words, '-f', '-');
};
async function stored(name: string): Promise<Fields> {
  const { spec } = JSON.parse(await kubectl('get', plural, nameOf(name), '-o', 'json')) as {
    spec: Fields;
  };
  return { config: spec.config, adopt: spec.adopt };
}

beforeAll(async () => {
  kubectl = kubectlFor(sharedControlPlane().kubeconfig);
  await kubectl.with(definition(true), 'create', '-f', '-');
  await eventually(() => create('before', both({ a: 1, debug: true })));
  await applyAs('flux', 'before-merged', both({ e: 7 }));
  await applyAs('argo', 'before-merged', both({ f: 6 }));
  await kubectl.with(definition(false), 'replace', '-f', '-');
  await eventually(() =>
    kubectl.with(
      declared('probe', { ...both({}), servedNow: 'yes' }),
      ...['create', '--dry-run=server', '--validate=strict', '-f', '-'],
    ),
  );
});

afterAll(() => kubectl('delete', 'customresourcedefinition', plural));

it('takes a key away that the declaration of another manager lacks', async () => {
  await create('fewer', both({ a: 1, debug: true }));
  await applyAs('flux', 'fewer', both({ a: 1 }));
  expect(await stored('fewer')).toEqual(both({ a: 1 }));
});

it('never makes a config of two declarations', async () => {
  await applyAs('flux', 'other', both({ e: 7 }));
  await applyAs('argo', 'other', both({ f: 6 }));
  expect(await stored('other')).toEqual(both({ f: 6 }));
});

it.each([
  ['before', 'an object that was created under the definitions of before'],
  ['before-merged', 'an object that two managers applied under the definitions of before'],
])('%s: %s has the next declaration alone', async (name) => {
  await applyAs('flux', name, both({ a: 1 }));
  expect(await stored(name)).toEqual(both({ a: 1 }));
});
