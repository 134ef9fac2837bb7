// Measures the start of a service process: until its caches are complete and every resource has been reconciled once, against a
// bare process that lists and parses the same resources.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Replica } from '../../test/support/servers/replica.ts';
import { cpuMs } from '../measure.ts';
import { scrape, sumOf } from './scrape.ts';

const run = promisify(execFile);
const bareList = join(import.meta.dirname, 'bare-list.ts');
const limitMs = 120_000;
/** Often enough for a start of seconds, seldom enough to cost it little. */
const lookMs = 100;

export interface Start {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** @param resources number of resources in the installation, all settled */
export async function startReplica(replica: Replica, resources: number): Promise<Start> {
  const startedAt = performance.now();
  await replica.start();
  await reconciled(replica, resources);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { pid } = replica;
  return { seconds, cpuSeconds: pid === undefined ? Number.NaN : cpuMs([pid]) / 1_000 };
}

/** Resolves when each resource has been reconciled, and nothing waits. */
export async function reconciled({ metricsUrl }: Replica, resources: number): Promise<void> {
  const endBy = performance.now() + limitMs;
  for (;;) {
    const samples = await scrape(metricsUrl);
    const passes = sumOf(samples, 'fairlead_reconcile_duration_seconds_count', {
      reconciler: 'resource',
    });
    const waiting = sumOf(samples, 'fairlead_queue_depth');
    if (passes >= resources && waiting === 0) return;
    if (performance.now() > endBy)
      throw new Error(`${passes} of ${resources} are reconciled, ${waiting} objects wait`);
    await pause(lookMs);
  }
}

/** A process that lists all resources in pages, and parses them. */
export async function startBare(kubeconfig: string): Promise<Start> {
  const startedAt = performance.now();
  const { stdout } = await run(process.execPath, [bareList, kubeconfig]);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { cpuSeconds } = JSON.parse(stdout) as { readonly cpuSeconds: number };
  return { seconds, cpuSeconds };
}
