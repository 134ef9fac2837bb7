// Starts the part that serves requests: the API and the listener for pods.
import { join } from 'node:path';
import { maskCredentials } from '../credentials/mask.ts';
import { createAudit } from '../http/audit.ts';
import { createArtifactVerifier } from '../http/auth/artifact-tokens.ts';
import { createAuthenticator } from '../http/auth/authenticate.ts';
import { firstSignIn } from '../http/auth/issuer-settings.ts';
import { createAuthorRules } from '../http/author-rules/index.ts';
import { createHealthApp } from '../http/health-app.ts';
import { createInternalApp } from '../http/internal.ts';
import { createRateLimiter } from '../http/limits/rate-limit.ts';
import { listen } from '../http/listen.ts';
import { readStaticFiles } from '../http/response/static-files.ts';
import type { ReadinessReport } from '../http/routes/health.ts';
import { createApp, defaultHttpLimits } from '../http/server.ts';
import type { ClusterAccess } from '../kube/config.ts';
import { inspectArchive } from '../providers/archive/inspect.ts';
import { keepIndexesOfFailures } from '../store/dead-letters/failures.ts';
import { joinReplicas } from '../store/replicas.ts';
import { startClaiming } from './artifact-claim.ts';
import { type AppContext, drainMs } from './context.ts';
import { planKeyReader } from './keys/plan-key.ts';
import { makeRequestKey, requestKeys } from './keys/request-key.ts';
import { openProviderRequests } from './provider-requests/index.ts';
import { readinessOf } from './readiness.ts';
import type { ServiceSettings } from './settings.ts';

/** Built by packaging/console.ts. */
const consoleFolder = join(import.meta.dirname, '../../sdk/console');

/** @returns the port of the API. @throws the error of `listen` */
export async function startApi(
  stack: AsyncDisposableStack,
  context: AppContext,
  cluster: Pick<ClusterAccess, 'server'>,
): Promise<number> {
  const { settings, kubeDeps, stores, artifacts, buildLogs, providerLogs, eventKeys } = context;
  const { resources } = context.caches;
  stack.defer(keepIndexesOfFailures({ resources, indexes: stores.deadLetterIndexes }));
  const { client, clock, log } = kubeDeps;
  const { rates, identity, systemNamespace: namespace, issuers } = settings;
  await startClaiming(stack, { client, artifacts, systemNamespace: namespace, log });
  const authenticator = createAuthenticator({ issuers, clock, log });
  await authenticator.warm();
  const tokens = createArtifactVerifier(eventKeys, clock);
  const internal = createInternalApp({ artifacts, tokens, clock, log });
  const { hosts } = settings;
  const forPods = await listen(internal, { ...settings.workloads.internal, hosts });
  stack.defer(() => forPods.close(drainMs));
  // Before any request is served: the share of this replica depends on the number of replicas.
  const { signer, annotations } = await makeRequestKey(clock);
  const replicas = await joinReplicas({ client, namespace, identity, annotations, clock, log });
  stack.defer(() => replicas.stop());
  const askProvider = await openProviderRequests(stack, { ...context, signer }, cluster);
  // One issuer is enough: an outage of one must not affect the organizations of the others.
  const readiness = () =>
    readinessOf(context, { issuers: authenticator.usable, event_keys: eventKeys() !== undefined });
  const { audit: write = (line) => void process.stdout.write(line) } = settings;
  const audit = createAudit({ write, clock });
  // After the last request was cut off.
  stack.defer(() => audit.close());
  const app = createApp({
    ...stores,
    audit,
    schemas: context.schemas,
    artifacts,
    buildLogs,
    providerLogs,
    inspectArchive,
    planKey: planKeyReader({ client, clock, namespace }),
    authenticator,
    readiness,
    askProvider,
    authorRules: createAuthorRules({
      ...{ ...stores, askProvider, maskCredentials, clock },
      observer: context.measuring.authorRules,
    }),
    eventKeys: () => {
      const published = eventKeys();
      return published && [...published, ...requestKeys(replicas)];
    },
    publicUrl: settings.publicUrl,
    issuers,
    console: { files: readStaticFiles(consoleFolder), signIn: firstSignIn(issuers) },
    release: settings.release,
    limits: defaultHttpLimits,
    rateLimiter: createRateLimiter({ rates, clock, replicas: () => replicas.count }),
    observer: context.measuring.requests,
    tracer: context.tracer,
    clock,
    log,
  });
  const listening = await listen(app, { ...settings, limits: connectionLimits(settings) });
  stack.defer(() => listening.close(drainMs));
  await startProbes(stack, settings, readiness);
  // Closed first: otherwise the shutdown waits for log followers until their builds end, and for watches for ever.
  stack.defer(() => {
    buildLogs.close();
    providerLogs.close();
    stores.watches.close();
  });
  return listening.port;
}

function connectionLimits({ connections, connectionsPerAddress }: ServiceSettings) {
  return { ...(connections !== undefined && { connections }), connectionsPerAddress };
}

/** Starts a separate listener for probes, if configured. */
async function startProbes(
  stack: AsyncDisposableStack,
  { host, probePort: port }: ServiceSettings,
  readiness: () => ReadinessReport,
): Promise<void> {
  if (port === undefined) return;
  const probes = await listen(createHealthApp(readiness), {
    host,
    port,
    limits: { connections: 256 },
  });
  stack.defer(() => probes.close(drainMs));
}
