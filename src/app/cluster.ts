// Composition root of a pod: runs one part of the service on the pod's cluster. The chart has already created the CRDs, the
// rights and the namespace.

import { hostname } from 'node:os';
import { defaultRetryPolicy } from '../domain/retry.ts';
import type { IssuerSettings } from '../http/auth/issuer-settings.ts';
import { type ClusterAccess, loadCluster } from '../kube/config.ts';
import { aborted } from '../lib/abort.ts';
import type { Log } from '../lib/log.ts';
import { accounts } from '../permissions/roles.ts';
import { type Config, ConfigError, loadConfig } from './config/index.ts';
import { artifactSettingsOf, podAddressesOf, registriesOf, releaseOf } from './installation.ts';
import { createLogger } from './logger.ts';
import { startService } from './service.ts';
import type { ServicePart, ServiceSettings } from './settings.ts';
import { stopSignal } from './stop-signal.ts';

/** Runs one part until it is stopped. @throws ConfigError, ClusterConfigError, KubeError */
export async function serveCluster(part: ServicePart, argv: readonly string[]): Promise<void> {
  const config = loadConfig(argv, undefined, 'cluster');
  requireArtifactsOf(part, config);
  const stop = stopSignal();
  const log = createLogger({ level: config.logLevel, component: part });
  const { kubeconfig } = config;
  const cluster = loadCluster(kubeconfig === undefined ? {} : { kubeconfig });
  await using stack = new AsyncDisposableStack();
  const issuers = part === 'api' ? await issuersOf(stack, { config, cluster, log }) : [];
  const service = await startService(cluster, serviceSettings(part, config, issuers), log);
  stack.defer(() => service.stop());
  log.info({ part, port: service.port }, 'Serving');
  await aborted(stop);
}

function serviceSettings(
  part: ServicePart,
  config: Config,
  issuers: readonly IssuerSettings[],
): ServiceSettings {
  const { host, port, metricsPort, internalPort, pods, pod, systemNamespace } = config;
  const account = pod.serviceAccount;
  const { npmRegistry, ...registries } = registriesOf(config);
  const accountOf = (name: string) =>
    account === undefined ? undefined : { namespace: systemNamespace, name };
  return {
    ...config,
    parts: [part],
    installed: true,
    release: releaseOf(),
    // The API of an evaluation is reached through a forwarded port only.
    publicUrl: config.publicUrl ?? (pod.evaluation ? `http://localhost:${port}` : undefined),
    probePort: part === 'api' ? config.probePort : undefined,
    metrics: { host, port: metricsPort },
    issuers,
    artifacts: artifactSettingsOf(config),
    eventKeySecret: pod.eventKeySecret,
    tenancy: {
      outsideCidrs: config.outsideCidrs,
      clusterCidrs: config.clusterCidrs,
      limits: config.limits,
      controllerAccount: accountOf(account ?? ''),
      apiAccount: accountOf(accounts.api),
      npmRegistry,
    },
    identity: pod.identity ?? hostname(),
    policy: { ...defaultRetryPolicy, ...config.retry },
    workers: config.controllerWorkers,
    workloads: {
      ...podAddressesOf(part, config),
      internal: { host, port: internalPort },
      minReadySeconds: pods.minReadySeconds,
      scheduling: pods.scheduling,
      ...registries,
    },
  };
}

/** The API keeps artifacts, or uses a bucket; only the controller may fetch them from the API. */
function requireArtifactsOf(part: ServicePart, config: Config): void {
  if (part !== 'api' || artifactSettingsOf(config).kind !== 'remote') return;
  throw new ConfigError(
    'FAIRLEAD_ARTIFACTS: the API does not support remote; use folder, or set FAIRLEAD_S3_BUCKET',
  );
}

async function issuersOf(
  stack: AsyncDisposableStack,
  place: { config: Config; cluster: ClusterAccess; log: Log },
): Promise<readonly IssuerSettings[]> {
  const { issuers, pod } = place.config;
  if (!pod.evaluation) {
    if (issuers.length > 0) return issuers;
    throw new ConfigError('FAIRLEAD_ISSUERS: required unless FAIRLEAD_EVALUATION is true');
  }
  if (issuers.length > 0) {
    throw new ConfigError('FAIRLEAD_EVALUATION: cannot be combined with FAIRLEAD_ISSUERS');
  }
  // Imported only here: a production image has neither the issuer nor its library.
  const { evaluationIssuer } = await import('./evaluation.ts');
  return [await evaluationIssuer(stack, place)];
}
