// [U2] Resources that Flux and Argo CD apply from Git: their field managers, what they read of a status, and that nothing drifts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resourceFinalizer } from '../../src/crds/resource.ts';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { answer, done } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';
import { type Kubectl, kubectlFor } from '../support/tools/kubectl.ts';

let crates: Crates;
let kubectl: Kubectl;

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('impatient'), 'gitops');
  kubectl = kubectlFor(crates.fairlead.kubeconfig, crates.namespace);
  await crates.pointAt('box', crates.provider.url);
});
afterAll(() => crates?.close());

const plural = 'resources.fairlead.dev';

/** Git holds no more. */
const manifest = (name: string, config: object = { size: 1 }) => ({
  apiVersion: 'fairlead.dev/v1alpha1',
  kind: 'Resource',
  metadata: { name: `box.crate.${name}`, namespace: crates.namespace },
  spec: { provider: 'box', resource: 'crate', name, config },
});

/** Server-side, as kustomize-controller and Argo CD with ServerSideApply=true; Argo CD without it applies as kubectl does. */
const appliers = {
  'kustomize-controller': [
    ...['--server-side', '--force-conflicts', '--field-manager=kustomize-controller'],
  ],
  'argocd-controller': [
    ...['--server-side', '--force-conflicts', '--field-manager=argocd-controller'],
  ],
  'argocd-controller, client-side': ['--field-manager=argocd-controller'],
};

const apply = (words: readonly string[], object: object) =>
  kubectl.with(object, 'apply', ...words, '-f', '-');

interface Stored {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly generation: number;
    readonly finalizers: readonly string[];
    readonly managedFields: readonly { manager: string; operation: string; fieldsV1: object }[];
  };
  readonly spec: object;
  readonly status?: {
    readonly observedGeneration: number;
    readonly conditions: readonly { type: string; status: string }[];
  };
}

async function stored(name: string): Promise<Stored> {
  const words = ['get', plural, `box.crate.${name}`, '--show-managed-fields', '-o', 'json'];
  return JSON.parse(await kubectl(...words)) as Stored;
}

/** What kstatus, by which Flux judges health, makes of an object. */
async function health(name: string): Promise<string> {
  const { metadata, status } = await stored(name);
  const isTrue = (type: string) =>
    status?.conditions.some((each) => each.type === type && each.status === 'True') === true;
  if (status?.observedGeneration !== metadata.generation) return 'InProgress';
  if (isTrue('Stalled')) return 'Failed';
  if (isTrue('Reconciling')) return 'InProgress';
  return isTrue('Ready') ? 'Current' : 'InProgress';
}

const becomes = (name: string, wanted: string) =>
  eventually(async () => expect(await health(name)).toBe(wanted));

it.each(Object.entries(appliers))('stay as %s declares them', async (manager, words) => {
  const name = `kept-${Object.keys(appliers).indexOf(manager)}`;
  const object = manifest(name);
  await apply(words, object);
  await becomes(name, 'Current');
  const before = await stored(name);
  // The default of the definition is all that nobody declared.
  expect(before.spec).toEqual({ ...object.spec, lifecycle: 'Committed' });
  expect(before.metadata.finalizers).toEqual([resourceFinalizer]);
  const owners = before.metadata.managedFields.filter(({ fieldsV1 }) => 'f:spec' in fieldsV1);
  expect(owners.map((each) => each.manager)).toEqual([manager.split(',')[0]]);

  await apply(words, object);
  const after = await stored(name);
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  const { body } = await crates.acme.get(`/resources/box%2Fcrate%2F${name}`);
  expect(body).toMatchObject({ lifecycle_state: 'ready', project_name: 'default' });
});

const flux = appliers['kustomize-controller'];

it('get back what another client changed', async () => {
  await apply(flux, manifest('changed'));
  await becomes('changed', 'Current');
  const applied = await crates.acme.post('/resources/apply', crate('changed', { size: 2 }));
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  await becomes('changed', 'Current');
  await apply(flux, manifest('changed'));
  await becomes('changed', 'Current');
  const { spec } = await stored('changed');
  expect(spec).toMatchObject({ config: { size: 1 } });
  const sizes = crates.provider.receipts
    .filter(({ body }) => body.name === 'changed')
    .map(({ body }) => body.config['size']);
  expect(sizes).toEqual([1, 2, 1]);
});

it('are mended by another commit after a failure', async () => {
  crates.provider.respond(({ body }, response) =>
    body.config['size'] === 13
      ? answer(response, 422, { error: { code: 'unlucky', message: 'no' } })
      : done()({ body } as never, response),
  );
  await apply(flux, manifest('mended', { size: 13 }));
  await becomes('mended', 'Failed');
  await apply(flux, manifest('mended', { size: 14 }));
  await becomes('mended', 'Current');
  crates.provider.respond(done());
});

it('are pruned', async () => {
  await apply(flux, manifest('pruned'));
  await becomes('pruned', 'Current');
  await kubectl('delete', plural, 'box.crate.pruned', '--cascade=background', '--timeout=30s');
  const types = crates.provider.receipts
    .filter(({ body }) => body.name === 'pruned')
    .map(({ body }) => body.event_type);
  expect(types).toEqual(['CREATE', 'DELETE']);
});

it('can be what Git holds after an apply over HTTP', async () => {
  expect((await crates.acme.post('/resources/apply', crate('moved'))).status).toBe(200);
  await crates.reaches('moved', 'ready');
  const before = await stored('moved');
  await apply(flux, manifest('moved'));
  await becomes('moved', 'Current');
  const after = await stored('moved');
  expect(after.spec).toEqual(before.spec);
  expect(after.metadata.generation).toBe(before.metadata.generation);
});

it('are refused for a wrong name in words about it alone', async () => {
  const wrong = { ...manifest('wrong'), metadata: { name: 'wrong', namespace: crates.namespace } };
  const refused = await apply(flux, wrong).then(
    () => 'accepted',
    (thrown: Error) => thrown.message,
  );
  expect(refused).toContain('metadata.name: Invalid value: must be box.crate.wrong');
  expect(refused).not.toContain('<nil>');
});
