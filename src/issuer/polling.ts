// Paces the polls of devices (RFC 8628): a poll before its interval has passed makes the interval longer.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';

/** The seconds between two polls of a device. */
export const pollSeconds = 5;
/** A poll that the network delivers this much early is not too early. */
const toleranceMs = 1_000;
const maxDevices = 10_000;

export interface Polling {
  /** Records a poll. @returns whether it came too early, so that the device must slow down */
  tooEarly(deviceCode: string): boolean;
}

export function createPolling(clock: Clock): Polling {
  const devices = new LRUCache<string, { last: number; intervalMs: number }>({ max: maxDevices });
  return {
    tooEarly(deviceCode) {
      const now = clock.monotonic();
      const known = devices.get(deviceCode);
      const intervalMs = known?.intervalMs ?? pollSeconds * 1_000;
      const early = known !== undefined && now - known.last < intervalMs - toleranceMs;
      const longer = early ? intervalMs + pollSeconds * 1_000 : intervalMs;
      devices.set(deviceCode, { last: now, intervalMs: longer });
      return early;
    },
  };
}
