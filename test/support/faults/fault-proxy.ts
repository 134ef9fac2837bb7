// Injects the faults of networks and API servers between a client and a real kube-apiserver. Undisturbed traffic passes
// unchanged. It counts connections, requests and open watches, of which a client must not have too many.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Disturbance, type RelayedWatch, relayWatch } from './fault-proxy-watch.ts';

/** A request as rules see it. */
export interface Asked {
  readonly verb: 'get' | 'list' | 'watch' | 'write';
  readonly method: string;
  readonly path: string;
  /** For example `configmaps`; empty for paths such as `/version`. */
  readonly plural: string;
  /** True for the first page of a list. */
  readonly begins: boolean;
}

export type Fault =
  /** The proxy answers; the API server never receives it. */
  | { readonly answer: number; readonly retryAfterSeconds?: number; readonly body?: unknown }
  /** Forwarded only after this; a promise that never settles simulates a server that never answers. */
  | { readonly holdUntil: Promise<unknown> }
  /** `reset`: never forwarded. `drop reply`: forwarded and executed, but the response is lost. */
  | 'reset'
  | 'drop reply'
  /** Called after the API server answered: before the client gets the response (and then never gets it), or right after. */
  | { readonly crash: () => void; readonly before: 'reply' | 'next step' };

export type Rule = (asked: Asked) => Fault | undefined;

export interface FaultProxy {
  /** Like the original, but with the proxy as the server. */
  readonly kubeconfig: string;
  /** Evaluated for every request, newest first; the first fault counts. @returns what takes the rule back */
  rule(rule: Rule): () => void;
  /** Disturbs every open watch of a kind. @returns to how many */
  disturb(plural: string, disturbance: Disturbance): number;
  openWatches(plural: string): number;
  /** Requests so far, newest last. */
  readonly asked: readonly Asked[];
  readonly connections: { readonly open: number; readonly peak: number };
  stop(): Promise<void>;
}

interface KubeconfigFile {
  clusters: { cluster: { server: string; 'certificate-authority': string } }[];
}

/** @param kubeconfig of a control plane of src/dev, whose serving certificate the proxy shares */
export async function startFaultProxy(kubeconfig: string): Promise<FaultProxy> {
  const certs = join(dirname(kubeconfig), 'certs');
  const cert = readFileSync(join(certs, 'apiserver.crt'));
  const key = readFileSync(join(certs, 'apiserver.key'));
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as KubeconfigFile;
  const [first] = config.clusters;
  if (first === undefined) throw new Error('a kubeconfig without a cluster');
  const target = new URL(first.cluster.server);

  const rules: Rule[] = [];
  const asked: Asked[] = [];
  const watches = new Set<RelayedWatch>();
  const sockets = new Map<number | undefined, Socket>();
  let peak = 0;

  function reset(response: ServerResponse): void {
    // TLS sockets cannot reset; the socket below can.
    const socket = sockets.get(response.socket?.remotePort);
    socket?.resetAndDestroy();
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const now = readAsked(request);
    asked.push(now);
    const fault = rules.map((rule) => rule(now)).find((found) => found !== undefined);
    if (fault === 'reset') return reset(response);
    if (typeof fault === 'object' && 'answer' in fault) return answer(response, fault);
    if (typeof fault === 'object' && 'holdUntil' in fault) await fault.holdUntil;
    if (!response.destroyed) forward(now, { request, response, ...unheard(fault) });
  }

  function forward(now: Asked, { request, response, before, after }: Forwarding): void {
    const upstream = httpsRequest({
      host: target.hostname,
      port: target.port,
      path: request.url,
      method: request.method,
      // One connection per request: an idle one would add faults of its own.
      headers: { ...request.headers, connection: 'close' },
      agent: false,
      ca: cert,
      servername: 'kubernetes.default.svc',
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    upstream.on('response', (reply) => {
      reply.on('error', () => response.destroy());
      if (after !== undefined) response.on('finish', after);
      if (before !== undefined) {
        reply.resume().on('end', () => {
          before();
          reset(response);
        });
      } else if (now.verb === 'watch' && reply.statusCode === 200) relay(now, reply, response);
      else reply.pipe(response.writeHead(reply.statusCode ?? 500, reply.headers));
    });
    request.pipe(upstream);
  }

  function relay({ plural }: Asked, reply: IncomingMessage, response: ServerResponse): void {
    const watch = relayWatch({ plural, reply, response, reset: () => reset(response) });
    watches.add(watch);
    response.on('close', () => watches.delete(watch));
  }

  const server = createServer({ cert, key }, (request, response) => void take(request, response));
  server.keepAliveTimeout = 0;
  server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    peak = Math.max(peak, sockets.size);
    socket.on('close', () => sockets.delete(remotePort));
    socket.on('error', () => undefined);
  });
  // Errors of a client that disconnects are ignored.
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  first.cluster.server = `https://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-proxy-'));
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify(config), { mode: 0o600 });

  const open = (plural: string) => [...watches].filter((watch) => watch.plural === plural);
  return {
    kubeconfig: join(folder, 'kubeconfig'),
    rule(rule) {
      rules.unshift(rule);
      return () => rules.splice(rules.indexOf(rule), 1);
    },
    disturb(plural, disturbance) {
      const disturbed = open(plural);
      for (const watch of disturbed) watch.disturb(disturbance);
      return disturbed.length;
    },
    openWatches: (plural) => open(plural).length,
    asked,
    get connections() {
      return { open: sockets.size, peak };
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets.values()) socket.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Forwarding {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called instead of the reply. */
  readonly before?: () => void;
  /** Called once the reply is sent. */
  readonly after?: () => void;
}

function unheard(fault: Fault | undefined): Pick<Forwarding, 'before' | 'after'> {
  if (fault === 'drop reply') return { before: () => undefined };
  if (typeof fault !== 'object' || !('crash' in fault)) return {};
  return fault.before === 'reply' ? { before: fault.crash } : { after: fault.crash };
}

const resourcePath =
  /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/(?=[^/]))?([^/]+)(\/[^/]+)?/;

function readAsked({ method = 'GET', url = '/' }: IncomingMessage): Asked {
  // Not URL: it would resolve the `..` that no client may send.
  const [path = '/', query] = url.split('?', 2);
  const [, plural = '', name] = resourcePath.exec(path) ?? [];
  const base = { method, path, plural, begins: false };
  if (method !== 'GET') return { ...base, verb: 'write' };
  const asked = new URLSearchParams(query);
  if (asked.get('watch') === 'true') return { ...base, verb: 'watch' };
  if (name !== undefined) return { ...base, verb: 'get' };
  return { ...base, verb: 'list', begins: !asked.has('continue') };
}

function answer(
  response: ServerResponse,
  { answer: code, retryAfterSeconds, body }: Extract<Fault, { answer: number }>,
): void {
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'injected' };
  response.writeHead(code, headers).end(JSON.stringify(body ?? status));
}
