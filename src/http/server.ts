// Composes the HTTP server: it routes a request, authenticates and authorizes the caller, and only then reads the body.

import { type KeyObject, randomUUID } from 'node:crypto';
import express, { type Express, type Request, type Response } from 'express';
import { FairleadError } from '../domain/errors.ts';
import type { ArtifactStore } from '../domain/providers/artifact.ts';
import type { AskProvider } from '../domain/providers/provider-request.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { noTracer, type Tracer } from '../lib/tracer.ts';
import { translateKubeError } from '../store/errors.ts';
import type { OrganizationStore, ProjectStore } from '../store/interfaces.ts';
import type { ImportRights } from '../store/projects/import-rights.ts';
import type { ProjectNames } from '../store/projects/names.ts';
import type { ProviderStore } from '../store/providers/store.ts';
import type { BatchStore } from '../store/resources/batch/store.ts';
import type { ManagedObjects } from '../store/resources/managed-objects/index.ts';
import type { SetStore } from '../store/sets/store.ts';
import { accessLog } from './access-log.ts';
import { admit } from './admit.ts';
import { type Audit, targetIn } from './audit.ts';
import { type Authenticator, type Caller, callerOf } from './auth/authenticate.ts';
import type { AuthorRules } from './author-rules/index.ts';
import type { Endpoint } from './endpoint.ts';
import { createByteLimit } from './limits/byte-limit.ts';
import type { RateLimiter } from './limits/rate-limit.ts';
import { measureRequests, type RequestObserver } from './measure.ts';
import { openApiDocument } from './openapi.ts';
import { type BodyLimits, readJsonBody } from './request/body.ts';
import { beginRequestContext, requestContextOf } from './request/context.ts';
import { isDryRun } from './request/dry-run.ts';
import { boundUnreadBody } from './request/unread-body.ts';
import { receiveCode } from './request/upload.ts';
import { answerErrors, errorDocument, logUnexpected } from './response/errors.ts';
import { type RouteAnswer, send } from './response/send.ts';
import { sendWork } from './response/work-events.ts';
import { allowed, endpointFor, pathParameters, routeTable } from './route-table.ts';
import { applyResources } from './routes/batches.ts';
import { type BuildLogRoutesDeps, buildLogRoutes } from './routes/build-logs.ts';
import { type BuildRoutesDeps, buildRoutes } from './routes/builds.ts';
import { type ConsoleSettings, consoleRoutes } from './routes/console.ts';
import { type DeadLetterRoutesDeps, deadLetterRoutes } from './routes/dead-letters.ts';
import { type DefinitionRoutesDeps, definitionRoutes } from './routes/definitions.ts';
import type { DeployingDeps } from './routes/deploy.ts';
import { deploymentRoutes } from './routes/deployments.ts';
import { docsRoutes } from './routes/docs.ts';
import { eventKeyRoutes } from './routes/event-keys.ts';
import { listExistingObjects } from './routes/existing-objects.ts';
import { type ExplanationRoutesDeps, explanationRoutes } from './routes/explanations.ts';
import { healthRoutes, type ReadinessReport } from './routes/health.ts';
import { type HistoryRoutesDeps, historyRoutes } from './routes/history.ts';
import { previewImport } from './routes/imports.ts';
import { type MeRoutesDeps, meRoutes } from './routes/me.ts';
import { migrateRoutes } from './routes/migrate.ts';
import { projectRoutes } from './routes/projects.ts';
import {
  metadataUrlOf,
  type ProtectedResourceDeps,
  protectedResourceRoutes,
} from './routes/protected-resource.ts';
import { type ProviderLogRoutesDeps, providerLogRoutes } from './routes/provider-logs.ts';
import { type SettingsRoutesDeps, settingsRoutes } from './routes/provider-settings.ts';
import { providerRoutes } from './routes/providers.ts';
import { type ReceiptRoutesDeps, receiptRoutes } from './routes/receipts.ts';
import { type RegistryRoutesDeps, registryRoutes } from './routes/registries.ts';
import { type ResourceRoutesDeps, resourceRoutes } from './routes/resources.ts';
import { setRoutes } from './routes/sets.ts';
import { traceRequests } from './trace.ts';

interface HttpLimits extends BodyLimits {
  /** The longest body with many resources. */
  readonly batch: Pick<BodyLimits, 'bodyBytes' | 'nodes'>;
  readonly configBytes: number;
  readonly schemaBytes: number;
  /** The largest upload of provider code. */
  readonly uploadBytes: number;
  /** The bytes of all requests and responses in progress, over all organizations. */
  readonly heldBytes: number;
}

