// Holds the corrections of a provider when too many of its objects turn out to differ or to be gone at once, until a person releases
// them. The finding becomes a condition of the Provider, which holds across restarts.
import { LRUCache } from 'lru-cache';
import { type Condition, type ConditionWanted, Reason } from '../../crds/conditions.ts';
import type { Provider } from '../../crds/provider.ts';
import type { Informer, Key } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { correctionsHeldOf } from '../../store/providers/corrections.ts';
import { type DriftCount, type Gate, gateOf, type Observations } from './correction.ts';

/** Why corrections are held, as found by this process. */
export interface Hold extends DriftCount {
  /** The release of before, if there was one: another one ends the hold. */
  readonly released: string | undefined;
}

export interface MassGuard {
  /**
   * Returns whether corrections of a provider may begin.
   * @param everyMs the interval of what is to be corrected
   * @param look reads all resources of the provider, if need be
   */
  gate(provider: Key, everyMs: number, look: () => Observations): Gate['is'];
  /** @returns the last release of the corrections of a provider; undefined without one. It is a name: it is compared with no clock */
  released(provider: Key): string | undefined;
  /** @returns what this process found, unless it was released since */
  of(provider: Key): Hold | undefined;
  /** Calls back for each provider whose corrections are held from now on. @returns a function that unsubscribes */
  onChange(listener: (provider: Key) => void): () => void;
}

interface MassGuardDeps {
  readonly providers: Pick<Informer<Provider>, 'get'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** For so long a look is not repeated: each resource that is to be corrected asks. */
const lookedMs = 1_000;
const maxLooks = 1_000;

export function createMassGuard({ providers, clock }: MassGuardDeps): MassGuard {
  const holds = new Map<Key, Hold>();
  const looks = new LRUCache<string, { at: number; released: string | undefined; gate: Gate }>({
    max: maxLooks,
  });
  const listeners = new Set<(provider: Key) => void>();
  const releasedOf = (key: Key) => providers.get(key)?.spec.correctionsReleased;

  function holdOf(key: Key): Hold | undefined {
    const hold = holds.get(key);
    if (hold !== undefined && hold.released !== releasedOf(key)) holds.delete(key);
    return holds.get(key);
  }

  function seenThrough(key: Key, everyMs: number, look: () => Observations): Gate {
    const at = clock.monotonic();
    const released = releasedOf(key);
    const id = `${everyMs} ${key}`;
    const known = looks.get(id);
    const isPresent = known !== undefined && at - known.at < lookedMs;
    if (isPresent && known.released === released) return known.gate;
    const gate = gateOf(look(), everyMs);
    looks.set(id, { at, released, gate });
    return gate;
  }

  return {
    gate(key, everyMs, look) {
      const found = providers.get(key);
      // One that is being deleted gets nothing new.
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return 'held';
      if (holdOf(key) !== undefined || correctionsHeldOf(found) !== undefined) return 'held';
      const gate = seenThrough(key, everyMs, look);
      if (gate.is === 'held') {
        holds.set(key, { ...gate.by, released: found.spec.correctionsReleased });
        for (const listener of listeners) listener(key);
      }
      return gate.is;
    },
    released: releasedOf,
    of: holdOf,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** @returns the conditions of a provider without one that was released: a hold from now on is another one, with its own time */
export function unreleasedConditions({ spec, status }: Provider): readonly Condition[] {
  const { conditions = [] } = status ?? {};
  if (correctionsHeldOf({ spec, status }) !== undefined) return conditions;
  return conditions.filter(({ type }) => type !== 'CorrectionsHeld');
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

function holdInWords({ drifted, observed }: Hold): string {
  return `${drifted} of ${observed} observed resources turned out to differ or to be gone within two intervals; nothing is corrected until somebody has looked. Check the settings of the provider, or release the corrections`;
}
