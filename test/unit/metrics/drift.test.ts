import { expect, it } from 'vitest';
import type { Condition } from '../../../src/crds/conditions.ts';
import type { Provider } from '../../../src/crds/provider.ts';
import type { ResourceStatus } from '../../../src/crds/resource.ts';
import { keyFor } from '../../../src/kube/api.ts';
import { measureDrift } from '../../../src/metrics/drift.ts';
import { createMetrics } from '../../../src/metrics/registry.ts';
import { now, readyResource } from '../../support/fixtures/builders.ts';
import { objectCache } from '../../support/fixtures/object-cache.ts';
import { aProvider } from '../../support/fixtures/workloads/workload-builders.ts';
import { readExposition } from '../../support/runner/exposition.ts';

const condition = (type: string, status: 'True' | 'False' = 'True'): Condition =>
  ({ type, status, reason: type, message: '', lastTransitionTime: now.toISOString() }) as Condition;

const drift = (kind: 'Changed' | 'Gone'): Partial<ResourceStatus> => ({
  drift: { since: now.toISOString(), kind, changes: [], total: 0, compared: 1, unknown: 0 },
});

let made = 0;

function of(type: string, status: Partial<ResourceStatus>, more: object = {}) {
  made += 1;
  const metadata = { name: `r-${made}`, namespace: 'fl-a', ...more };
  return readyResource({ metadata, spec: { resource: type, name: `r-${made}` }, status });
}

function setUp(...resources: readonly ReturnType<typeof of>[]) {
  const cache = objectCache(...resources);
  const providers = objectCache<Provider>();
  const metrics = createMetrics();
  measureDrift(metrics, { resources: cache, providers });
  const shown = async (name: string) => {
    const { series } = readExposition(await metrics.scrape());
    const found = series.filter((each) => each.name === name);
    return found.map(({ labels, value }) => [...Object.values(labels), value].join(' ')).sort();
  };
  return { cache, providers, shown };
}

it('counts what differs and what is gone, as lists of drifted resources have it', async () => {
  const changed = of('database', drift('Changed'));
  const gone = of('database', drift('Gone'));
  const { cache, shown } = setUp(
    changed,
    gone,
    of('database', drift('Changed')),
    of('role', drift('Gone'), { namespace: 'fl-b' }),
    of('role', {}),
    of('role', drift('Gone'), { deletionTimestamp: now.toISOString() }),
  );
  expect(await shown('fairlead_resources_drifted')).toEqual([
    'fl-a postgres database changed 2',
    'fl-a postgres database gone 1',
    'fl-b postgres role gone 1',
  ]);
  cache.put(of('database', {}, changed.metadata));
  cache.remove(keyFor(gone.metadata));
  expect(await shown('fairlead_resources_drifted')).toEqual([
    'fl-a postgres database changed 1',
    'fl-b postgres role gone 1',
  ]);
});

it('counts what is not observed, whether it has drifted or not', async () => {
  const missing = { conditions: [condition('Ready'), condition('Observed', 'False')] };
  const lost = of('database', { ...missing, ...drift('Changed') });
  const { cache, shown } = setUp(lost, of('database', missing), of('database', {}));
  expect(await shown('fairlead_resources_not_observed')).toEqual(['fl-a postgres database 2']);
  cache.put(of('database', drift('Changed'), lost.metadata));
  expect(await shown('fairlead_resources_not_observed')).toEqual(['fl-a postgres database 1']);
  expect(await shown('fairlead_resources_drifted')).toEqual(['fl-a postgres database changed 1']);
});

it('limits the types of an organization to those with the most drift', async () => {
  const types = Array.from({ length: 60 }, (_, index) => `type-${index}`);
  const { shown } = setUp(
    ...types.map((type) => of(type, drift('Changed'))),
    ...types.slice(10).map((type) => of(type, drift('Changed'))),
    of('type-0', drift('Changed'), { namespace: 'fl-b' }),
  );
  const lines = await shown('fairlead_resources_drifted');
  expect(lines).toHaveLength(52);
  expect(lines).toContain('fl-a other other changed 10');
  expect(lines).toContain('fl-a postgres type-10 changed 2');
  expect(lines).toContain('fl-b postgres type-0 changed 1');
});

it('shows the providers whose corrections are held', async () => {
  const { providers, shown } = setUp();
  const held = (provider: string, ...types: readonly string[]) =>
    aProvider({
      metadata: { name: provider, namespace: 'fl-a' },
      spec: { provider },
      status: { conditions: types.map((type) => condition(type)) },
    });
  providers.put(held('cloud', 'Ready', 'CorrectionsHeld'));
  providers.put(held('other', 'Ready'));
  expect(await shown('fairlead_corrections_held')).toEqual(['fl-a cloud 1']);
  providers.put(held('cloud', 'Ready'));
  expect(await shown('fairlead_corrections_held')).toEqual([]);
});