export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 1_048_576,
  bodyMs: 60_000,
  depth: 64,
  // Parsing one value costs as much as a hundred bytes of text, and blocks other requests.
  nodes: 20_000,
  batch: { bodyBytes: 4_194_304, nodes: 100_000 },
  configBytes: 262_144,
  schemaBytes: 65_536,
  uploadBytes: 52_428_800,
  heldBytes: 67_108_864,
};

export interface AppDeps extends ProtectedResourceDeps {
  readonly authenticator: Authenticator;
  readonly organizations: OrganizationStore;
  readonly projects: ProjectStore & ImportRights;
  readonly projectNames: ProjectNames;
  readonly quota: MeRoutesDeps['quota'] & DeployingDeps['quota'];
  readonly resources: ResourceRoutesDeps['resources'];
  readonly batches: BatchStore;
  readonly sets: SetStore;
  readonly managedObjects: ManagedObjects;
  readonly watches: ResourceRoutesDeps['watches'];
  readonly explanations: ExplanationRoutesDeps['explanations'];
  readonly history: HistoryRoutesDeps['history'];
  readonly resourceEvents: ExplanationRoutesDeps['resourceEvents'];
  readonly definitions: DefinitionRoutesDeps['definitions'];
  readonly schemas: ResourceRoutesDeps['schemas'] & DefinitionRoutesDeps['schemas'];
  readonly builds: BuildRoutesDeps['builds'];
  readonly buildLogs: BuildLogRoutesDeps['buildLogs'];
  readonly providers: ProviderStore;
  readonly providerLogs: ProviderLogRoutesDeps['providerLogs'];
  readonly providerSettings: SettingsRoutesDeps['providerSettings'];
  readonly registries: RegistryRoutesDeps['registries'];
  readonly deadLetters: DeadLetterRoutesDeps['deadLetters'];
  readonly receipts: ReceiptRoutesDeps['receipts'];
  readonly askProvider: AskProvider;
  readonly authorRules: AuthorRules;
  readonly artifacts: Pick<ArtifactStore, 'put'>;
  readonly inspectArchive: BuildRoutesDeps['inspect'];
  readonly readiness: () => ReadinessReport;
  /** The key of the digests of plans. @throws FairleadError 'unavailable' while there is none */
  readonly planKey: () => Promise<KeyObject>;
  /** The public keys that verify events. */
  readonly eventKeys: Parameters<typeof eventKeyRoutes>[0];
  readonly limits: HttpLimits;
  readonly rateLimiter: RateLimiter;
  /** Absent, no console is served. */
  readonly console?: ConsoleSettings;
  readonly audit: Pick<Audit, 'around'>;
  /** Observes every response, for metrics. */
  readonly observer?: RequestObserver;
  readonly tracer?: Tracer;
  readonly clock: Clock;
  readonly log: Log;
}

// How long the client may keep sending a rejected body before its connection closes.
const lingerMs = 5_000;

export function createApp(deps: AppDeps): Express {
  const { log, clock, observer = () => undefined, tracer = noTracer } = deps;
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use(
    beginRequestContext(randomUUID),
    traceRequests(tracer),
    accessLog({ log, clock }),
    measureRequests(clock, observer),
  );
  app.use(boundUnreadBody(lingerMs));
  app.use(deps.audit.around(answerRequests(endpointsOf(deps), deps)));
  app.use(answerErrors({ log, metadataUrl: metadataUrlOf(deps) }));
  return app;
}

export function endpointsOf(deps: AppDeps): readonly Endpoint[] {
  const planning = {
    ...deps,
    configBytes: deps.limits.configBytes,
    charge: ({ organization }: Caller, requests: number) =>
      deps.rateLimiter.charge(organization, requests),
  };
  const described = [
    ...healthRoutes(deps.readiness),
    ...meRoutes(deps),
    ...projectRoutes(deps),
    ...resourceRoutes({ ...deps, configBytes: deps.limits.configBytes }),
    applyResources(planning),
    ...setRoutes(planning),
    previewImport({ ...deps, configBytes: deps.limits.configBytes }),
    listExistingObjects(deps),
    ...explanationRoutes(deps),
    ...historyRoutes(deps),
    ...definitionRoutes({ ...deps, schemaBytes: deps.limits.schemaBytes }),
    ...migrateRoutes({ ...deps, configBytes: deps.limits.configBytes }),
    ...providerRoutes(deps),
    ...buildRoutes({ ...deps, inspect: deps.inspectArchive }),
    ...buildLogRoutes(deps),
    ...providerLogRoutes(deps),
    ...deploymentRoutes(deps),
    ...settingsRoutes(deps),
    ...registryRoutes(deps),
    ...deadLetterRoutes(deps),
    ...receiptRoutes(deps),
    ...eventKeyRoutes(deps.eventKeys),
    ...protectedResourceRoutes(deps),
  ];
  const pages = deps.console === undefined ? [] : consoleRoutes(deps.console);
  const document = () => openApiDocument(described, deps.release);
  return [...described, ...docsRoutes(document), ...pages];
}

