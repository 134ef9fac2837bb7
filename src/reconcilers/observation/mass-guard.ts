// Holds the corrections of a provider when too many of its objects turn out to differ or to be gone at once, until a person releases
// them. What it finds becomes a condition of the Provider, which holds across restarts.
import { LRUCache } from 'lru-cache';
import { type ConditionWanted, Reason } from '../../crds/conditions.ts';
import type { Provider } from '../../crds/provider.ts';
import type { Informer, Key } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { correctionsHeldOf } from '../../store/providers/corrections.ts';
import { type Candidate, isMassive, type Looked, type Turned, turnedWith } from './correction.ts';

/** Why corrections are held, as found by this process. */
export interface Hold extends Turned {
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface MassGuard {
  /** Returns whether the correction of a drift is held. @param look looks at all resources of the provider, if need be */
  isHeld(provider: Key, candidate: Candidate, look: () => Looked): boolean;
  /** @returns when a person last released the corrections of a provider, in milliseconds since 1970; 0 without that */
  releasedAt(provider: Key): number;
  /** @returns what this process found, unless it was released since */
  of(provider: Key): Hold | undefined;
  /** Calls back for each provider whose corrections are held from now on. @returns a function that unsubscribes */
  onChange(listener: (provider: Key) => void): () => void;
}

interface Deps {
  readonly providers: Pick<Informer<Provider>, 'get'>;
  readonly clock: Clock;
}

/** For so long a look is not repeated: each resource that is to be corrected asks. */
const lookedMs = 1_000;
const maxLooks = 1_000;

export function createMassGuard({ providers, clock }: Deps): MassGuard {
  const holds = new Map<Key, Hold>();
  const looks = new LRUCache<Key, { readonly at: number; readonly looked: Looked }>({
    max: maxLooks,
  });
  const listeners = new Set<(provider: Key) => void>();
  const releasedAt = (key: Key) => releaseOf(providers.get(key));

  function holdOf(key: Key): Hold | undefined {
    const hold = holds.get(key);
    if (hold !== undefined && hold.at <= releasedAt(key)) holds.delete(key);
    return holds.get(key);
  }

  function lookedAt(key: Key, look: () => Looked): Looked {
    const now = clock.monotonic();
    const known = looks.get(key);
    if (known !== undefined && now - known.at < lookedMs) return known.looked;
    const looked = look();
    looks.set(key, { at: now, looked });
    return looked;
  }

  return {
    isHeld(key, candidate, look) {
      const found = providers.get(key);
      // One that is being deleted gets nothing new.
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return true;
      if (holdOf(key) !== undefined || correctionsHeldOf(found) !== undefined) return true;
      const turned = turnedWith(candidate, lookedAt(key, look), releaseOf(found));
      if (!isMassive(turned)) return false;
      holds.set(key, { ...turned, at: clock.now().getTime() });
      for (const listener of listeners) listener(key);
      return true;
    },
    releasedAt,
    of: holdOf,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function releaseOf(provider: Provider | undefined): number {
  const at = Date.parse(provider?.spec.correctionsReleasedAt ?? '');
  return Number.isNaN(at) ? 0 : at;
}

/** @returns the condition, if the provider is to have it */
export function correctionsHeldCondition(
  provider: Provider,
  hold: Hold | undefined,
): readonly ConditionWanted[] {
  const message =
    correctionsHeldOf(provider)?.message ?? (hold === undefined ? undefined : holdInWords(hold));
  if (message === undefined) return [];
  const reason = Reason.CorrectionsHeld;
  return [{ type: 'CorrectionsHeld', status: 'True', reason, message }];
}

function holdInWords({ turned, observed }: Hold): string {
  return `${turned} of ${observed} observed resources turned out to differ or to be gone within one interval; nothing is corrected until somebody has looked. Check the settings of the provider, or release the corrections`;
}
