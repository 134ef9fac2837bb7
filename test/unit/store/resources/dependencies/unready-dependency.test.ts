// What a dependency is to its user: from missing to ready.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { keyFor } from '../../../../../src/kube/api.ts';
import {
  type Unready,
  unreadyDependency,
} from '../../../../../src/store/resources/dependencies/unready-dependency.ts';
import { aResource, inFlight, now, readyResource } from '../../../../support/fixtures/builders.ts';

const user = aResource({ spec: { name: 'user', project: 'shop' } });
const dependency = { provider: 'postgres', resource: 'database', name: 'orders' };
const name = 'postgres/database/orders';
const shop = { spec: { project: 'shop' } };

const cases: Record<string, [Resource | undefined, Unready | undefined]> = {
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

it.each(Object.entries(cases))('%s', (_name, [found, want]) => {
  const key = found === undefined ? undefined : keyFor(found.metadata);
  const resources = { get: (asked: string) => (asked === key ? found : undefined) };
  expect(unreadyDependency(user, dependency, resources)).toEqual(want);
});
