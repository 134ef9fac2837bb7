// Counts the events that providers have yet to answer, by provider: the figure by which an autoscaler sets the number of pods.
import type { ControllerMeter } from '../app/controllers/controller-options.ts';
import type { Provider } from '../crds/provider.ts';
import { type Informer, keyFor } from '../kube/api.ts';
import { shardOf } from '../kube/leader/shards.ts';
import type { Metrics } from './registry.ts';

interface DeliveriesDeps {
  readonly providers: Pick<Informer<Provider>, 'items'>;
  /** The shards that this process leads. */
  readonly led: () => readonly number[];
  readonly shards: number;
}

/** @returns where the controllers of a shard register their count */
export function measureDeliveries(
  metrics: Metrics,
  { providers, led, shards }: DeliveriesDeps,
): ControllerMeter['deliveries'] {
  const counts = new Map<number, Parameters<ControllerMeter['deliveries']>[1]>();
  const waiting = metrics.gauge({
    name: 'fairlead_deliveries_waiting',
    help: 'Events that are being delivered to a provider or wait for that. Only the replica that leads the shard of the organization has the series; providers that run elsewhere have none.',
    labels: ['organization', 'provider'],
  });
  metrics.beforeScrape(() => {
    const own = new Set(led());
    waiting(
      [...providers.items()].flatMap(({ metadata, spec }) => {
        const { namespace: organization = '' } = metadata;
        const shard = shardOf(organization, shards);
        // With 0 as well: an autoscaler keeps the number of pods when there is no series.
        if (spec.version === undefined || !own.has(shard)) return [];
        const value = counts.get(shard)?.(keyFor(metadata)) ?? 0;
        return [{ labels: { organization, provider: spec.provider }, value }];
      }),
    );
  });
  return (shard, count) => void counts.set(shard, count);
}
