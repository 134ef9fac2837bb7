// Batches while somebody else writes one of their members, or while the API server fails for one: the store on a real API server,
// through a client that lets a test act right before a write, or that loses an answer.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { InvalidRequest } from '../../../src/domain/errors.ts';
import { keyOf, objectNameOf, organizationOf, slashed } from '../../../src/domain/identity.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { KubeError, type KubeErrorInit } from '../../../src/kube/errors.ts';
import { apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import type { CommittedMember } from '../../../src/store/resources/batch/commit.ts';
import type { BatchMember } from '../../../src/store/resources/batch/member.ts';
import { type BatchStore, createBatchStore } from '../../../src/store/resources/batch/store.ts';
import { createResourceStore } from '../../../src/store/resources/store.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { applyDeps } from '../../support/fixtures/apply-deps.ts';

const organization = organizationOf('https://issuer.test', `batch-races-${randomUUID()}`);
const { namespace } = organization;
const client = clientWithCrds();
const by = { subject: 'tester', name: undefined };

beforeAll(async () => {
  const metadata = { name: namespace };
  await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata });
});
afterAll(() => client.close());

const tupleOf = (name: string) => ({ provider: 'box', resource: 'crate', name });
const refTo = (name: string) => ({ namespace, name: objectNameOf(keyOf(tupleOf(name))) });

interface Faults {
  /** Done once, before the write of this resource. */
  readonly before?: () => Promise<unknown>;
  /** Thrown once, after the write was carried out. */
  readonly lost?: true;
  /** Thrown instead of every write. */
  readonly fails?: KubeErrorInit;
}

/** A client whose writes of one resource fare badly. */
function troubled(name: string, { before, lost, fails }: Faults): KubeClient {
  let isFirst = true;
  const badly = async <T>(write: () => Promise<T>): Promise<T> => {
    if (fails !== undefined) throw new KubeError(fails);
    const acts = isFirst;
    isFirst = false;
    if (acts) await before?.();
    const written = await write();
    if (!(acts && lost)) return written;
    throw new KubeError({ reason: 'timeout', message: 'no response', outcome: 'unknown' });
  };
  const isIt = ({ metadata }: KubeObject) => metadata.name === refTo(name).name;
  return {
    ...client,
    create: (kind, object, options) => {
      const write = () => client.create(kind, object, options);
      return isIt(object) ? badly(write) : write();
    },
    replace: (kind, object, options) => {
      const write = () => client.replace(kind, object, options);
      return isIt(object) ? badly(write) : write();
    },
  };
}

const storeOver = (given: KubeClient) => createBatchStore(applyDeps(given));
const plain = storeOver(client);
const single = createResourceStore(applyDeps(client));

const member = (name: string, config: object, validates = true): BatchMember => ({
  wanted: {
    ...{ tuple: tupleOf(name), config: { ...config }, lifecycle: 'draft' },
    ...{ tags: undefined, projectId: undefined, dependencies: undefined },
  },
  validateConfig: () =>
    validates
      ? Promise.resolve(1)
      : Promise.reject(new InvalidRequest([{ loc: ['body', 'config'], msg: 'no', type: 'x' }])),
});

const shown = (committed: readonly CommittedMember[]) =>
  committed.map(({ planned, ...each }) => {
    const error = each.outcome === 'refused' ? ` ${each.error.code}` : '';
    return `${slashed(planned.member.wanted.tuple)} ${each.outcome}${error}`;
  });

async function sent(
  store: BatchStore,
  members: readonly BatchMember[],
  { isApproved = false, between = () => Promise.resolve() as Promise<unknown> } = {},
): Promise<readonly string[]> {
  const options = { by, traceparent: undefined, replaces: false, isPreview: isApproved };
  const plan = await store.plan(organization, members, options);
  await between();
  return shown(await store.commit(organization, plan, { isApproved }));
}

const applySingly = (name: string, config: object) => {
  const { wanted, validateConfig } = member(name, config);
  return single.apply(organization, wanted, { scope: undefined, validateConfig });
};
const deleteSingly = (name: string) => {
  const tuple = tupleOf(name);
  const address = { key: keyOf(tuple), tuple, text: slashed(tuple) };
  return single.requestDeletion(organization, address, { scope: undefined });
};
const stored = (name: string) => client.get<Resource>(kinds.resource, refTo(name));
const configOf = async (name: string) => (await stored(name)).spec.config;
/** Drafts of these names, each with `{ a: 1 }`. */
const exist = (...names: readonly string[]) =>
  sent(
    plain,
    names.map((name) => member(name, { a: 1 })),
  );
/** Removes the object at once, as no reconciler runs. */
async function remove(name: string): Promise<void> {
  await deleteSingly(name);
  const found = await stored(name);
  const metadata = { ...found.metadata, finalizers: [] };
  await client.replace(kinds.resource, { ...found, metadata });
}
async function writeStatus(name: string): Promise<void> {
  const { metadata } = await stored(name);
  const status = { state: 'draft', reason: 'Draft', observedGeneration: 1, content: 'x' };
  const head = { apiVersion, kind: kinds.resource.kind, metadata };
  await client.replaceStatus(kinds.resource, { ...head, status: { ...status, conditions: [] } });
}

