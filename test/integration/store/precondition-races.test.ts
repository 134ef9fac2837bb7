// Writes with a precondition while somebody else writes, or while the response of the API server is lost: the store on a
// real API server, through a client that lets a test act right before or after one of its writes.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { crdManifests } from '../../../src/crds/manifest.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import type { FairleadError } from '../../../src/domain/errors.ts';
import {
  keyOf,
  objectNameOf,
  organizationOf,
  resourceAddress,
  slashed,
} from '../../../src/domain/identity.ts';
import type { KubeClient } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { installCrds } from '../../../src/kube/crd-installer.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import { silentLog } from '../../../src/lib/log.ts';
import type { Precondition, ResourceStore } from '../../../src/store/interfaces.ts';
import { annotation, apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { createResourceStore } from '../../../src/store/resources/store.ts';
import { applyDeps } from '../../support/fixtures/apply-deps.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const organization = organizationOf('https://issuer.test', `preconditions-${randomUUID()}`);
const { namespace } = organization;
const client = createKubeClient(loadCluster(sharedControlPlane()));

beforeAll(async () => {
  await installCrds(client, crdManifests('0.0.0-test'), { log: silentLog });
  const metadata = { name: namespace };
  await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata });
});
afterAll(() => client.close());

type Write = 'replace' | 'patch' | 'delete';

/** A client that lets `act` happen once, right before its first write of that kind. */
function before(write: Write, act: () => Promise<unknown>): KubeClient {
  let acted = false;
  const first = async () => {
    if (acted) return;
    acted = true;
    await act();
  };
  return new Proxy(client, {
    get: (target, name: keyof KubeClient) =>
      name === write
        ? async (...args: readonly unknown[]) => {
            await first();
            return (target[name] as (...given: readonly unknown[]) => unknown)(...args);
          }
        : target[name],
  });
}

/** A client whose first replace is carried out, but not answered. */
function losingReplace(): KubeClient {
  let lost = false;
  return {
    ...client,
    replace: async (kind, object, options) => {
      const written = await client.replace(kind, object, options);
      if (lost) return written;
      lost = true;
      throw new KubeError({ reason: 'timeout', message: 'no response', outcome: 'unknown' });
    },
  };
}

function storeOver(given: KubeClient): ResourceStore {
  return createResourceStore(applyDeps(given));
}

const plain = storeOver(client);
const tupleOf = (name: string) => ({ provider: 'box', resource: 'crate', name });

function apply(store: ResourceStore, name: string, a: number, precondition?: Precondition) {
  const unset = { tags: undefined, projectId: undefined, dependencies: undefined };
  const wanted = { tuple: tupleOf(name), config: { a }, lifecycle: 'draft' as const, ...unset };
  const validateConfig = () => Promise.resolve(1);
  return store.apply(organization, wanted, { scope: undefined, validateConfig, precondition });
}

function remove(store: ResourceStore, name: string, precondition: Precondition, force = false) {
  const tuple = tupleOf(name);
  const address = { key: keyOf(tuple), tuple, text: slashed(tuple) };
  return store.requestDeletion(organization, address, { scope: undefined, precondition, force });
}

/** @returns the precondition that it is still this version */
async function created(name: string): Promise<Precondition> {
  const { revision: first } = await apply(plain, name, 1);
  return (revision) => revision === first;
}

const refTo = (name: string) => ({ namespace, name: objectNameOf(keyOf(tupleOf(name))) });
const stored = (name: string) => client.get<Resource>(kinds.resource, refTo(name));

/** Like a reconciler: another version, with the same content. */
async function writeStatus(name: string): Promise<void> {
  const { metadata } = await stored(name);
  const status = { state: 'draft', reason: 'Draft', observedGeneration: 1, content: 'x' };
  const head = { apiVersion, kind: kinds.resource.kind, metadata };
  await client.replaceStatus(kinds.resource, { ...head, status: { ...status, conditions: [] } });
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (thrown: FairleadError | KubeError) =>
      thrown instanceof KubeError ? thrown.reason : thrown.code,
  );

it('changes nothing when another client writes in between', async () => {
  const same = await created('change');
  const slow = storeOver(before('replace', () => apply(plain, 'change', 2)));
  expect(await codeOf(apply(slow, 'change', 3, same))).toBe('precondition_failed');
  expect((await stored('change')).spec.config).toEqual({ a: 2 });
});

