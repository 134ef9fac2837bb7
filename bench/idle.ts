// Measures what an installation costs in which nothing happens: requests to the API server and CPU time, beside many ready resources.
// The API server's requests to itself are counted before, without a replica, and subtracted.
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMs } from './measure.ts';
import { openWatches, type RequestCount, requestCounts } from './setup/api-server-metrics.ts';
import { copyResource } from './setup/copies.ts';
import { type Installation, openInstallation } from './setup/installation.ts';
import { startReplica } from './setup/start.ts';
import { createSubject } from './setup/subject.ts';
import { throughFairlead } from './writes/lifecycle.ts';

export const resources = 10_000;
const windowMs = 45_000;
/** The work of a start has ended by then, also that of the garbage collector. */
const settleMs = 10_000;
/** Minutes between two openings of a watch, which an informer chooses between five and ten. */
const watchMinutes = 7.5;

/** Per minute, but for `watches`. */
export interface IdleRound {
  readonly requests: number;
  /** Renewals of the Lease, and a new watch for each that ends. */
  readonly floor: number;
  /** To single resources. */
  readonly resourceRequests: number;
  readonly renewals: number;
  /** Watches that ended, and were opened again. */
  readonly reopened: number;
  readonly cpuMs: number;
  readonly watches: number;
}

export async function measureIdle(
  rounds: number,
  say: (line: string) => void,
): Promise<readonly IdleRound[]> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await openInstallation());
  const { raw } = installation;
  const replica = await filled(installation);
  say('counts the requests of the API server to itself');
  const own = await perMinute(installation);
  const ownWatches = await openWatches(raw);
  await startReplica(replica, resources);
  await pause(settleMs);
  const measured: IdleRound[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`);
    const pids = replica.pid === undefined ? [] : [replica.pid];
    const before = cpuMs(pids);
    const all = await perMinute(installation);
    const cpu = ((cpuMs(pids) - before) * 60_000) / windowMs;
    const watches = (await openWatches(raw)) - ownWatches;
    measured.push({ ...roundOf(minus(all, own), watches), cpuMs: cpu, watches });
  }
  return measured;
}

/** @returns a replica that does not run */
async function filled(installation: Installation) {
  const { etcd, raw } = installation;
  const replica = installation.replica('only');
  await replica.start();
  const subject = await createSubject(installation.target(replica));
  await throughFairlead(subject, 'original-', 1);
  await subject.close();
  await replica.drain();
  const tuple = { provider: 'noop', resource: 'thing', name: 'original-0' };
  const original = { etcd, raw, namespace: subject.namespace, tuple };
  await copyResource(original, { from: 1, to: resources });
  return replica;
}

/** Requests per minute, by verb and resource. */
async function perMinute({ raw }: Installation): Promise<ReadonlyMap<string, number>> {
  const before = byKind(await requestCounts(raw));
  await pause(windowMs);
  const after = byKind(await requestCounts(raw));
  const counted = minus(after, before);
  // One of the two reads of the metrics.
  counted.set(ownReads, (counted.get(ownReads) ?? 0) - 1);
  return new Map([...counted].map(([kind, count]) => [kind, (count * 60_000) / windowMs]));
}

const ownReads = 'GET ';

function byKind(counts: readonly RequestCount[]): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const { verb, resource, count } of counts) {
    const kind = `${verb} ${resource}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  return kinds;
}

function minus(
  left: ReadonlyMap<string, number>,
  right: ReadonlyMap<string, number>,
): Map<string, number> {
  return new Map([...left].map(([kind, count]) => [kind, count - (right.get(kind) ?? 0)]));
}

const lists = ['LIST', 'WATCH'];

function roundOf(kinds: ReadonlyMap<string, number>, watches: number) {
  const sum = (wanted: (verb: string, resource: string) => boolean) =>
    [...kinds]
      .filter(([kind]) => {
        const [verb = '', resource = ''] = kind.split(' ');
        return wanted(verb, resource);
      })
      .reduce((total, [, count]) => total + count, 0);
  const renewals = sum((verb, resource) => verb === 'PUT' && resource === 'leases');
  return {
    requests: sum(() => true),
    renewals,
    reopened: sum((verb) => verb === 'WATCH'),
    floor: renewals + watches / watchMinutes,
    resourceRequests: sum((verb, resource) => resource === 'resources' && !lists.includes(verb)),
  };
}
