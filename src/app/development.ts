// Composition root of the development mode: control plane, node, issuer and service in one process.

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { binariesFor } from '../dev/binaries.ts';
import { startControlPlane } from '../dev/control-plane.ts';
import { holdDataFolder, prepareDataFolder } from '../dev/data-folder.ts';
import { startNode } from '../dev/node/index.ts';
import { choosePorts } from '../dev/ports.ts';
import { createStartProgress } from '../dev/progress.ts';
import { loopbackHosts } from '../domain/cross-origin.ts';
import { defaultRetryPolicy } from '../domain/retry.ts';
import { startIssuer } from '../issuer/server.ts';
import type { KindRef, KubeClient, KubeObject } from '../kube/api.ts';
import { createKubeClient } from '../kube/client.ts';
import { loadCluster } from '../kube/config.ts';
import { aborted } from '../lib/abort.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { protectionManifests } from '../permissions/protection-policy.ts';
import { maxRounds, put, read } from '../store/put.ts';
import { verbDescriptions } from './config/flags.ts';
import { type Config, ConfigError, loadConfig, serviceFlags } from './config/index.ts';
import { developmentIssuerSettings } from './evaluation.ts';
import { artifactSettingsOf, registriesOf, releaseOf } from './installation.ts';
import { createLogger } from './logger.ts';
import { startService } from './service.ts';
import { stopSignal } from './stop-signal.ts';

/** Runs until it is stopped. @throws StartError, ConfigError, KubeError */
export async function develop(argv: readonly string[]): Promise<void> {
  const wanted = loadConfig(argv);
  const stop = stopSignal();
  await using stack = new AsyncDisposableStack();
  const { dataFolder, port, issuerPort } = wanted;
  prepareDataFolder(dataFolder);
  stack.defer(holdDataFolder(dataFolder, { url: urlOn(port), issuerPort }));
  const { script } = verbDescriptions.dev;
  const { values: flags } = parseArgs({ args: [...argv], options: serviceFlags });
  const ports = await choosePorts(wanted, { script, flags });
  try {
    await runDevelopment(stack, { ...wanted, ...ports }, stop);
  } catch (thrown) {
    // A build that was stopped has not failed.
    if (!stop.aborted) throw thrown;
  }
}

function urlOn(port: number): string {
  return `http://localhost:${port}`;
}

async function runDevelopment(
  stack: AsyncDisposableStack,
  config: Config,
  stop: AbortSignal,
): Promise<void> {
  const { dataFolder, port, issuerPort, metricsPort } = config;
  const url = urlOn(port);
  const log = createLogger({
    level: config.logLevel,
    component: 'fairlead',
    forPeople: process.stderr.isTTY,
  });
  const kubeconfig = config.kubeconfig ?? (await localControlPlane(stack, { config, log, stop }));
  if (stop.aborted) return;
  const issuer = await startIssuer({ dataFolder, port: issuerPort, apiPort: port, log });
  stack.defer(() => issuer.close());
  const settings = { ...config, ...developmentSettings(config, issuer.issuer) };
  const service = await startService(loadCluster({ kubeconfig }), settings, log);
  stack.defer(() => service.stop());
  const metrics = `http://localhost:${metricsPort}/metrics`;
  const exports = exportOf(config);
  process.stdout.write(
    banner({ url, issuer: issuer.issuer, metrics, kubeconfig, dataFolder, exports }),
  );
  await aborted(stop);
  process.stdout.write('\nStopping …\n');
}

async function localControlPlane(
  stack: AsyncDisposableStack,
  { config, log, stop }: { config: Config; log: Log; stop: AbortSignal },
): Promise<string> {
  const { dataFolder } = config;
  const binaries = await binariesFor(config, stop);
  const progress = createStartProgress(process.stderr);
  const controlPlane = await progress.during('Starting a Kubernetes control plane', () =>
    startControlPlane({
      dataFolder,
      binaries,
      onRestart: (component) => log.warn({ component }, 'A component exited; restarting it'),
    }),
  );
  stack.defer(() => controlPlane.stop());
  await localNode(stack, { config, log, kubeconfig: controlPlane.kubeconfig });
  const client = createKubeClient(loadCluster({ kubeconfig: controlPlane.kubeconfig }));
  stack.defer(() => client.close());
  await installLocalPolicies(client);
  return controlPlane.kubeconfig;
}

/** The image of our pods: the local node runs it from this checkout. */
const developmentImage = 'fairlead:dev';

