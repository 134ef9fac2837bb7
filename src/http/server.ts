// The HTTP side as a whole: a request is found its endpoint, its caller is known and allowed, and only then is its body read.
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type RequestHandler } from 'express';
import type { Clock } from '../domain/clock.ts';
import { ErrorCode, FairleadError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import type { OrganizationStore, ProjectStore } from '../store/interfaces.ts';
import { accessLog } from './access-log.ts';
import { type Authenticator, rememberCaller } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { type BodyLimits, readJsonBody } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { answerErrors } from './errors.ts';
import { beginExchange, exchangeOf } from './exchange.ts';
import { boundLeftovers } from './leftovers.ts';
import { openApiDocument } from './openapi.ts';
import { allowed, endpointFor, pathParameters, routeTable } from './route-table.ts';
import { type DefinitionRoutesDeps, definitionRoutes } from './routes/definitions.ts';
import { docsRoutes } from './routes/docs.ts';
import { eventKeyRoutes, type PublicKeySet } from './routes/event-keys.ts';
import { healthRoutes, type ReadinessReport } from './routes/health.ts';
import { meRoutes } from './routes/me.ts';
import { projectRoutes } from './routes/projects.ts';
import { type ResourceRoutesDeps, resourceRoutes } from './routes/resources.ts';
import { send } from './send.ts';

export interface HttpLimits extends BodyLimits {
  readonly configBytes: number;
  readonly schemaBytes: number;
}

export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 1_048_576,
  depth: 64,
  nodes: 100_000,
  configBytes: 262_144,
  schemaBytes: 65_536,
};

export interface AppDeps {
  readonly authenticator: Authenticator;
  readonly organizations: OrganizationStore;
  readonly projects: ProjectStore;
  readonly resources: ResourceRoutesDeps['resources'];
  readonly definitions: DefinitionRoutesDeps['definitions'];
  readonly schemas: ResourceRoutesDeps['schemas'] & DefinitionRoutesDeps['schemas'];
  readonly readiness: () => ReadinessReport;
  /** The public keys that events are signed with. */
  readonly eventKeys: () => PublicKeySet;
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly log: Log;
}

// How long a refused body may still be sent before its connection is cut.
const lingerMs = 5_000;

export function createApp(deps: AppDeps): Express {
  const { log, clock } = deps;
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use(beginExchange(randomUUID), accessLog({ log, clock }), boundLeftovers(lingerMs));
  app.use(answerRequests(endpointsOf(deps), deps));
  app.use(answerErrors(log));
  return app;
}

function endpointsOf(deps: AppDeps): readonly Endpoint[] {
  const described = [
    ...healthRoutes(deps.readiness),
    ...meRoutes(),
    ...projectRoutes(deps),
    ...resourceRoutes({ ...deps, configBytes: deps.limits.configBytes }),
    ...definitionRoutes({ ...deps, schemaBytes: deps.limits.schemaBytes }),
    ...eventKeyRoutes(deps.eventKeys),
  ];
  return [...described, ...docsRoutes(openApiDocument(described))];
}

function answerRequests(endpoints: readonly Endpoint[], deps: AppDeps): RequestHandler {
  const find = routeTable(endpoints);
  return async (req, res) => {
    const exchange = exchangeOf(req);
    const [path = '/', ...search] = req.url.split('?');
    const route = find(path);
    if (route === undefined) throw new FairleadError(ErrorCode.notFound, 'Not Found');
    exchange.route = route;
    const endpoint = endpointFor(route, req.method);
    if (endpoint === undefined) {
      res.setHeader('Allow', allowed(route));
      throw new FairleadError(ErrorCode.methodNotAllowed, 'Method Not Allowed');
    }
    if (endpoint.access !== 'public') {
      const caller = await deps.authenticator.authenticate(req.headers.authorization);
      exchange.organization = caller.organization.namespace;
      rememberCaller(req, caller);
      authorize(caller, endpoint.access);
      await deps.organizations.ensure(caller.organization);
    }
    const answer = await endpoint.handle(req, {
      path: pathParameters(route, path),
      search: search.join('?'),
      body: () => readJsonBody(req, res, deps.limits),
    });
    send(res, answer);
  };
}

export interface Listening {
  readonly port: number;
  /** Takes no new request, lets those under way end, and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** @throws the error of `listen`, such as EADDRINUSE */
export async function listen(app: Express, { host, port }: { host: string; port: number }) {
  const serve: RequestListener = (req, res) => {
    req.url = localTarget(req.url ?? '/');
    app(req, res);
  };
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 }, serve);
  // Without a listener node would send 100 Continue by itself, and a refused body would be sent all the same.
  server.on('checkContinue', serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  return { port: bound, close: (graceMs) => close(server, graceMs) } satisfies Listening;
}

/** A request target may be a whole URL. Which host it names is nothing to us; express gives up on some of them. */
function localTarget(target: string): string {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return local.startsWith('/') ? local : `/${local}`;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
