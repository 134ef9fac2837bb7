// Starts the configured parts of the service. They stop in reverse order.

import { createHealthApp } from '../http/health-app.ts';
import { listen } from '../http/listen.ts';
import { createKubeClient } from '../kube/client.ts';
import type { ClusterAccess } from '../kube/config.ts';
import type { Log } from '../lib/log.ts';
import { startApi } from './api.ts';
import { type AppContext, drainMs, openContext } from './context.ts';
import { startController } from './controller.ts';
import type { Leading } from './controllers/leader.ts';
import { readinessOf } from './readiness.ts';
import { everyPart, type ServiceSettings } from './settings.ts';

export type { MetricsSettings, ServiceSettings } from './settings.ts';

export interface Service {
  /** The port of the API; without the API, the port of the health checks. */
  readonly port: number;
  readonly metricsPort: number;
  /** Completes running requests, records received responses, releases the lease. */
  stop(): Promise<void>;
}

/** @throws KubeError, ClusterConfigError, or the error of `listen`; nothing is left running then */
export async function startService(
  cluster: ClusterAccess,
  settings: ServiceSettings,
  log: Log,
): Promise<Service> {
  const stack = new AsyncDisposableStack();
  const { parts = everyPart } = settings;
  let leading: Leading | undefined;
  try {
    const options = { cluster, settings, log, led: () => leading?.led ?? [] };
    const context = await openContext(stack, options);
    const { signing } = context;
    if (signing !== undefined) {
      // With connections of its own: requests of the API do not queue behind the writes of the controller.
      const client = createKubeClient(cluster);
      stack.defer(() => client.close());
      const kubeDeps = { ...context.kubeDeps, client };
      leading = await startController(stack, { ...context, kubeDeps, signing }, cluster);
    }
    const port = parts.includes('api')
      ? await startApi(stack, context, cluster)
      : await startHealth(stack, context);
    return { port, metricsPort: context.metricsPort, stop: () => stack.disposeAsync() };
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}

async function startHealth(stack: AsyncDisposableStack, context: AppContext): Promise<number> {
  const app = createHealthApp(() => readinessOf(context, {}));
  const listening = await listen(app, context.settings);
  stack.defer(() => listening.close(drainMs));
  return listening.port;
}
