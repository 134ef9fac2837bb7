// Polls the API server, as watches of quiet kinds are silent for minutes.
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeClient } from '../kube/api.ts';
import type { Clock } from '../lib/clock.ts';

export interface ApiServerHealth {
  /** True if the API server answered recently. */
  readonly alive: boolean;
  stop(): void;
}

const intervalMs = 5_000;
const silentAfterMs = 15_000;

export function pollApiServer(client: KubeClient, clock: Clock): ApiServerHealth {
  const stopping = new AbortController();
  const { signal } = stopping;
  let answeredAt = clock.monotonic();
  async function poll(): Promise<void> {
    while (!signal.aborted) {
      await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      const isAlive = await client.raw('/livez', { signal, timeoutMs: intervalMs }).then(
        () => true,
        () => false,
      );
      if (isAlive) answeredAt = clock.monotonic();
    }
  }
  void poll();
  return {
    get alive() {
      return clock.monotonic() - answeredAt < silentAfterMs;
    },
    stop: () => stopping.abort(),
  };
}
