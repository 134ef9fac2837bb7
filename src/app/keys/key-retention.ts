// Decides which published event keys stay while several controllers run: those of running ones. A key is removed only after a
// while, because a controller that has just started is not known to the others yet.
import type { Clock } from '../../lib/clock.ts';

/** Longer than a controller takes to become known to the others (two renewals of its Lease). */
const unknownMs = 60_000;

/**
 * @param inUse returns the ids of the keys of all known controllers
 * @returns whether the key with this id stays
 */
export function createKeyRetention(
  clock: Clock,
  inUse: () => ReadonlySet<string>,
): (keyId: string) => boolean {
  const unknownSince = new Map<string, number>();
  return (keyId) => {
    if (inUse().has(keyId)) {
      unknownSince.delete(keyId);
      return true;
    }
    const now = clock.monotonic();
    const since = unknownSince.get(keyId) ?? now;
    unknownSince.set(keyId, since);
    return now - since < unknownMs;
  };
}
