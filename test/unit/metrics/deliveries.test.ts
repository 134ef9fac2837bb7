import { expect, it } from 'vitest';
import { shardOf } from '../../../src/kube/leader/shards.ts';
import { measureDeliveries } from '../../../src/metrics/deliveries.ts';
import { createMetrics } from '../../../src/metrics/registry.ts';
import { objectCache } from '../../support/fixtures/object-cache.ts';
import { aProvider, version } from '../../support/fixtures/workloads/workload-builders.ts';
import { readExposition } from '../../support/runner/exposition.ts';

const name = 'fairlead_deliveries_waiting';
const shards = 4;
const organizations = ['fl-a-000000000001', 'fl-b-000000000002', 'fl-c-000000000003'];

function of(namespace: string, provider: string, spec: object = { version }) {
  return aProvider({ metadata: { name: provider, namespace }, spec: { provider, ...spec } });
}

it('counts each hosted provider once, at the replica that leads its shard', async () => {
  const providers = objectCache(
    ...organizations.map((namespace) => of(namespace, 'shop')),
    of(organizations[0] ?? '', 'idle'),
    of(organizations[0] ?? '', 'elsewhere', { endpoint: 'https://shop.example/' }),
  );
  const all = Array.from({ length: shards }, (_, shard) => shard);
  const own = shardOf(organizations[0] ?? '', shards);
  const replicas = [[own], all.filter((shard) => shard !== own), []];
  const series = [];
  for (const led of replicas) {
    const metrics = createMetrics();
    const deliveries = measureDeliveries(metrics, { providers, led: () => led, shards });
    // Of a term that has ended, too: its count must not be shown.
    for (const shard of all) deliveries(shard, (key) => (key.endsWith('/shop') ? 7 : 0));
    const read = readExposition(await metrics.scrape());
    series.push(...read.series.filter((each) => each.name === name));
  }
  const found = series.map(({ labels, value }) => [
    labels['organization'],
    labels['provider'],
    value,
  ]);
  expect(found.sort()).toEqual(
    [
      [organizations[0], 'idle', 0],
      ...organizations.map((organization) => [organization, 'shop', 7]),
    ].sort(),
  );
});