function answerRequests(endpoints: readonly Endpoint[], deps: AppDeps) {
  const find = routeTable(endpoints);
  const byteLimit = createByteLimit(deps.limits.heldBytes);
  const answerRequest = async (req: Request, res: Response): Promise<void> => {
    const requestContext = requestContextOf(req);
    const [path = '/', ...search] = req.url.split('?');
    const route = find(path);
    if (route === undefined) throw nothingAt(path);
    requestContext.route = route;
    requestContext.target = targetIn(route, path);
    const endpoint = endpointFor(route, req.method);
    if (endpoint === undefined) {
      res.setHeader('Allow', allowed(route));
      throw new FairleadError('method_not_allowed', 'Method Not Allowed');
    }
    requestContext.operation = endpoint.id;
    const isPreview = isDryRun(endpoint.exchange, search.join('?'));
    requestContext.dryRun = isPreview;
    const limits =
      endpoint.exchange.isBatch === true ? { ...deps.limits, ...deps.limits.batch } : deps.limits;
    const admission = { ...deps, limits, byteLimit, isPreview };
    const account = await admit(req, res, endpoint, admission);
    const answer = await endpoint.handle(req, {
      path: pathParameters(route, path),
      search: search.join('?'),
      body: () => readJsonBody(req, res, limits, account),
      file: () => receiveCode(req, res, deps.artifacts, { fileBytes: deps.limits.uploadBytes }),
      closed: () => whenClosed(res),
      about: (ids) => {
        requestContext.target = { ...requestContext.target, ...ids };
      },
      onUnexpected: (failed) => logUnexpected(deps.log, req, failed),
    });
    if (answer.work !== undefined) {
      await sendWork(res, answer.work, {
        errorOf: (thrown) => {
          const { id } = requestContext;
          const error = errorDocument(translateKubeError(thrown), { id });
          requestContext.lateStatus = error.status;
          return error;
        },
        count: (bytes) => account?.answer(req.method, bytes),
      });
      return;
    }
    account?.answer(req.method, heldBytesOf(answer));
    const isFollowed = endpoint.access !== 'public' && isStream(answer);
    await send(res, answer, isFollowed ? followPermission(req, res, deps) : undefined);
  };
  // The one place where errors of the API server become errors for callers, so that no Kubernetes message reaches a client.
  return (req: Request, res: Response) =>
    answerRequest(req, res).catch((thrown: unknown) => {
      throw translateKubeError(thrown);
    });
}

function whenClosed(res: Response): AbortSignal {
  const closed = new AbortController();
  if (res.closed || res.destroyed) closed.abort();
  else res.once('close', () => closed.abort());
  return closed.signal;
}

function nothingAt(path: string): FairleadError {
  const hint = path === '/' ? '; the interface is described at /docs' : '';
  return new FairleadError('not_found', `Not Found${hint}`);
}

/** A response holds memory until it is read: as a whole, or the current chunk and the source of the chunks. */
function heldBytesOf({ content }: RouteAnswer): number {
  if (content === undefined) return 0;
  return 'stream' in content ? content.heldBytes : content.bytes.length;
}

function isStream({ content }: RouteAnswer): boolean {
  return content !== undefined && 'stream' in content;
}

const maxTimerMs = 2_147_483_647;

/**
 * The token is verified once, so a long stream ends when its token expires. It is cut, not ended: it is incomplete.
 * @returns a signal that is aborted when the token expires
 */
function followPermission(
  req: Request,
  res: Response,
  { organizations, clock }: Pick<AppDeps, 'organizations' | 'clock'>,
): AbortSignal {
  const { organization, expiresAt } = callerOf(req);
  res.once(
    'close',
    organizations.whenRefused(organization, () => res.destroy()),
  );
  const left = expiresAt.getTime() - clock.now().getTime();
  return AbortSignal.timeout(Math.min(Math.max(left, 0), maxTimerMs));
}