describe('a write of somebody else comes first', () => {
  it('an apply: the member is decided again, and the others are written', async () => {
    await exist('r1', 'r2');
    const store = storeOver(troubled('r1', { before: () => applySingly('r1', { a: 5 }) }));
    const outcomes = await sent(store, [member('r1', { a: 2 }), member('r2', { a: 2 })]);
    expect(outcomes).toEqual(['box/crate/r1 applied', 'box/crate/r2 applied']);
    expect(await configOf('r1')).toEqual({ a: 2 });
  });

  it('an equal apply: nothing is left to write', async () => {
    await exist('q1');
    const store = storeOver(troubled('q1', { before: () => applySingly('q1', { a: 2 }) }));
    expect(await sent(store, [member('q1', { a: 2 })])).toEqual(['box/crate/q1 unchanged']);
  });

  it('an apply to a member of an approved plan: it alone is refused', async () => {
    await exist('s1', 's2');
    const between = () => applySingly('s1', { a: 5 });
    const members = [member('s1', { a: 2 }), member('s2', { a: 2 })];
    expect(await sent(plain, members, { isApproved: true, between })).toEqual([
      'box/crate/s1 refused plan_stale',
      'box/crate/s2 applied',
    ]);
    expect(await configOf('s1')).toEqual({ a: 5 });
  });

  it('a status write makes no approved plan stale', async () => {
    await exist('t1');
    const between = () => writeStatus('t1');
    const outcomes = await sent(plain, [member('t1', { a: 2 })], { isApproved: true, between });
    expect(outcomes).toEqual(['box/crate/t1 applied']);
  });

  it('a create of what is new in an approved plan: it is refused', async () => {
    const between = () => applySingly('u1', { a: 5 });
    const outcomes = await sent(plain, [member('u1', { a: 2 })], { isApproved: true, between });
    expect(outcomes).toEqual(['box/crate/u1 refused plan_stale']);
  });

  it('a deletion under way refuses the member; one that has ended has it created', async () => {
    await exist('d1', 'd2', 'd3');
    const going = storeOver(troubled('d1', { before: () => deleteSingly('d1') }));
    expect(await sent(going, [member('d1', { a: 2 }), member('d2', { a: 2 })])).toEqual([
      'box/crate/d1 refused resource_deleting',
      'box/crate/d2 applied',
    ]);
    const gone = storeOver(troubled('d3', { before: () => remove('d3') }));
    expect(await sent(gone, [member('d3', { a: 3 })])).toEqual(['box/crate/d3 applied']);
    expect(await configOf('d3')).toEqual({ a: 3 });
  });

  it('whose content makes the member invalid: it alone is refused', async () => {
    await exist('i1', 'i2');
    let isValid = true;
    const picky = member('i1', { a: 2 });
    const validateConfig: BatchMember['validateConfig'] = (...asked) =>
      member('i1', {}, isValid).validateConfig(...asked);
    const before = async () => {
      await applySingly('i1', { a: 5 });
      isValid = false;
    };
    const committed = { ...picky.wanted, lifecycle: 'pending' as const };
    const members = [{ ...picky, wanted: committed, validateConfig }, member('i2', { a: 2 })];
    expect(await sent(storeOver(troubled('i1', { before })), members)).toEqual([
      'box/crate/i1 refused invalid',
      'box/crate/i2 applied',
    ]);
  });
});

describe('the answer of the API server is lost', () => {
  it.each([false, true])(
    'a write of this batch is recognised (approved: %s)',
    async (isApproved) => {
      const name = `l${isApproved}`;
      const fresh = `n${isApproved}`;
      await exist(name);
      for (const each of [name, fresh]) {
        const store = storeOver(troubled(each, { lost: true }));
        const outcomes = await sent(store, [member(each, { a: 2 })], { isApproved });
        expect(outcomes).toEqual([`box/crate/${each} applied`]);
      }
      expect((await stored(name)).metadata.generation).toBe(2);
      expect((await stored(fresh)).metadata.generation).toBe(1);
    },
  );

  it('one with an equal content of somebody else is not', async () => {
    await exist('m1');
    const between = () => applySingly('m1', { a: 2 });
    const outcomes = await sent(plain, [member('m1', { a: 2 })], { isApproved: true, between });
    expect(outcomes).toEqual(['box/crate/m1 refused plan_stale']);
  });
});

it.each<[string, KubeErrorInit, string]>([
  ['is not available', { reason: 'unavailable', message: 'x' }, 'unavailable'],
  ['fails', { reason: 'unavailable', message: 'x', outcome: 'unknown' }, 'unavailable'],
  ['refuses it by a rule of its own', { reason: 'invalid', message: 'x' }, 'unavailable'],
  ['finds it too large', { reason: 'tooLarge', message: 'x' }, 'too_large'],
])(
  'the API server %s: that member is refused, the others are written',
  async (why, fails, code) => {
    const [bad, good] = [`bad-${why.length}`, `good-${why.length}`];
    const store = storeOver(troubled(bad, { fails }));
    expect(await sent(store, [member(bad, {}), member(good, {})])).toEqual([
      `box/crate/${bad} refused ${code}`,
      `box/crate/${good} applied`,
    ]);
    await stored(good);
  },
);