it('reports success when only the response to the write was lost', async () => {
  const same = await created('lost');
  const written = await apply(storeOver(losingReplace()), 'lost', 2, same);
  expect(written.config).toEqual({ a: 2 });
});

it.each([false, true])('deletes nothing that was changed in between, force: %s', async (force) => {
  const name = `delete-${force}`;
  const same = await created(name);
  const slow = storeOver(before('delete', () => apply(plain, name, 2)));
  expect(await codeOf(remove(slow, name, same, force))).toBe('precondition_failed');
  const { metadata, spec } = await stored(name);
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(metadata.annotations).not.toHaveProperty([annotation.forceDeletion]);
  expect(spec.config).toEqual({ a: 2 });
});

it('rejects a forced deletion when the mark comes too late', async () => {
  const same = await created('mark');
  const slow = storeOver(before('patch', () => apply(plain, 'mark', 2)));
  expect(await codeOf(remove(slow, 'mark', same, true))).toBe('precondition_failed');
  expect((await stored('mark')).metadata.annotations).not.toHaveProperty([
    annotation.forceDeletion,
  ]);
});

it('completes a forced deletion that has begun, whatever the status', async () => {
  const same = await created('begun');
  const slow = storeOver(before('delete', () => writeStatus('begun')));
  expect(await codeOf(remove(slow, 'begun', same, true))).toBe('done');
  expect((await stored('begun')).metadata.deletionTimestamp).toBeDefined();
});

const protect = (name: string, isProtected = true) =>
  client.patch(kinds.resource, refTo(name), { spec: { protected: isProtected } });
const always: Precondition = () => true;

it.each([
  ['without force', {}],
  ['by force', { force: true }],
  ['that leaves its object', { orphan: true }],
])('a deletion %s loses against a protection before its write', async (how, asked) => {
  const name = `protected-${how.replaceAll(' ', '-')}`;
  await apply(plain, name, 1);
  const address = resourceAddress(tupleOf(name));
  const slow = storeOver(before('delete', () => protect(name)));
  const request = slow.requestDeletion(organization, address, { scope: undefined, ...asked });
  expect(await codeOf(request)).toBe('resource_protected');
  const { metadata } = await stored(name);
  expect(metadata.deletionTimestamp).toBeUndefined();
  // A deletion with kubectl would follow them, once the protection is lifted.
  expect(metadata.annotations).not.toHaveProperty([annotation.orphanDeletion]);
  expect(metadata.annotations).not.toHaveProperty([annotation.forceDeletion]);
});

it('takes back the mark of a forced deletion that did not begin, and of no other', async () => {
  const lost = new KubeError({ reason: 'unavailable', message: 'no response', outcome: 'unknown' });
  await apply(plain, 'unbegun', 1);
  const refusing = storeOver(before('delete', () => Promise.reject(lost)));
  expect(await codeOf(remove(refusing, 'unbegun', always, true))).toBe('unavailable');
  const { metadata } = await stored('unbegun');
  expect(metadata.annotations).not.toHaveProperty([annotation.forceDeletion]);

  await apply(plain, 'unanswered', 1);
  const deleted = () => client.delete(kinds.resource, refTo('unanswered'));
  const losing = storeOver(before('delete', () => deleted().then(() => Promise.reject(lost))));
  expect(await codeOf(remove(losing, 'unanswered', always, true))).toBe('unavailable');
  expect((await stored('unanswered')).metadata).toMatchObject({
    deletionTimestamp: expect.any(String),
    annotations: { [annotation.forceDeletion]: 'true' },
  });
});

it('a deletion whose mark loses against a protection leaves nothing', async () => {
  await apply(plain, 'protected-early', 1);
  const slow = storeOver(before('patch', () => protect('protected-early')));
  expect(await codeOf(remove(slow, 'protected-early', always, true))).toBe('resource_protected');
  const { metadata } = await stored('protected-early');
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(metadata.annotations).not.toHaveProperty([annotation.forceDeletion]);
});

it('a deletion wins when the protection was lifted before its look', async () => {
  await apply(plain, 'lifted', 1);
  await protect('lifted');
  expect(await codeOf(remove(plain, 'lifted', always))).toBe('resource_protected');
  await protect('lifted', false);
  expect(await codeOf(remove(plain, 'lifted', always))).toBe('done');
});
