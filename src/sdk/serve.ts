// The runtime of a provider: an HTTP server that accepts signed events and answers with the results of the handlers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { defaultTimeoutSeconds, type EventBody } from '../domain/event.ts';
import { traceIdOf, traceparentIn } from '../lib/traceparent.ts';
import type { AnyObject, HandlerLog } from './call.ts';
import { resourceDeleted } from './cancelled.ts';
import { watchCrashes } from './crash/index.ts';
import { keepLines } from './kept-lines.ts';
import { jsonLines } from './log.ts';
import { watchOutput } from './printed.ts';
import { warningOnce } from './progress.ts';
import type { Provider } from './provider.ts';
import { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';
import { runEvent } from './run.ts';
import { createRuns, type Runs } from './runs.ts';
import { parseSettings } from './settings.ts';
import { createVerifier, keysOf } from './verify.ts';

export interface ServeOptions {
  /** Base address of the trusted Fairlead; `http://localhost:8000`. */
  readonly fairlead?: string;
  /** 8080; 0 for any free one. */
  readonly port?: number;
  /** `127.0.0.1`; in a pod `0.0.0.0`. */
  readonly host?: string;
  /** The organizations that may use this provider; all when absent. */
  readonly organizations?: readonly string[];
  /** The settings that the provider declares; defaults are filled in. */
  readonly settings?: AnyObject;
  readonly log?: HandlerLog;
  /**
   * Milliseconds between signs of life (102) while a handler runs; 5000. It must be well below the `FAIRLEAD_EVENT_TIMEOUT_MS` of
   * Fairlead.
   */
  readonly heartbeatMs?: number;
  /** Serves over TLS 1.3. */
  readonly tls?: ServeTls;
  /** Milliseconds for the other handlers to end, when one ends the process; 30000. */
  readonly crashGraceMs?: number;
  /** The folder of the code, without symbolic links: places in errors are shown relative to it; the working directory. */
  readonly codeFolder?: string;
}

export interface ServeTls {
  /** Certificate, followed by those of intermediate authorities, as PEM. */
  readonly cert: string;
  /** Private key as PEM. */
  readonly key: string;
  /** A port besides `port`, which then stays unencrypted. Without it, `port` uses TLS. */
  readonly port?: number;
}

export interface ServedProvider {
  readonly port: number;
  readonly url: string;
  /** Answers `/readyz` with 503 from now on, so that no new events are sent; events that still arrive are accepted. */
  drain(): void;
  /** Accepts no new event, waits for handlers, and aborts their signals after `graceMs`; 10 s. */
  close(graceMs?: number): Promise<void>;
}

// Two configs, outputs and a context, with room for escapes.
const bodyLimitBytes = 4 * 1_048_576;

// By then the probes have failed, so the next attempt does not meet this process again.
const retryAfterSeconds = 5;

/**
 * Serves a provider over HTTP or HTTPS until `close`. A provider that Fairlead runs needs no such call; this is for one that runs
 * elsewhere, with its address as the endpoint of its Provider object.
 *
 * Until `close`, an uncaught error, an unhandled rejection and `process.exit` of a handler's code end the process only after the
 * other handlers, or `crashGraceMs`. The event of that handler fails at once, with the code `crashed`; other events are refused. A
 * listener of the program for `uncaughtException` decides itself. Errors of other code end the process as usual.
 *
 * Until `close`, the last lines that a handler writes to its `log`, standard output and standard error are part of the answer when
 * its event fails, for the dead letter. They are written as before.
 *
 * @param provider the provider, made by `provider`
 * @param options the address to listen on, and the Fairlead whose events are accepted
 * @returns the server, as soon as it listens
 * @throws the error of `listen`, such as EADDRINUSE
 * @throws InvalidSettings when the settings do not fit their schema
 * @example
 * ```ts
 * const served = await serve(storage, { fairlead: 'https://fairlead.example.org', port: 8080 });
 * process.once('SIGTERM', () => void served.close());
 * ```
 */
export async function serve(
  provider: Provider,
  options: ServeOptions = {},
): Promise<ServedProvider> {
  const { fairlead = 'http://localhost:8000', host = '127.0.0.1' } = options;
  const { log = jsonLines, organizations, heartbeatMs = 5_000 } = options;
  const { crashGraceMs = 30_000, codeFolder = process.cwd() } = options;
  const settings = await parseSettings(provider, options.settings ?? {});
  const verify = createVerifier({ provider: provider.name, keys: keysOf(fairlead), organizations });
  const stopping = new AbortController();
  const runs = createRuns({
    start({ event, traceparent }, signal, accept) {
      const kept = keepLines(ofEvent(log, event, traceparent), codeFolder);
      const handler = () =>
        runEvent(provider, event, {
          signal: AbortSignal.any([signal, stopping.signal]),
          log: kept.log,
          codeFolder,
          settings,
          traceparent,
          progress: { accept, refuse: warningOnce((problem) => kept.log.warn(problem)) },
        });
      const subject = { resource: resourceName(event), log: kept.log };
      return crashes.run(subject, () => kept.run(handler)).then(kept.addTo);
    },
    limitOf: ({ resource }) =>
      1_000 * (provider.types.get(resource)?.timeoutSeconds ?? defaultTimeoutSeconds),
    heartbeatMs,
  });
  let isDraining = false;
  let isClosing = false;
  const handle = (req: IncomingMessage, res: ServerResponse) => {
    const isLeaving = isDraining || crashes.isEnding();
    if (isLeaving && isProbe(req, '/readyz')) return send(res, 503, {});
    void answer(req, res, async () => {
      try {
        const body = await read(req);
        const event = await verify(req.headers, body);
        const traceparent = traceparentIn(req.headers['traceparent']);
        const { cancels } = event;
        if (cancels?.operation === false) return cancel(cancels.event_id, runs);
        return await runs.join({ event, traceparent }, res);
      } finally {
        if (crashes.isEnding()) res.setHeader('retry-after', retryAfterSeconds);
        // `close` would wait for an idle keep-alive connection, and the next event on it would be lost.
        if (isClosing || crashes.isEnding()) res.setHeader('connection', 'close');
      }
    });
  };
  const servers = serversFor(options, handle);
  async function close(graceMs: number): Promise<void> {
    isClosing = true;
    const closed = closeAll(servers);
    const timer = setTimeout(() => {
      stopping.abort(new Error('The provider is stopping'));
      for (const { server } of servers) server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(timer);
    unwatch();
  }
  const crashes = watchCrashes({ codeFolder, graceMs: crashGraceMs, close });
  const unwatchOutput = watchOutput();
  function unwatch(): void {
    crashes.stop();
    unwatchOutput();
  }
  const bound = await allListening(servers, host).catch((thrown: unknown) => {
    unwatch();
    throw thrown;
  });
  const scheme = options.tls === undefined ? 'http' : 'https';
  return {
    port: bound,
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    drain() {
      isDraining = true;
    },
    close: (graceMs = 10_000) => close(graceMs),
  };
}

/** The answer says nothing about the handler, which ends with an answer of its own. */
function cancel(event: string, runs: Runs): Reply {
  if (runs.cancel(event, resourceDeleted())) return { status: 200, body: { outputs: {} } };
  // It may be about to begin, or run in another process behind the same address.
  throw new Refusal(404, 'not_running', 'No handler runs here for the event');
}

interface Bound {
  readonly server: Server;
  readonly port: number;
}

/** @returns the servers to listen; the first is the one for events */
function serversFor(
  { port = 8080, tls }: ServeOptions,
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): readonly Bound[] {
  if (tls === undefined) return [{ server: createServer(handle), port }];
  const { cert, key, port: securePort } = tls;
  const server = createSecureServer({ cert, key, minVersion: 'TLSv1.3' }, handle);
  if (securePort === undefined) return [{ server, port }];
  return [
    { server, port: securePort },
    { server: createServer(handle), port },
  ];
}

/** @returns the port of the first. @throws the error of `listen`; none listens then */
async function allListening(servers: readonly Bound[], host: string): Promise<number> {
  try {
    const [first = 0] = await Promise.all(
      servers.map(({ server, port }) => listening(server, { host, port })),
    );
    return first;
  } catch (thrown) {
    await closeAll(servers);
    throw thrown;
  }
}

async function closeAll(servers: readonly Bound[]): Promise<void> {
  const closed = servers.map(
    ({ server }) => new Promise<void>((resolve) => server.close(() => resolve())),
  );
  for (const { server } of servers) server.closeIdleConnections();
  await Promise.all(closed);
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  run: () => Promise<Reply>,
): Promise<void> {
  const { method, url } = req;
  if (isProbe(req, '/livez') || isProbe(req, '/readyz')) return send(res, 200, {});
  if (method !== 'POST' || url !== '/') {
    return send(res, 404, { error: { code: 'not_found', message: 'Send events with POST /' } });
  }
  try {
    const { status, body } = await run();
    send(res, status, body);
  } catch (thrown) {
    const refusal = thrown instanceof Refusal ? thrown : undefined;
    const { status = 500, code = 'runtime_error', message = 'The runtime failed' } = refusal ?? {};
    if (refusal?.retryAfter !== undefined) res.setHeader('retry-after', refusal.retryAfter);
    send(res, status, { error: { code, message } });
  }
}

function isProbe({ method, url }: IncomingMessage, path: string): boolean {
  return method === 'GET' && url === path;
}

function send(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

async function read(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimitBytes) throw new Refusal(413, 'too_large', 'The event is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function listening(server: Server, address: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function resourceName({ provider, resource, name }: EventBody): string {
  return `${provider}/${resource}/${name}`;
}

function ofEvent(log: HandlerLog, event: EventBody, traceparent: string | undefined): HandlerLog {
  const about = {
    event: event.event_id,
    organization: event.organization_id,
    resource: resourceName(event),
    attempt: event.attempt,
    sequence: event.sequence,
    ...(traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) }),
  };
  // Logs are filtered by these fields: a handler cannot replace them.
  const all = (fields: object | undefined) => ({ ...about, ...fields, ...about });
  return {
    debug: (message, fields) => log.debug(message, all(fields)),
    info: (message, fields) => log.info(message, all(fields)),
    warn: (message, fields) => log.warn(message, all(fields)),
    error: (message, fields) => log.error(message, all(fields)),
  };
}
