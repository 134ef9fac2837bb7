// Starts the configured parts of the service. They stop in reverse order.

import type { Log } from '../domain/log.ts';
import { createHealthApp } from '../http/health-app.ts';
import { listen } from '../http/listen.ts';
import type { ClusterAccess } from '../kube/config.ts';
import { type Base, drainMs, openBase } from './base.ts';
import type { Leading } from './leader.ts';
import { readinessOf } from './readiness.ts';
import type { Part, ServiceSettings } from './settings.ts';
import { startApi } from './start-api.ts';
import { startController } from './start-controller.ts';

export type { MetricsSettings, ServiceSettings } from './settings.ts';

export interface Service {
  /** The port of the API; without the API, the port of the health checks. */
  readonly port: number;
  readonly metricsPort: number;
  /** Completes running requests, records received responses, releases the lease. */
  stop(): Promise<void>;
}

const everything: readonly Part[] = ['api', 'controller'];

/** @throws KubeError, ClusterConfigError, or the error of `listen`; nothing is left running then */
export async function startService(
  cluster: ClusterAccess,
  settings: ServiceSettings,
  log: Log,
): Promise<Service> {
  const stack = new AsyncDisposableStack();
  const { parts = everything } = settings;
  let leading: Leading | undefined;
  try {
    const opening = { cluster, settings, log, leading: () => leading?.leading ?? false };
    const base = await openBase(stack, opening);
    const { signing } = base;
    if (signing !== undefined) {
      leading = await startController(stack, { ...base, signing }, cluster);
    }
    const start = parts.includes('api') ? startApi : startHealth;
    const port = await start(stack, base);
    return { port, metricsPort: base.metricsPort, stop: () => stack.disposeAsync() };
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}

async function startHealth(stack: AsyncDisposableStack, base: Base): Promise<number> {
  const app = createHealthApp(() => readinessOf(base, {}));
  const listening = await listen(app, base.settings);
  stack.defer(() => listening.close(drainMs));
  return listening.port;
}
