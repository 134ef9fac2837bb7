// The providers whose clocks differ from that of Fairlead.
import { findCondition } from '../crds/conditions.ts';
import type { Provider } from '../crds/provider.ts';
import type { Informer } from '../kube/api.ts';
import type { Metrics } from './registry.ts';

export function measureClockSkew(
  metrics: Metrics,
  providers: Pick<Informer<Provider>, 'items'>,
): void {
  const skewed = metrics.gauge({
    name: 'fairlead_providers_with_clock_skew',
    help: 'Providers with the condition ClockSkew: their clock and that of the controller differ, so that they accept no event.',
    labels: ['organization'],
  });
  metrics.beforeScrape(() => {
    const counts = new Map<string, number>();
    for (const { metadata, status } of providers.items()) {
      const { namespace = '' } = metadata;
      if (findCondition(status?.conditions, 'ClockSkew')?.status !== 'True') continue;
      counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    }
    skewed([...counts].map(([organization, value]) => ({ labels: { organization }, value })));
  });
}
