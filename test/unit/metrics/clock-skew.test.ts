import { expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { measureClockSkew } from '../../../src/metrics/clock-skew.ts';
import { createMetrics } from '../../../src/metrics/registry.ts';
import { aProvider } from '../../support/fixtures/workloads/workload-builders.ts';
import { readExposition } from '../../support/runner/exposition.ts';

const condition = (type: string) => ({
  ...{ type, status: 'True' as const, reason: type, message: '' },
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

it('counts the providers of each organization whose clock differs', async () => {
  const of = (namespace: string, type: string): Provider =>
    aProvider({ metadata: { namespace }, status: { conditions: [condition(type)] } });
  let items = [of('fl-a', 'ClockSkew'), of('fl-a', 'ClockSkew'), of('fl-b', 'Ready')];
  const metrics = createMetrics();
  measureClockSkew(metrics, { items: () => items.values() });
  const count = async (organization: string) =>
    readExposition(await metrics.scrape()).value('fairlead_providers_with_clock_skew', {
      organization,
    });
  expect([await count('fl-a'), await count('fl-b')]).toEqual([2, undefined]);
  items = [];
  expect(await count('fl-a')).toBeUndefined();
});
