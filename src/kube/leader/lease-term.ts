// One term of leadership, from acquiring the lease to its loss or release. It renews the lease and ends at the latest when
// no renewal succeeded within the deadline, even if no response arrived.
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { KubeError } from '../errors.ts';
import { pause, type Timers } from '../timers.ts';
import {
  createOwnRecord,
  fencingTokenOf,
  type Lease,
  type Leases,
  microTime,
} from './lease-record.ts';

export interface LeaseTimes {
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export interface Term {
  readonly fencingToken: number;
  /** Aborted when the lease is lost. */
  readonly lost: AbortSignal;
  /** Milliseconds for which nobody else can lead; detects the end of the term by itself. */
  remainingMs(): number;
  /** Stops renewing; with `release`, others may take the lease at once. */
  end(options: { readonly release: boolean }): Promise<void>;
}

interface TermOptions {
  readonly leases: Leases;
  /** The record with which we acquired the lease. */
  readonly taken: Lease;
  /** Time of the request on the monotonic clock: the response came later, and others start counting later still. */
  readonly askedAt: number;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
}

/** Never more than `retryMs`, so that others act within it; spread, so that they do not act together. */
export function retryPause({ retryMs }: LeaseTimes, random: () => number): number {
  return retryMs * (0.8 + 0.2 * random());
}

const releaseAttempts = 3;

export function createTerm(options: TermOptions): Term {
  const { leases, taken, times, clock, timers, random, log } = options;
  const fencingToken = fencingTokenOf(taken);
  const lost = new AbortController();
  const ending = new AbortController();
  const record = createOwnRecord(leases, taken);
  let renewedAt = options.askedAt;
  let cancelDeadline = timers.after(untilDeadline(), checkDeadline);
  const renewals = keepRenewing();

  function untilDeadline(): number {
    return renewedAt + times.renewDeadlineMs - clock.monotonic();
  }

  function isLost(): boolean {
    if (untilDeadline() <= 0) lose('The lease could not be renewed in time');
    return lost.signal.aborted;
  }

  function checkDeadline(): void {
    cancelDeadline();
    if (!isLost()) cancelDeadline = timers.after(untilDeadline(), checkDeadline);
  }

  function lose(why: string): void {
    if (lost.signal.aborted) return;
    cancelDeadline();
    log.warn({ fencingToken, why }, 'Lost the lease');
    const reason = new KubeError({ reason: 'aborted', message: why });
    ending.abort(reason);
    lost.abort(reason);
  }

  function renewed(askedAt: number): void {
    renewedAt = Math.max(renewedAt, askedAt);
    checkDeadline();
  }

  function requestOptions() {
    // An integer, as AbortSignal.timeout rejects fractions: otherwise every attempt after a slow one would fail.
    const timeoutMs = Math.max(1, Math.floor(Math.min(times.renewDeadlineMs / 2, untilDeadline())));
    return { timeoutMs, signal: lost.signal };
  }

  async function renew(): Promise<void> {
    // A process that slept through the deadline detects it here, unless a timer or a call did before.
    checkDeadline();
    if (lost.signal.aborted) return;
    const askedAt = clock.monotonic();
    const written = await record.write({ renewTime: microTime(clock.now()) }, requestOptions());
    if (written === 'taken') lose('Another process holds the lease');
    if (written === 'done') renewed(askedAt);
  }

  async function keepRenewing(): Promise<void> {
    let failures = 0;
    for (;;) {
      await pause(timers, retryPause(times, random), ending.signal);
      if (ending.signal.aborted) return;
      const failed = await renew().catch((thrown: unknown) => ({ thrown }));
      failures = failed === undefined ? 0 : failures + 1;
      if (failures === 1) {
        log.warn({ fencingToken, error: failed?.thrown }, 'Renewing the lease failed; retrying');
      }
    }
  }

  async function release(): Promise<void> {
    for (let attempt = 1; attempt <= releaseAttempts; attempt += 1) {
      const time = microTime(clock.now());
      const spec = { holderIdentity: undefined, leaseDurationSeconds: 1, renewTime: time };
      if ((await record.write(spec, requestOptions())) !== 'missing') return;
    }
  }

  return {
    fencingToken,
    lost: lost.signal,
    // Called before every effect, so it leaves the timer alone.
    remainingMs() {
      if (isLost()) return 0;
      return Math.max(0, renewedAt + times.leaseMs - clock.monotonic());
    },
    async end({ release: wanted }) {
      ending.abort();
      // Waits for a running renewal: the release needs its version.
      await renewals;
      try {
        if (wanted && !lost.signal.aborted) await release();
      } catch (thrown) {
        log.warn({ fencingToken, error: thrown }, 'Releasing the lease failed; it will expire');
      }
      cancelDeadline();
    },
  };
}
