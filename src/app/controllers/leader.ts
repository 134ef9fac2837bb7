// Runs controllers while this process leads, until it is stopped. Namespaces are divided into shards, each with a Lease: a
// process leads any number of them, and each term of a shard has its own controllers, whose writes need the Lease.
import type { Controller } from '../../kube/controller.ts';
import { createLeaderElection, type LeaderElection } from '../../kube/leader/leader.ts';
import { requireLease, whileLeading } from '../../kube/leader/leader-client.ts';
import type { LeaseTimes } from '../../kube/leader/lease-term.ts';
import { type Division, divide } from '../../kube/leader/shard-division.ts';
import {
  createShardLeases,
  leaseNameOf,
  type ShardLeases,
} from '../../kube/leader/shard-leases.ts';
import { pause, systemTimers, type Timers } from '../../kube/timers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { annotation } from '../../store/kinds.ts';
import type { KubeDeps } from '../caches.ts';

interface LeadingOptions {
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
interface ShardTerm {
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

// The shards that this process may take and those that it gives to others, by reading the Leases of all shards.

interface ShardShareOptions {
  readonly leases: ShardLeases;
  readonly identity: string;
  readonly shards: number;
  /** Identities of the processes that share the shards. */
  readonly members: () => ReadonlySet<string>;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this process leads a shard. */
  readonly leads: (shard: number) => boolean;
  /** How much goes on in the background of a shard; its next leader begins it again. */
  readonly backgroundOf: (shard: number) => number;
}

interface ShardShare {
  /** Returns whether this process may take a shard now. @throws KubeError */
  isWilling(shard: number): Promise<boolean>;
  /** Returns whether it may keep a shard that it has just taken. @throws KubeError */
  isConfirmed(): Promise<boolean>;
  /** @returns the shards to give up now; none when the Leases cannot be read */
  surplus(): Promise<readonly number[]>;
}

function createShardShare(options: ShardShareOptions): ShardShare {
  const { leases, identity, shards, members, times, clock, log, leads, backgroundOf } = options;
  /** The elections of several shards share a look that is not older. */
  const freshMs = times.retryMs / 2;
  let looked: { readonly at: number; readonly done: Promise<void> } | undefined;
  let reported: string | undefined;
  let unevenSince: number | undefined;

  /** @param ageMs maximum age of the answer */
  async function look(ageMs: number): Promise<void> {
    const now = clock.monotonic();
    if (looked === undefined || now - looked.at >= ageMs) looked = { at: now, done: leases.look() };
    await looked.done;
    const { otherDivision } = leases;
    if (otherDivision !== reported && otherDivision !== undefined) {
      const lease = otherDivision;
      log.info({ identity, lease, shards }, 'Waiting for a process with another number of shards');
    }
    reported = otherDivision;
  }

  function division(): Division {
    return divide({ identity, leases: leases.read(leads), members: members() });
  }

  function led(): readonly number[] {
    return Array.from({ length: shards }, (_, shard) => shard).filter(leads);
  }

  /** Not at once: a replica that has just ended still counts as one of those that share. */
  function uneven(): readonly number[] {
    const { surplus } = division();
    const now = clock.monotonic();
    unevenSince = surplus === 0 ? undefined : (unevenSince ?? now);
    if (unevenSince === undefined || now - unevenSince < 2 * times.leaseMs) return [];
    unevenSince = undefined;
    const last = led().toReversed();
    return last.toSorted((one, other) => backgroundOf(one) - backgroundOf(other)).slice(0, surplus);
  }

  return {
    /** The only shard is led as long as anybody leads at all: its Lease alone decides. */
    async isWilling(shard) {
      if (shards === 1) return true;
      await look(freshMs);
      return leases.otherDivision === undefined && division().mayTake.has(shard);
    },
    /** Two processes with different numbers of shards may take Leases at the same time; at least one reads the other's. */
    async isConfirmed() {
      await look(0);
      return leases.otherDivision === undefined;
    },
    /** All of them to a process that divides the namespaces differently. */
    async surplus() {
      try {
        await look(freshMs);
      } catch {
        // The next look is soon enough; without the API server the Leases are lost by themselves.
        return [];
      }
      return leases.otherDivision === undefined ? uneven() : led();
    },
  };
}
