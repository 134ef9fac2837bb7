// Leader election on a Lease: one of many processes leads and can always compute how long it certainly still leads. Election
// only makes two leaders rare. Correctness rests on resourceVersion and generation; the token of a term only distinguishes
// its record from others. Providers fence by the sequence of each delivery, set by a status write.

import { aborted } from '../../lib/abort.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { KubeClient } from '../api.ts';
import { pause, systemTimers, type Timers } from '../timers.ts';
import { type CampaignOptions, winTerm } from './campaign.ts';
import { createLeases, createLookout, type Lookout } from './lease-record.ts';
import type { LeaseTimes, Term } from './lease-term.ts';

interface LeaderElectionOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique among the candidates. A process restarted with the same identity leads again at once. */
  readonly identity: string;
  readonly clock: Clock;
  readonly timers?: Timers;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Others take over after this much silence; 15 s, as in the components of Kubernetes. */
  readonly leaseMs?: number;
  /** A leader that could not renew for this long stops leading; 10 s. Shorter than `leaseMs` by the possible clock skew. */
  readonly renewDeadlineMs?: number;
  /** How often the leader renews and the others check; 2 s. */
  readonly retryMs?: number;
  /** How long `stop` waits for the work of the leader before it lets the lease expire; 15 s. */
  readonly drainMs?: number;
  /** Annotations of the Lease. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Earlier observations of the Lease; defaults to none, so that a silent holder is waited for. */
  readonly lookout?: Lookout;
  /** Whether to try to take the Lease now; called before every attempt. A rejection is a failed attempt. Default: always. */
  readonly isWilling?: () => Promise<boolean>;
  /** Called after the Lease was taken and before anything else; false gives it back. Default: always true. */
  readonly isConfirmed?: () => Promise<boolean>;
}

interface LeaderHandlers {
  /**
   * Begins to lead. The promise resolves when all work has ended after the signal was aborted: until then a stopping leader
   * keeps the lease. A rejection gives up leadership.
   */
  onStarted(signal: AbortSignal): Promise<void>;
  /** Called once if `onStarted` was: at once when the lease is lost, after its release when stopped. */
  onStopped(): void;
}

export interface LeaderElection {
  /**
   * Campaigns and leads, once.
   * @returns `stopped` after `stop`; `lost` when the lease was lost: the process should exit, and not campaign again
   * @throws the rejection of `onStarted`, after the lease was released
   */
  run(handlers: LeaderHandlers): Promise<'stopped' | 'lost'>;
  readonly leading: boolean;
  /**
   * Milliseconds for which nobody else can lead, by the monotonic clock; 0 when not leading. Check it before every external
   * effect: after a sleep of the process it is correct before any timer fires.
   */
  remainingMs(): number;
  /** Stops leading or campaigning; resolves when the lease is released or left to expire. */
  stop(): Promise<void>;
}

export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, namespace, name, identity, clock, random, log } = options;
  const { timers = systemTimers, drainMs = 15_000 } = options;
  const { isWilling = always, isConfirmed = always } = options;
  const times = timesOf(options);
  const leases = createLeases(client, { namespace, name }, options.annotations);
  const { lookout = createLookout({ identity, clock, leaseMs: times.leaseMs }) } = options;
  const campaign: CampaignOptions = {
    ...{ identity, leases, lookout, times, clock, timers, random, log },
    ...{ isWilling, isConfirmed },
  };
  const stopping = new AbortController();
  let term: Term | undefined;
  let running: Promise<unknown> = Promise.resolve();

  async function lead(held: Term, handlers: LeaderHandlers): Promise<'stopped' | 'lost'> {
    const { lost, fencingToken } = held;
    const signal = AbortSignal.any([lost, stopping.signal]);
    log.info({ identity, fencingToken }, 'Leading');
    let failure: { readonly thrown: unknown } | undefined;
    const work = startLeading(handlers, signal).catch((thrown: unknown) => {
      failure = { thrown };
      stopping.abort();
    });
    await aborted(signal);
    const drained = await drain(work, lost);
    const ending = lost.aborted ? 'lost' : 'stopped';
    if (ending === 'lost') handlers.onStopped();
    // A release while work goes on would let a second leader work in parallel.
    await held.end({ release: drained });
    if (ending === 'stopped') handlers.onStopped();
    if (failure !== undefined) throw failure.thrown;
    return ending;
  }

  /** @returns whether the work ended in time and before the lease was lost */
  async function drain(work: Promise<void>, lost: AbortSignal): Promise<boolean> {
    const done = new AbortController();
    const ended = work.then(() => done.abort());
    await Promise.race([ended, pause(timers, drainMs, AbortSignal.any([lost, done.signal]))]);
    return done.signal.aborted;
  }

  async function campaignAndLead(handlers: LeaderHandlers): Promise<'stopped' | 'lost'> {
    term = await winTerm(campaign, stopping.signal);
    if (term === undefined) return 'stopped';
    try {
      return await lead(term, handlers);
    } finally {
      term = undefined;
    }
  }

  const remainingMs = () => term?.remainingMs() ?? 0;
  return {
    run(handlers) {
      const run = campaignAndLead(handlers);
      running = run.catch(() => undefined);
      return run;
    },
    get leading() {
      return remainingMs() > 0;
    },
    remainingMs,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const always = () => Promise.resolve(true);

function timesOf({
  leaseMs = 15_000,
  renewDeadlineMs = 10_000,
  retryMs = 2_000,
}: LeaderElectionOptions): LeaseTimes {
  if (leaseMs <= renewDeadlineMs || renewDeadlineMs <= retryMs) {
    throw new RangeError(
      'leaseMs must exceed renewDeadlineMs, and renewDeadlineMs must exceed retryMs',
    );
  }
  return { leaseMs, renewDeadlineMs, retryMs };
}

/** Converts a throw of the handler to a rejection. */
async function startLeading(handlers: LeaderHandlers, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await handlers.onStarted(signal);
}
