// Samples memory and handles of processes that run from the start of a soak to its end.
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Replica } from '../../test/support/servers/replica.ts';
import { residentMiB } from '../measure.ts';
import { openWatches } from '../setup/api-server-metrics.ts';
import type { RawClient } from '../setup/raw.ts';
import { scrape, sumOf } from '../setup/scrape.ts';

const everyMs = 10_000;

export interface Sample {
  readonly minute: number;
  /** By identity of the replica. */
  readonly processes: Readonly<Record<string, ProcessSample>>;
  /** Of everybody, at the API server. */
  readonly watches: number;
}

export interface ProcessSample {
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly files: number;
}

/** Ends with the signal. */
export async function sample(
  replicas: readonly Replica[],
  raw: RawClient,
  signal: AbortSignal,
): Promise<readonly Sample[]> {
  const startedAt = performance.now();
  const samples: Sample[] = [];
  for (;;) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return samples;
    const minute = (performance.now() - startedAt) / 60_000;
    const each = await Promise.all(
      replicas.map(async (replica) => [replica.identity, await ofProcess(replica)] as const),
    );
    const processes = Object.fromEntries(
      each.flatMap(([identity, found]) => (found === undefined ? [] : [[identity, found]])),
    );
    samples.push({ minute, processes, watches: await openWatches(raw) });
  }
}

/** @returns undefined while the process is suspended */
async function ofProcess(replica: Replica): Promise<ProcessSample | undefined> {
  const { pid, metricsUrl } = replica;
  try {
    const metrics = await scrape(metricsUrl, everyMs / 2);
    return {
      residentMiB: residentMiB(pid),
      heapMiB: sumOf(metrics, 'nodejs_heap_size_used_bytes') / 2 ** 20,
      files: readdirSync(`/proc/${pid}/fd`).length,
    };
  } catch {
    return undefined;
  }
}
