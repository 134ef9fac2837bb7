// Binds the app to a port, and shuts the server down without aborting requests in progress.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ConnectionRules, keepConnections } from './limits/connections.ts';
import { refuseBadRequests, refuseExpectation, refuseOnceRead } from './request/bad-requests.ts';

export interface Listening {
  readonly port: number;
  /** Takes no new connection, lets requests under way end, and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface ConnectionLimits extends ConnectionRules {
  /** How long the head of a request may take to come. */
  readonly headersMs: number;
  /** How long a whole request may take: an upload over a slow line. Bodies of JSON have less (see body.ts). */
  readonly requestMs: number;
  /** Headers of one request. */
  readonly headers: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  connections: 10_000,
  headersMs: 10_000,
  requestMs: 600_000,
  headers: 100,
  unreadMs: 30_000,
};

// Longer than the 60 s of common load balancers, which otherwise send into a connection that is just being closed.
const keepAliveTimeout = 65_000;
const maxRequestsOfAConnection = 1_000;
const maxCheckMs = 2_000;

interface Where {
  readonly host: string;
  readonly port: number;
  readonly limits?: Partial<ConnectionLimits>;
  /** Names that this listener has; see domain/cross-origin.ts. */
  readonly hosts?: readonly string[] | undefined;
}

/** @throws the error of `listen`, such as EADDRINUSE */
export async function listen(
  app: RequestListener,
  { host, port, limits: given, hosts }: Where,
): Promise<Listening> {
  const limits = { ...defaultConnectionLimits, ...given };
  const underWay = new Set<ServerResponse>();
  let closing = false;
  const serve: RequestListener = (req, res) => {
    if (refuseOnceRead(req, res, { ...limits, hosts })) return;
    req.url = localTarget(req.url ?? '/');
    underWay.add(res);
    if (closing) endConnection(res);
    res.once('close', () => {
      underWay.delete(res);
      if (closing) server.closeIdleConnections();
    });
    app(req, res);
  };
  const server = createServer(
    {
      requestTimeout: limits.requestMs,
      headersTimeout: limits.headersMs,
      keepAliveTimeout,
      // Looked at by us, who answer in JSON, and want no two either.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(maxCheckMs, limits.headersMs),
    },
    serve,
  );
  // One more, as node leaves out what is beyond without a word, and a header less can change what a request says.
  server.maxHeadersCount = limits.headers + 1;
  server.maxRequestsPerSocket = maxRequestsOfAConnection;
  server.maxConnections = limits.connections;
  server.once('close', keepConnections(server, limits));
  refuseBadRequests(server);
  // Without a listener node would send 100 Continue by itself, and a refused body would be sent all the same.
  server.on('checkContinue', serve).on('checkExpectation', refuseExpectation);
  await bind(server, { host, port });
  return {
    port: (server.address() as AddressInfo).port,
    close: (graceMs) => {
      closing = true;
      for (const res of underWay) endConnection(res);
      return close(server, graceMs);
    },
  };
}

/** Tells the client to send nothing more on this connection; kept alive, it would hold up the end of the server. */
function endConnection(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** A request target may be a whole URL. Which host it names is nothing to us; express gives up on some of them. */
function localTarget(target: string): string {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return local.startsWith('/') ? local : `/${local}`;
}

function bind(server: Server, address: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
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
