// Runs controllers while this process leads, until it is stopped. Namespaces are divided into shards, each with a Lease: a
// process leads any number of them, and each term of a shard has its own controllers, whose writes need the Lease.
import type { Controller } from '../../kube/controller.ts';
import { createLeaderElection, type LeaderElection } from '../../kube/leader/leader.ts';
import { requireLease, whileLeading } from '../../kube/leader/leader-client.ts';
import type { LeaseTimes } from '../../kube/leader/lease-term.ts';
import { createShardLeases, leaseNameOf } from '../../kube/leader/shard-leases.ts';
import { pause, systemTimers, type Timers } from '../../kube/timers.ts';
import { annotation } from '../../store/kinds.ts';
import type { KubeDeps } from '../caches.ts';
import { createShardShare } from './shard-share.ts';

export interface LeadingOptions {
  readonly kubeDeps: KubeDeps;
  readonly namespace: string;
  /** Unique among candidates; stable over restarts of the same process, which then leads again at once. */
  readonly identity: string;
  readonly shards: number;
  /** Identities of the processes that share the shards. */
  readonly members: () => ReadonlySet<string>;
  /** Must complete before the controllers of a term start. */
  readonly prepare: (
    shard: number,
    client: KubeDeps['client'],
    signal: AbortSignal,
  ) => Promise<void>;
  readonly controllers: (term: ShardTerm) => readonly Controller[];
  /** Defaults to those of the components of Kubernetes. */
  readonly times?: LeaseTimes;
  readonly timers?: Timers;
}

/** One term of leading one shard. */
export interface ShardTerm {
  readonly shard: number;
  /** Its client writes only while this process certainly leads the shard. */
  readonly guarded: KubeDeps;
  /** For other external effects. @throws KubeError `aborted` unless this process certainly leads the shard */
  readonly requireLead: () => void;
}

export interface Leading {
  /** The shards that this process leads. */
  readonly led: readonly number[];
  /** Resolves when the work has ended and the Leases are released. */
  stop(): Promise<void>;
}

const leaseName = 'fairlead-controller';
const usualTimes: LeaseTimes = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

// An immediate failure would otherwise acquire and release the lease in a tight loop.
const pauseAfterErrorMs = 5_000;

export function keepLeading(options: LeadingOptions): Leading {
  const { kubeDeps, identity, shards, namespace, times = usualTimes } = options;
  const { timers = systemTimers } = options;
  const { client, clock, random, log } = kubeDeps;
  const elections: (LeaderElection | undefined)[] = [];
  const controllersOf: (readonly Controller[])[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const all = Array.from({ length: shards }, (_, shard) => shard);
  const leads = (shard: number) => elections[shard]?.leading ?? false;
  const led = () => all.filter(leads);
  const leases = createShardLeases({
    client,
    namespace,
    name: leaseName,
    shards,
    annotation: annotation.shards,
    identity,
    clock,
    leaseMs: times.leaseMs,
  });
  const share = createShardShare({
    ...{ leases, identity, shards, times, clock, log, leads, backgroundOf },
    members: options.members,
  });

  async function term(shard: number): Promise<void> {
    const election = createLeaderElection({
      client,
      namespace,
      name: leaseNameOf(leaseName, shard),
      identity,
      clock,
      timers,
      random,
      log,
      ...times,
      annotations: { [annotation.shards]: String(shards) },
      lookout: leases.lookout(shard),
      isWilling: () => share.isWilling(shard),
      isConfirmed: () => share.isConfirmed(),
    });
    elections[shard] = election;
    const guardedClient = { ...client, ...whileLeading(client, election) };
    const guarded = { ...kubeDeps, client: guardedClient };
    const requireLead = () => requireLease(election);
    await election.run({
      onStarted: async (ended) => {
        if (shard === 0) await leases.removeOthers();
        await options.prepare(shard, guardedClient, ended);
        const controllers = options.controllers({ shard, guarded, requireLead });
        controllersOf[shard] = controllers;
        await reconcile(controllers, ended);
      },
      onStopped: () => undefined,
    });
  }

  async function terms(shard: number): Promise<void> {
    while (!signal.aborted) {
      try {
        await term(shard);
      } catch (thrown) {
        log.error({ shard, error: thrown }, 'The leader term failed; retrying');
        await pause(timers, pauseAfterErrorMs, signal);
      }
    }
  }

  /** Gives shards to processes that have fewer, and all of them to one that divides the namespaces differently. */
  async function keepDividing(): Promise<void> {
    while (!signal.aborted) {
      await pause(timers, times.retryMs, signal);
      if (signal.aborted) return;
      const given = await share.surplus();
      await Promise.all(given.map(giveUp));
    }
  }

  async function giveUp(shard: number): Promise<void> {
    await elections[shard]?.stop();
  }

  function backgroundOf(shard: number): number {
    return (controllersOf[shard] ?? []).reduce((sum, { background = 0 }) => sum + background, 0);
  }

  const running = Promise.all(all.map(terms));
  const dividing = shards === 1 ? Promise.resolve() : keepDividing();
  return {
    get led() {
      return led();
    },
    async stop() {
      stopping.abort();
      await Promise.all(all.map(giveUp));
      await Promise.all([running, dividing]);
    },
  };
}

async function reconcile(controllers: readonly Controller[], signal: AbortSignal): Promise<void> {
  try {
    await Promise.all(controllers.map((each) => each.start(signal)));
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  } finally {
    await Promise.all(controllers.map((each) => each.stop()));
  }
}
