// Two field managers that declare one config, on a real API server, in a group of its own, because the definitions of Fairlead are
// shared.
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

function definition() {
  const made = crdManifest(Resource, '1.0.0');
  const names = { kind: 'Resource', listKind: 'ResourceList', plural: 'resources' };
  return { ...made, metadata: { name: plural }, spec: { ...made.spec, group, names } };
}

type Fields = Readonly<Record<'config' | 'adopt', object>>;
const both = (value: object): Fields => ({ config: value, adopt: value });

let kubectl: Kubectl;
const declared = (name: string, fields: Fields) => {
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
  await kubectl.with(definition(), 'create', '-f', '-');
  // The API server serves a new definition a moment later.
  await eventually(() => create('first', both({})));
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
