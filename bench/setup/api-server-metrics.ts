// Reads what the API server counts itself: requests by verb and resource, and CPU time of its garbage collector.
import { setTimeout as pause } from 'node:timers/promises';
import type { RawClient } from './raw.ts';

export interface RequestCount {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** The status of the answers. */
  readonly code: string;
  readonly count: number;
}

const mutating = ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'];

export async function requestCounts(raw: RawClient): Promise<readonly RequestCount[]> {
  const metrics = await raw.text('/metrics');
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_total{'))
    .map((line) => ({
      verb: labelOf(line, 'verb'),
      group: labelOf(line, 'group'),
      resource: labelOf(line, 'resource'),
      subresource: labelOf(line, 'subresource'),
      code: labelOf(line, 'code'),
      count: Number(line.slice(line.lastIndexOf(' '))),
    }));
}

function labelOf(line: string, name: string): string {
  return new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? '';
}

/** Milliseconds in which no write may be counted. */
const quietMs = 200;

/** So many of each, such as `PUT resources/status 200`. */
export type Writes = ReadonlyMap<string, number>;

/**
 * Writes that the API server has counted for Fairlead's kinds and for dead letters; Events are not counted. Waits until the
 * number stays the same: a write is counted after its answer, so that a watch may show it before.
 */
export async function countWrites(raw: RawClient): Promise<Writes> {
  for (let last: number | undefined; ; ) {
    const writes = await writesSoFar(raw);
    const count = totalOf(writes);
    if (count === last) return writes;
    last = count;
    await pause(quietMs);
  }
}

async function writesSoFar(raw: RawClient): Promise<Writes> {
  const counts = await requestCounts(raw);
  const writes = new Map<string, number>();
  for (const { verb, group, resource, subresource, code, count } of counts) {
    const isOurs = group === 'fairlead.dev' || resource === 'configmaps';
    if (!isOurs || !mutating.includes(verb)) continue;
    const what = `${verb} ${resource}${subresource && `/${subresource}`} ${code}`;
    writes.set(what, (writes.get(what) ?? 0) + count);
  }
  return writes;
}

export function totalOf(writes: Writes): number {
  return [...writes.values()].reduce((sum, count) => sum + count, 0);
}

/** @returns those that were counted since */
export function writesSince(before: Writes, now: Writes): Writes {
  const more = [...now].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const);
  return new Map(more.filter(([, count]) => count > 0));
}

export interface CollectorTime {
  /** Seconds of CPU time of the garbage collector. */
  readonly collector: number;
  /** Of everything. */
  readonly busy: number;
}

/** As the Go runtime of the API server counts them. */
export async function collectorTime(raw: RawClient): Promise<CollectorTime> {
  const metrics = await raw.text('/metrics');
  const seconds = (name: string) => {
    const line = metrics.split('\n').find((each) => each.startsWith(`go_cpu_classes_${name} `));
    if (line === undefined) throw new Error(`the API server has no metric go_cpu_classes_${name}`);
    return Number(line.split(' ')[1]);
  };
  const idle = seconds('idle_cpu_seconds_total');
  return {
    collector: seconds('gc_total_cpu_seconds_total'),
    busy: seconds('total_cpu_seconds_total') - idle,
  };
}

export async function openWatches(raw: RawClient): Promise<number> {
  const metrics = await raw.text('/metrics');
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('apiserver_longrunning_requests{'))
    .filter((line) => labelOf(line, 'verb') === 'WATCH')
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
