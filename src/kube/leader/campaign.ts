// The campaign of a candidate: tries to take the Lease until a term is won, or the candidate stops.
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { hasReason } from '../errors.ts';
import { pause, type Timers } from '../timers.ts';
import { fencingTokenOf, type Leases, type Lookout, microTime } from './lease-record.ts';
import { createTerm, type LeaseTimes, retryPause, type Term } from './lease-term.ts';

export interface CampaignOptions {
  readonly identity: string;
  readonly leases: Leases;
  readonly lookout: Lookout;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Called before every attempt. A rejection is a failed attempt. */
  readonly isWilling: () => Promise<boolean>;
  /** Called after the Lease was taken; false and a rejection give it back. */
  readonly isConfirmed: () => Promise<boolean>;
}

interface Campaign extends CampaignOptions {
  /** The holder that the log names already. */
  holder: string | undefined;
  /** Failed attempts in a row. */
  failures: number;
}

/** @returns undefined when the signal was aborted first; a Lease that was taken meanwhile is given back */
export async function winTerm(
  options: CampaignOptions,
  signal: AbortSignal,
): Promise<Term | undefined> {
  const { timers, times, random } = options;
  const campaign: Campaign = { ...options, holder: undefined, failures: 0 };
  while (!signal.aborted) {
    const won = await attempt(campaign);
    if (won !== undefined && !signal.aborted) return won;
    await won?.end({ release: true });
    await pause(timers, retryPause(times, random), signal);
  }
  return undefined;
}

/** Tries once; logs only the first failure in a row. */
async function attempt(campaign: Campaign): Promise<Term | undefined> {
  const { identity, log, isWilling } = campaign;
  try {
    const won = (await isWilling()) ? await tryAcquire(campaign) : undefined;
    campaign.failures = 0;
    return won;
  } catch (thrown) {
    // Another candidate was faster: no failure.
    if (hasReason(thrown, 'conflict', 'alreadyExists')) return undefined;
    campaign.failures += 1;
    if (campaign.failures === 1)
      log.warn({ identity, error: thrown }, 'Acquiring the lease failed; retrying');
    return undefined;
  }
}

async function tryAcquire(campaign: Campaign): Promise<Term | undefined> {
  const { identity, leases, lookout, times, clock, log, isConfirmed } = campaign;
  const timeoutMs = times.renewDeadlineMs / 2;
  const found = await leases.read({ timeoutMs });
  lookout.note(found);
  if (!lookout.mayTake()) {
    const holder = found?.spec?.holderIdentity;
    if (holder !== campaign.holder) log.info({ identity, holder }, 'Another process is the leader');
    campaign.holder = holder;
    return undefined;
  }
  const askedAt = clock.monotonic();
  const time = microTime(clock.now());
  const spec = {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(times.leaseMs / 1_000),
    acquireTime: time,
    renewTime: time,
    leaseTransitions: fencingTokenOf(found) + 1,
  };
  // With an unknown outcome, the next attempt finds our name in the record and acquires it again with another token.
  const taken = await leases.write(found, spec, { timeoutMs });
  const won = createTerm({ ...campaign, taken, askedAt });
  if (await isConfirmed().catch(() => false)) return won;
  await won.end({ release: true });
  return undefined;
}
