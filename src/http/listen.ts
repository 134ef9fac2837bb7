// Binds the app to a port, and shuts the server down without aborting requests in progress.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runShortWork } from '../lib/turns.ts';
import { type ConnectionRules, keepConnections } from './limits/connections.ts';
import { oneAtATime } from './limits/pipelining.ts';
import { refuseBadRequests, refuseExpectation, refuseOnceRead } from './request/bad-requests.ts';

export interface Listening {
  readonly port: number;
  /** Accepts no new connections, lets running requests finish, and closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface ConnectionLimits extends ConnectionRules {
  /** The time limit for the head of a request. */
  readonly headersMs: number;
  /** The time limit for a whole request, such as a slow upload. JSON bodies have less (see body.ts). */
  readonly requestMs: number;
  /** Headers of one request. */
  readonly headers: number;
}

const defaultConnectionLimits: ConnectionLimits = {
  connections: 10_000,
  headersMs: 10_000,
  requestMs: 600_000,
  headers: 100,
  unreadMs: 30_000,
};

// Longer than the 60 s of common load balancers, which otherwise send into a closing connection.
const keepAliveTimeout = 65_000;
const maxRequestsOfAConnection = 1_000;
const maxCheckMs = 2_000;

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly limits?: Partial<ConnectionLimits>;
  /** The names of this listener; see domain/cross-origin.ts. */
  readonly hosts?: readonly string[] | undefined;
}

/** @throws the error of `listen`, such as EADDRINUSE */
export async function listen(
  app: RequestListener,
  { host, port, limits: given, hosts }: ListenAddress,
): Promise<Listening> {
  const limits = { ...defaultConnectionLimits, ...given };
  const underWay = new Set<ServerResponse>();
  let closing = false;
  const serve = oneAtATime((req, res) => {
    if (refuseOnceRead(req, res, { ...limits, hosts })) return;
    req.url = localTarget(req.url ?? '/');
    underWay.add(res);
    if (closing) endConnection(res);
    runShortWork((end) => {
      res.once('close', () => {
        end();
        underWay.delete(res);
        if (closing) server.closeIdleConnections();
      });
      app(req, res);
    });
  });
  const server = createServer(
    {
      requestTimeout: limits.requestMs,
      headersTimeout: limits.headersMs,
      keepAliveTimeout,
      // Our own check answers in JSON, and also rejects two Host headers.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(maxCheckMs, limits.headersMs),
    },
    serve,
  );
  // One more than the limit, because node silently drops the excess, and a missing header can change the meaning of a
  // request.
  server.maxHeadersCount = limits.headers + 1;
  server.maxRequestsPerSocket = maxRequestsOfAConnection;
  server.maxConnections = limits.connections;
  server.once('close', keepConnections(server, limits));
  refuseBadRequests(server);
  // Without a listener node would send 100 Continue itself, and clients would send rejected bodies anyway.
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

/** Makes the client stop using this connection; kept alive, it would delay the shutdown of the server. */
function endConnection(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** A request target may be an absolute URL. Its host does not matter here; express fails on some of them. */
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
