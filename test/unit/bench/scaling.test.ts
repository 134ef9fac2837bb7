import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyRange, createCluster, divideEvenly } from '../../../bench/scaling/cluster.ts';
import { withTables } from '../../../bench/scaling/document.ts';
import { measured } from '../../../bench/scaling/figures.ts';
import { exponential, seeded, zipfSizes } from '../../../bench/scaling/random.ts';
import { createProcessors } from '../../../bench/scaling/stations.ts';
import { createVirtualTime } from '../../../bench/scaling/virtual-time.ts';

/** Erlang's formula: the mean wait of a queue with random arrivals, random service and several servers, in service times. */
function meanWait(servers: number, load: number): number {
  const offered = servers * load;
  let term = 1;
  let sum = 1;
  for (let count = 1; count < servers; count += 1) {
    term *= offered / count;
    sum += term;
  }
  const all = (term * offered) / servers / (1 - load);
  return all / (sum + all) / (servers * (1 - load));
}

describe('the model of docs/scaling.md', () => {
  it('waits for processors as long as queueing theory says', async () => {
    const [servers, load, count] = [4, 0.8, 40_000];
    const time = createVirtualTime({ resolutionMs: 1 });
    const processors = createProcessors(time, servers);
    const random = seeded(1);
    let waited = 0;
    let done = 0;
    const arrive = (left: number) => {
      const ms = exponential(random, 1);
      const arrivedAt = time.now;
      processors.run(ms, () => {
        waited += time.now - arrivedAt - ms;
        done += 1;
      });
      if (left > 1) time.after(exponential(random, 1 / (servers * load)), () => arrive(left - 1));
    };
    arrive(count);
    await time.runUntil(() => done === count);
    const ratio = waited / count / meanWait(servers, load);
    // A million arrivals come within two percent.
    expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
  });

  it('divides all resources among organizations', () => {
    const sizes = zipfSizes(10_000, 100, 1_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000);
    expect(Math.max(...sizes)).toBe(1_000);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });

  it('makes each resource ready with exactly three writes, with several replicas and shards', async () => {
    const cluster = createCluster({
      sizes: [30, 20, 10],
      costs: measured,
      processors: 4,
      apiReplicas: 2,
      controllerReplicas: 2,
      shards: 4,
    });
    divideEvenly(cluster, 4);
    applyRange(cluster, 0, cluster.world.size, 8);
    await cluster.time.runUntil(() => cluster.ready === cluster.world.size, 60_000);
    expect(cluster.ready).toBe(60);
    expect(cluster.apiServer.writes).toBe(180);
  });

  it('has its tables in the page: `node bench/scaling/document.ts` writes them', () => {
    const page = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8');
    expect(withTables(page)).toBe(page);
  });
});
