// Estimates which other processes run the same part. Each renews a small Lease; one that is unchanged for a while, by our own
// monotonic clock, belongs to a dead process. Use it only to divide limits and shards.

import { sha256Hex } from '../domain/identity.ts';
import { allow, type KubeClient, type ScopedRules } from '../kube/api.ts';
import { hasReason } from '../kube/errors.ts';
import { createLeases, type Lease, leaseKind, microTime } from '../kube/leader/lease-record.ts';
import { pause, systemTimers, type Timers } from '../kube/timers.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { label } from './kinds.ts';

/** `npm run generate` generates roles from these. */
export const replicaRules = {
  system: [allow(['get', 'list', 'create', 'update', 'delete'], 'coordination.k8s.io', ['leases'])],
} satisfies ScopedRules;

export interface Replicas {
  /** Including this process; as of the last response of the API server. */
  readonly count: number;
  /** Annotations of the Leases by identity, including this process. */
  readonly members: ReadonlyMap<string, Annotations>;
  /** Releases the Lease, so that the others need not wait for it to expire. */
  stop(): Promise<void>;
}

type Annotations = Readonly<Record<string, string>>;

interface ReplicasOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Unique to this process. */
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly timers?: Timers;
  /** Only replicas of the same part are counted; defaults to the API. */
  readonly part?: 'api' | 'controller';
  /** Annotations that the others read about this process. */
  readonly annotations?: Annotations;
}

/** The names and labels of the Leases. */
export const replicaLeases = {
  api: { prefix: 'fairlead-replica', value: 'true' },
  controller: { prefix: 'fairlead-controller-replica', value: 'controller' },
};

const renewMs = 10_000;
const silentMs = 30_000;
/** Leases of others that are this old are removed, as their processes did not do it. */
const forgottenMs = 10 * 60_000;
const requestMs = 5_000;

/** Resolves after the first attempt to read the others. */
export async function joinReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { client, namespace, identity, clock, log, timers = systemTimers } = options;
  const { part = 'api', annotations = {} } = options;
  const { prefix, value } = replicaLeases[part];
  const name = `${prefix}-${sha256Hex(identity).slice(0, 16)}`;
  const leases = createLeases(client, { namespace, name }, annotations);
  const seen = createSightings(clock);
  const stopping = new AbortController();
  let members: ReadonlyMap<string, Annotations> = new Map([[identity, annotations]]);

  async function renew(): Promise<void> {
    const read = await leases.read({ timeoutMs: requestMs });
    const now = microTime(clock.now());
    const spec = { holderIdentity: identity, leaseDurationSeconds: silentMs / 1_000 };
    const metadata = { name, namespace, labels: { [label.replica]: value }, annotations };
    const head = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
    if (read === undefined) {
      await client.create<Lease>(leaseKind, { ...head, spec: { ...spec, renewTime: now } });
      return;
    }
    await leases.write(read, { ...spec, renewTime: now }, { timeoutMs: requestMs });
  }

  async function look(): Promise<void> {
    const labelSelector = `${label.replica}=${value}`;
    const options = { namespace, labelSelector, timeoutMs: requestMs };
    const { items } = await client.list<Lease>(leaseKind, options);
    const others = items.filter(({ metadata }) => metadata.name !== name);
    const alive = others.filter((each) => seen.ageOf(each) < silentMs);
    members = new Map([[identity, annotations], ...alive.map(replicaOf)]);
    seen.forgetAllBut(others);
    for (const { metadata } of others.filter((each) => seen.ageOf(each) > forgottenMs)) {
      const { uid = '', resourceVersion = '' } = metadata;
      await client.delete(leaseKind, { namespace, name: metadata.name }, { uid, resourceVersion });
    }
  }

  async function pass(): Promise<void> {
    try {
      await renew();
      await look();
    } catch (thrown) {
      // A concurrent write: the next pass is soon enough. Until then the last count holds.
      if (hasReason(thrown, 'conflict', 'alreadyExists', 'notFound')) return;
      log.warn({ error: thrown }, 'Counting the replicas failed; retrying');
    }
  }

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(timers, renewMs, stopping.signal);
      if (!stopping.signal.aborted) await pass();
    }
  }

  await pass();
  const kept = keep();
  return {
    get count() {
      return members.size;
    },
    get members() {
      return members;
    },
    async stop() {
      stopping.abort();
      await kept;
      await client.delete(leaseKind, { namespace, name }, { timeoutMs: requestMs }).catch(() => {
        // It expires by itself.
      });
    },
  };
}

function replicaOf({ metadata, spec }: Lease): readonly [string, Annotations] {
  return [spec?.holderIdentity ?? metadata.name, metadata.annotations ?? {}];
}

/** Since when each Lease is unchanged. Times in it come from other clocks, which may be wrong. */
function createSightings(clock: Clock) {
  const sightings = new Map<string, { readonly version: string; readonly sinceMs: number }>();
  return {
    ageOf({ metadata }: Lease): number {
      const { name, resourceVersion: version = '' } = metadata;
      const now = clock.monotonic();
      const known = sightings.get(name);
      if (known?.version === version) return now - known.sinceMs;
      sightings.set(name, { version, sinceMs: now });
      return 0;
    },
    forgetAllBut(leases: readonly Lease[]): void {
      const names = new Set(leases.map(({ metadata }) => metadata.name));
      for (const name of sightings.keys()) if (!names.has(name)) sightings.delete(name);
    },
  };
}