async function localNode(
  stack: AsyncDisposableStack,
  { config, log, kubeconfig }: { config: Config; log: Log; kubeconfig: string },
): Promise<void> {
  const client = createKubeClient(loadCluster({ kubeconfig }));
  stack.defer(() => client.close());
  const node = await startNode({
    client,
    clock: systemClock,
    log,
    random: Math.random,
    dataFolder: config.dataFolder,
    imageRoots: { [developmentImage]: join(import.meta.dirname, '../..') },
    searchPath: config.binaries.searchPath,
    network: config.network,
  });
  stack.defer(() => node.stop());
}

/** Settings that only this mode may use: one process, with an issuer that trusts any login. */
function developmentSettings(config: Config, issuer: string) {
  const { dataFolder, retry, controllerWorkers, port, internalPort, pods } = config;
  const issuers = [developmentIssuerSettings(issuer), ...config.issuers];
  if (config.issuers.some((each) => each.issuer === issuer)) {
    throw new ConfigError(
      `FAIRLEAD_ISSUERS: ${issuer} is the local issuer, which is always trusted; remove it`,
    );
  }
  const { npmRegistry, ...registries } = registriesOf(config);
  const folder = createHash('sha256').update(dataFolder).digest('hex').slice(0, 8);
  return {
    issuers,
    publicUrl: config.publicUrl ?? urlOn(port),
    hosts: loopbackHosts,
    artifacts: artifactSettingsOf(config),
    workloads: {
      image: pods.image ?? developmentImage,
      internal: { host: '127.0.0.1', port: internalPort },
      artifactsUrl: pods.artifactsUrl ?? `http://127.0.0.1:${internalPort}`,
      fairleadUrl: pods.fairleadUrl ?? `http://127.0.0.1:${port}`,
      minReadySeconds: pods.minReadySeconds,
      scheduling: pods.scheduling,
      ...registries,
    },
    metrics: { host: config.host, port: config.metricsPort },
    loopbackProviders: true,
    // All callers are the developer at this terminal.
    audit: () => undefined,
    release: releaseOf(),
    identity: `${hostname()}-${folder}`,
    policy: { ...defaultRetryPolicy, ...retry },
    workers: controllerWorkers,
    tenancy: {
      outsideCidrs: config.outsideCidrs,
      clusterCidrs: config.clusterCidrs,
      limits: config.limits,
      npmRegistry,
    },
  };
}

interface DevelopmentAddresses {
  readonly url: string;
  readonly issuer: string;
  readonly metrics: string;
  readonly kubeconfig: string;
  readonly dataFolder: string;
  readonly exports: string;
}

/** The commands of the checkout look for the data in its usual place. */
function exportOf({ dataFolder }: Config): string {
  if (dataFolder === loadConfig([], {}).dataFolder) return '';
  return `  export FAIRLEAD_DATA='${dataFolder}'    # for npm run kubectl and npm run token\n`;
}

function banner(addresses: DevelopmentAddresses): string {
  const { url, issuer, metrics, kubeconfig, dataFolder, exports } = addresses;
  return `
Fairlead is ready. This mode is for development: anyone who can reach it can get any token, and provider code runs as
processes on this machine without isolation.

  API          ${url}        documented at ${url}/docs
  Console      ${url}/console/
  Issuer       ${issuer}
  Metrics      ${metrics}
  kubeconfig   ${kubeconfig}
  Data         ${dataFolder}

  npx fairlead login ${url}
  npx fairlead get
${exports}  npm run --silent kubectl -- get resources -A

Ctrl-C stops everything; the data is kept.
`;
}

// Installs, on the control plane of the local default, the admission policy that binds everybody. On a cluster the chart and the
// manifests have it, with those that bind the accounts of Fairlead, which the local default lacks.

function admissionKind(kind: string): KindRef {
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies');
  const group = 'admissionregistration.k8s.io';
  return { group, version: 'v1', kind, plural, namespaced: false };
}

/** Replaces what an earlier release has installed. */
async function installLocalPolicies(client: KubeClient): Promise<void> {
  for (const manifest of protectionManifests()) {
    const kind = admissionKind(manifest.kind);
    const ref = { name: manifest.metadata.name };
    for (let round = 0; round < maxRounds; round += 1) {
      const present = await read<KubeObject>(client, kind, ref);
      const metadata = { ...present?.metadata, ...manifest.metadata };
      if ((await put<KubeObject>(client, kind, { ...manifest, metadata })) !== undefined) break;
    }
  }
}
