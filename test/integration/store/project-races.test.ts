// An apply and the deletion of its project, interleaved at the worst moments: the stores on a real API server, with a client that
// runs another request right before one of their writes.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import type { FairleadError } from '../../../src/domain/errors.ts';
import {
  keyOf,
  objectNameOf,
  organizationOf,
  projectNameOf,
} from '../../../src/domain/identity.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { ProjectStore, ResourceStore } from '../../../src/store/interfaces.ts';
import { apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { createProjectGate } from '../../../src/store/projects/gate.ts';
import { createProjectStore } from '../../../src/store/projects/store.ts';
import { createResourceStore } from '../../../src/store/resources/store.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { applyDeps } from '../../support/fixtures/apply-deps.ts';

const organization = organizationOf('https://issuer.test', `races-${randomUUID()}`);
const { namespace } = organization;
const client = clientWithCrds();
const clock = systemClock;

beforeAll(async () => {
  const metadata = { name: namespace };
  await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata });
});

/** A client that lets `act` happen once, before its first write of that kind. */
function before(verb: 'create' | 'delete', kind: object, act: () => Promise<unknown>): KubeClient {
  let acted = false;
  const once = async (asked: object) => {
    if (asked !== kind || acted) return;
    acted = true;
    await act();
  };
  return {
    ...client,
    create: async (asked, object, options) => {
      if (verb === 'create') await once(asked);
      return client.create(asked, object, options);
    },
    delete: async (asked, ref, options) => {
      if (verb === 'delete') await once(asked);
      return client.delete(asked, ref, options);
    },
  };
}

function storesOver(given: KubeClient): { projects: ProjectStore; resources: ResourceStore } {
  return {
    projects: createProjectStore({ client: given, clock }),
    resources: createResourceStore(applyDeps(given)),
  };
}

function applyInto(
  { resources }: { resources: ResourceStore },
  projectId: string | undefined,
  name: string,
) {
  const wanted = {
    tuple: { provider: 'box', resource: 'crate', name },
    config: {},
    lifecycle: 'draft' as const,
    tags: undefined,
    projectId,
    dependencies: undefined,
  };
  const validateConfig = () => Promise.resolve(1);
  return resources.apply(organization, wanted, { scope: undefined, validateConfig });
}

async function living(name: string): Promise<readonly Resource[]> {
  const { items } = await client.list<Resource>(kinds.resource, { namespace });
  return items.filter(
    ({ metadata, spec }) => spec.name === name && metadata.deletionTimestamp === undefined,
  );
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (thrown: FairleadError) => thrown.code,
  );

const plain = storesOver(client);

it('reverts what was written after its project was found empty and deleted', async () => {
  await plain.projects.create(organization, { projectId: 'lost', name: 'Lost' });
  const slow = storesOver(
    before('create', kinds.resource, () => plain.projects.remove(organization, 'lost')),
  );
  expect(await codeOf(applyInto(slow, 'lost', 'too-late'))).toBe('invalid');
  expect(await living('too-late')).toEqual([]);
});

it('reverts what was written when the answer to the write was lost, too', async () => {
  await plain.projects.create(organization, { projectId: 'unheard', name: 'Unheard' });
  const deaf: KubeClient = {
    ...client,
    create: async (kind, object, options) => {
      const created = await client.create(kind, object, options);
      if (kind !== kinds.resource) return created as never;
      // By kubectl: the store refuses to remove a project in use.
      await client.delete(kinds.project, { namespace, name: projectNameOf('unheard') });
      throw new KubeError({ reason: 'timeout', message: 'no response', outcome: 'unknown' });
    },
  };
  expect(await codeOf(applyInto(storesOver(deaf), 'unheard', 'unheard'))).toBe('invalid');
  expect(await living('unheard')).toEqual([]);
});

it('leaves a resource that somebody else created in a missing project', async () => {
  const tuple = { provider: 'box', resource: 'crate', name: 'foreign' };
  const foreign = async () => {
    const metadata = { name: objectNameOf(keyOf(tuple)), namespace };
    const spec = { ...tuple, project: 'nowhere', lifecycle: 'Draft', config: {} };
    const { kind } = kinds.resource;
    await client.create(kinds.resource, { apiVersion, kind, metadata, spec } as KubeObject);
  };
  const beaten = storesOver(before('create', kinds.resource, foreign));
  expect(await codeOf(applyInto(beaten, undefined, 'foreign'))).toBe('invalid');
  expect(await living('foreign')).toHaveLength(1);
});

it('keeps a project with a resource that was written after it was found empty', async () => {
  await plain.projects.create(organization, { projectId: 'kept', name: 'Kept' });
  let applied: Promise<string> = Promise.resolve('not asked');
  const early = before('create', kinds.resource, async () => {
    // The apply has found the project open; now the deletion begins, and looks, before the resource is there.
    const slowRemoval = storesOver(before('delete', kinds.project, () => reached));
    removed = codeOf(slowRemoval.projects.remove(organization, 'kept'));
    await marked();
  });
  let release: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    release = resolve;
  });
  let removed: Promise<string> = Promise.resolve('not asked');
  const marked = async () => {
    const gate = createProjectGate({ client, clock });
    while (await gate.isOpen(organization, 'kept')) await new Promise(setImmediate);
  };
  applied = codeOf(applyInto(storesOver(early), 'kept', 'in-time'));
  expect(await applied).toBe('done');
  release();
  expect(await removed).toBe('project_in_use');
  expect(await living('in-time')).toHaveLength(1);
  expect((await plain.projects.get(organization, 'kept')).name).toBe('Kept');
});

it('restarts a deletion when the project was renamed meanwhile', async () => {
  await plain.projects.create(organization, { projectId: 'renamed', name: 'Before' });
  const slow = storesOver(
    before('delete', kinds.project, () =>
      plain.projects.update(organization, 'renamed', { name: 'After' }),
    ),
  );
  await slow.projects.remove(organization, 'renamed');
  expect(await codeOf(plain.projects.get(organization, 'renamed'))).toBe('project_not_found');
});
