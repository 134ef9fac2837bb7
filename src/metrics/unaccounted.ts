// Compares the API server's resource count of an organization with this process's count by state, in moments when neither changes.
// Resources of a difference that persists are unaccounted for: this process has missed a change.

import { pause, systemTimers, type Timers } from '../kube/timers.ts';
import type { Log } from '../lib/log.ts';
import type { ResourceStates } from './resource-states.ts';

export interface Balance {
  /** The API server's count at the last look. */
  readonly applied: number;
  /** The excess over this process's count; undefined until a look found a quiet moment. */
  readonly unaccounted: number | undefined;
}

export interface Accounting {
  readonly balances: ReadonlyMap<string, Balance>;
  /** Looks at changed organizations, at those with a difference, and in rotation at some of the others. Never rejects. */
  look(signal: AbortSignal): Promise<void>;
}

interface AccountingOptions {
  readonly resourceStates: Pick<ResourceStates, 'total' | 'version' | 'groups'>;
  /** Every organization, with or without resources. */
  readonly organizations: () => Iterable<string>;
  /** Counts the resources of an organization in the API server. */
  readonly count: (organization: string, signal: AbortSignal) => Promise<number>;
  readonly log: Log;
  readonly timers?: Timers;
}

const tries = 5;
const firstPauseMs = 100;
/** Unchanged organizations per look. Missed changes leave no trace: only looking at quiet ones too can find them. */
const inTurn = 20;
const maxPerLook = 100;
const atATime = 4;

export function createAccounting(options: AccountingOptions): Accounting {
  const { resourceStates, organizations, count, log, timers = systemTimers } = options;
  const balances = new Map<string, Balance>();
  /** Versions of the counts at the last look, the longest unseen organization first. */
  const seen = new Map<string, number>();

  function prune(present: ReadonlySet<string>): void {
    for (const each of [...seen.keys()]) {
      if (present.has(each)) continue;
      seen.delete(each);
      balances.delete(each);
    }
  }

  function choose(present: ReadonlySet<string>): readonly string[] {
    const isDue = (each: string) =>
      seen.get(each) !== resourceStates.version(each) || balances.get(each)?.unaccounted !== 0;
    const unseen = [...present].filter((each) => !seen.has(each));
    const due = [...unseen, ...seen.keys()].filter(isDue);
    const others = [...seen.keys()].filter((each) => !isDue(each)).slice(0, inTurn);
    return [...others, ...due].slice(0, maxPerLook);
  }

  /** @returns the current balance, and whether the organization stayed unchanged meanwhile */
  async function weigh(organization: string, signal: AbortSignal) {
    const before = resourceStates.version(organization);
    const applied = await count(organization, signal);
    const unaccounted = applied - resourceStates.total(organization);
    return { applied, unaccounted, quiet: resourceStates.version(organization) === before };
  }

  async function balance(organization: string, signal: AbortSignal): Promise<Balance> {
    let found = await weigh(organization, signal);
    // Changes that the server has counted may still be in transit: a difference counts only when it stays.
    for (let tried = 1; tried < tries && !(found.quiet && found.unaccounted === 0); tried += 1) {
      await pause(timers, firstPauseMs * 2 ** (tried - 1), signal);
      found = await weigh(organization, signal);
    }
    const { applied, unaccounted, quiet } = found;
    return { applied, unaccounted: quiet ? unaccounted : balances.get(organization)?.unaccounted };
  }

  async function lookAt(organization: string, signal: AbortSignal): Promise<void> {
    const version = resourceStates.version(organization);
    const found = await balance(organization, signal);
    balances.set(organization, found);
    seen.delete(organization);
    seen.set(organization, version);
    if (found.unaccounted !== undefined && found.unaccounted !== 0) {
      log.warn(
        { organization, ...found },
        'The number of resources differs from the count of the API server',
      );
    }
  }

  async function lookAtAll(chosen: Iterable<string>, signal: AbortSignal): Promise<void> {
    for (const each of chosen) {
      if (signal.aborted) return;
      try {
        await lookAt(each, signal);
      } catch (thrown) {
        // The last balance stays; after one unanswered request the others are not sent.
        if (!signal.aborted) log.debug({ error: thrown }, 'Resources could not be counted');
        return;
      }
    }
  }

  return {
    balances,
    async look(signal) {
      const present = new Set([...organizations(), ...resourceStates.groups()]);
      prune(present);
      const chosen = choose(present).values();
      // A busy organization takes several requests; others need not wait for it.
      await Promise.all(Array.from({ length: atATime }, () => lookAtAll(chosen, signal)));
    },
  };
}
