import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { keyFor } from '../../../../src/kube/api.ts';
import {
  explainDependencies,
  standingOf,
  type Unready,
} from '../../../../src/reconcilers/resource/dependencies.ts';
import { aResource, inFlight, now, readyResource } from '../../../support/builders.ts';

const user = aResource({ spec: { name: 'user', project: 'shop' } });
const dependency = { provider: 'postgres', resource: 'database', name: 'orders' };
const name = 'postgres/database/orders';
const shop = { spec: { project: 'shop' } };

const standings: Record<string, [Resource | undefined, Unready | undefined]> = {
  'one that is ready': [readyResource(shop), undefined],
  'one that is missing': [undefined, { name, is: 'missing' }],
  'one that is a draft': [
    aResource({ spec: { ...shop.spec, lifecycle: 'Draft' } }),
    { name, is: 'draft' },
  ],
  'one that failed': [
    readyResource({ ...shop, status: { state: 'failed', reason: 'ProviderFailed' } }),
    { name, is: 'failed' },
  ],
  'one in progress': [inFlight({}, shop), { name, is: 'coming' }],
  'one in deletion': [
    readyResource({ ...shop, metadata: { deletionTimestamp: now.toISOString() } }),
    { name, is: 'coming' },
  ],
  'one that is ready in another project': [
    readyResource({ spec: { project: 'staging' } }),
    { name, is: 'otherProject' },
  ],
};

it.each(Object.entries(standings))('%s', (_name, [found, want]) => {
  const key = found === undefined ? undefined : keyFor(found.metadata);
  const resources = { get: (asked: string) => (asked === key ? found : undefined) };
  expect(standingOf(user, dependency, resources)).toEqual(want);
});

const a = (is: Unready['is'], which = 'a/b/c'): Unready => ({ name: which, is });
const elsewhere = a('otherProject', 'x/y/z');

const explained: Record<string, [readonly Unready[], object | undefined]> = {
  'nothing when all are ready': [[], undefined],
  'one in progress': [
    [a('coming')],
    {
      reason: 'DependenciesNotReady',
      stalled: false,
      message: 'Waiting for dependency a/b/c to become ready',
    },
  ],
  'one that is missing': [
    [a('missing')],
    {
      reason: 'DependencyMissing',
      stalled: false,
      message: 'Dependency a/b/c does not exist in project shop',
    },
  ],
  'a draft': [
    [a('draft')],
    {
      reason: 'DependencyDraft',
      stalled: false,
      message: 'Dependency a/b/c is a draft',
    },
  ],
  'the one in another project before all others': [
    [a('coming'), a('failed', 'd/e/f'), elsewhere],
    {
      reason: 'DependencyInOtherProject',
      stalled: true,
      message:
        'Dependency x/y/z belongs to another project; dependencies must be in the same project (shop). Dependency d/e/f failed. Waiting for dependency a/b/c to become ready',
    },
  ],
  'the missing before those that failed or are drafts': [
    [a('draft'), a('failed', 'd/e/f'), a('missing', 'g/h/i'), a('missing', 'j/k/l')],
    {
      reason: 'DependencyMissing',
      message:
        'Dependencies g/h/i, j/k/l do not exist in project shop. Dependency d/e/f failed. Dependency a/b/c is a draft',
    },
  ],
  'at most twenty by name': [
    Array.from({ length: 60 }, (_, index) => a('coming', `a/b/c${index}`)),
    { message: expect.stringMatching(/a\/b\/c19 and 40 more to become ready$/) },
  ],
};

it.each(Object.entries(explained))('names %s', (_name, [unready, want]) => {
  const explanation = explainDependencies(unready, 'shop');
  if (want === undefined) expect(explanation).toBeUndefined();
  else expect(explanation).toMatchObject(want);
});
