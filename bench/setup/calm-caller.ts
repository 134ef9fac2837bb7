// The organization whose requests are measured, in a process of its own. Started by neighbours.ts; answers each order with durations.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

/** One phase: reads at a constant rate. */
export interface CalmOrder {
  readonly url: string;
  readonly token: string;
  readonly path: string;
  readonly count: number;
  readonly everyMs: number;
}

let pool: Pool | undefined;

process.on(
  'message',
  (order: CalmOrder) => void measure(order).then((took) => process.send?.(took)),
);
process.once('disconnect', () => process.exit(0));

/** @returns the durations of its requests, sent at a constant rate without waiting for responses */
async function measure({ url, token, path, count, everyMs }: CalmOrder): Promise<number[]> {
  pool ??= new Pool(url, { connections: 64, pipelining: 1 });
  const reader = pool;
  const headers = { authorization: `Bearer ${token}` };
  const timed = async () => {
    const begun = performance.now();
    const { statusCode, body } = await reader.request({ method: 'GET', path, headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`a calm request was answered ${statusCode}`);
    return performance.now() - begun;
  };
  const took: Promise<number>[] = [];
  const begun = performance.now();
  for (let index = 0; index < count; index += 1) {
    await pause(Math.max(0, begun + index * everyMs - performance.now()));
    took.push(timed());
  }
  return await Promise.all(took);
}
