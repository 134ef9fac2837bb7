// Waits for a condition instead of a fixed time.
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs `look` until it does not throw, and returns its result.
 * @throws the last thing `look` threw, after `timeoutMs`
 */
export async function eventually<T>(look: () => Promise<T> | T, timeoutMs = 30_000): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (let wait = 10; ; wait = Math.min(wait * 1.5, 250)) {
    try {
      return await look();
    } catch (thrown) {
      if (performance.now() > end) throw thrown;
    }
    await pause(wait);
  }
}
