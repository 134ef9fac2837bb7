// Waits where the API limits the rate of an organization: others of it may have reached the limit. A limit that lasts is an error.
import { retryAfterMs } from '../../lib/retry-after.ts';

const leastWaitMs = 500;
const maxWaitMs = 5_000;

/** Sends a request, and again when it may pass: one that was limited had no effect. @throws the reason of the signal */
export async function withinRate(
  send: () => Promise<Response>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  for (let waitedMs = 0; ; ) {
    const answer = await send();
    const wanted = retryAfterMs(answer.headers.get('retry-after') ?? undefined, new Date()) ?? 0;
    waitedMs += Math.max(wanted, leastWaitMs);
    if (answer.status !== 429 || waitedMs > maxWaitMs) return answer;
    await waitBeforeRetry(Math.max(wanted, leastWaitMs), signal);
  }
}

function waitBeforeRetry(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
