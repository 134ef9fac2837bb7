// Caches the last applied Deployment of each provider and the response of the API server. A webhook or another controller
// may undo it: the same manifest is applied again with growing delays, and not while the response still stands.

import type { Key } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Deployment } from '../workloads.ts';

const firstDelayMs = 1_000;
const maxDelayMs = 5 * 60_000;

export interface AppliedManifest {
  /** Fingerprint of the applied manifest. */
  readonly manifest: string;
  /** From the response: another generation means another spec. */
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** How long the same manifest is not applied again; 0 when it may be at once. */
  readonly waitMs: number;
}

export interface AppliedBook {
  find(provider: Key): AppliedManifest | undefined;
  record(provider: Key, manifest: string, answer: Deployment): void;
  forget(provider: Key): void;
}

interface AppliedEntry extends Omit<AppliedManifest, 'waitMs'> {
  readonly at: number;
  readonly delayMs: number;
}

export function createAppliedBook(clock: Pick<Clock, 'monotonic'>): AppliedBook {
  const entries = new Map<Key, AppliedEntry>();

  function delayAfter(last: AppliedEntry | undefined, manifest: string, now: number): number {
    const isRepeated = last?.manifest === manifest && now - last.at < 2 * last.delayMs;
    return isRepeated ? Math.min(2 * last.delayMs, maxDelayMs) : firstDelayMs;
  }

  return {
    find(provider) {
      const entry = entries.get(provider);
      if (entry === undefined) return undefined;
      const { at, delayMs, ...applied } = entry;
      return { ...applied, waitMs: Math.max(0, at + delayMs - clock.monotonic()) };
    },
    record(provider, manifest, { metadata: { uid, generation } }) {
      const at = clock.monotonic();
      const delayMs = delayAfter(entries.get(provider), manifest, at);
      entries.set(provider, { manifest, uid, generation, at, delayMs });
    },
    forget: (provider) => void entries.delete(provider),
  };
}
