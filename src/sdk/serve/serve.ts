// The runtime of a provider: an HTTP server that accepts signed events and answers with the results of the handlers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventBody } from '../../domain/event.ts';
import { traceparentIn } from '../../lib/traceparent.ts';
import { resourceDeleted } from '../cancelled.ts';
import { watchCrashes } from '../crash/index.ts';
import { jsonLines } from '../logs/log.ts';
import { watchOutput } from '../logs/printed.ts';
import type { Provider } from '../provider.ts';
import { parseBody } from './body.ts';
import { createHandlerTime } from './handler-time.ts';
import { createHandlers, limitMs, type ReceivedDelivery } from './handlers.ts';
import {
  allListening,
  answer,
  closeAll,
  isProbe,
  readBody,
  serversFor,
  writeJson,
} from './http-server.ts';
import { startProvider } from './lifetime.ts';
import { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';
import { isRequest } from './requests.ts';
import { createRuns, type Runs } from './runs.ts';
import type { ServeOptions } from './serve-options.ts';
import { createVerifier, keysOf } from './signature.ts';

export interface ServedProvider {
  readonly port: number;
  readonly url: string;
  /** Answers `/readyz` with 503 from now on, so that no new events are sent; events that still arrive are accepted. */
  drain(): void;
  /** Accepts no new event, waits for handlers, and aborts their signals after `graceMs`; 10 s. */
  close(graceMs?: number): Promise<void>;
}

// By then the probes have failed, so the next attempt does not meet this process again.
const retryAfterSeconds = 5;

/**
 * Checks the settings with `check` of the provider, calls its `start`, and serves it over HTTP or HTTPS until `close`, which calls
 * `stop`. A provider that Fairlead runs needs no such call; this is for one that runs
 * elsewhere, with its address as the endpoint of its Provider object.
 *
 * Until `close`, an uncaught error, an unhandled rejection and `process.exit` of a handler's code end the process only after the
 * other handlers, or `crashGraceMs`. The event of that handler fails at once, with the code `crashed`; other events are refused. A
 * listener of the program for `uncaughtException` decides itself. Errors of other code end the process as usual.
 *
 * Until `close`, the last lines that a handler writes to its `log`, standard output and standard error are part of the answer when
 * its event fails, for the dead letter. They are written without the secrets of the event and of the settings.
 *
 * @param provider the provider, made by `provider`
 * @param options the address to listen on, and the Fairlead whose events are accepted
 * @returns the server, as soon as it listens
 * @throws the error of `listen`, such as EADDRINUSE
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
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
  const given = options.settings ?? {};
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
  const unwatchOutput = watchOutput();
  const lifetime = await startProvider(provider, { settings: given, log, signal }).catch(
    (thrown: unknown) => {
      unwatchOutput();
      throw thrown;
    },
  );
  const verify = createVerifier({ provider: provider.name, keys: keysOf(fairlead), organizations });
  const handlers = createHandlers(provider, {
    ...{ given, log, codeFolder, lifetime, signal: stopping.signal },
    run: (subject, handler) => crashes.run(subject, handler),
  });
  const runs = createRuns({
    start: handlers.event,
    timeOf({ event }: ReceivedDelivery) {
      const time = createHandlerTime(limitMs(provider, event.resource));
      time.begin();
      return time;
    },
    heartbeatMs,
  });
  const handled = async (event: EventBody, req: IncomingMessage, res: ServerResponse) => {
    const { cancels } = event;
    if (cancels?.operation === false) return cancelReply(cancels.event_id, runs);
    const traceparent = traceparentIn(req.headers['traceparent']);
    return await runs.join({ event, traceparent }, res);
  };
  let isDraining = false;
  let isClosing = false;
  const handle = (req: IncomingMessage, res: ServerResponse) => {
    const isLeaving = isDraining || crashes.isEnding();
    if (isLeaving && isProbe(req, '/readyz')) return writeJson(res, 503, {});
    void answer(req, res, async () => {
      try {
        const body = await readBody(req);
        const verified = parseBody(await verify(req.headers, body));
        return isRequest(verified)
          ? await handlers.request(verified, { signal: closing(res) })
          : await handled(verified, req, res);
      } finally {
        if (crashes.isEnding()) res.setHeader('retry-after', retryAfterSeconds);
        // `close` would wait for an idle keep-alive connection, and the next event on it would be lost.
        if (isClosing || crashes.isEnding()) res.setHeader('connection', 'close');
      }
    });
  };
  const servers = serversFor(options, handle);
  const stop = () =>
    lifetime.stop().catch((thrown: unknown) => {
      log.error('The provider ends without a complete stop', { error: thrown });
    });
  async function close(graceMs: number): Promise<void> {
    isClosing = true;
    const closed = closeAll(servers);
    const timer = setTimeout(() => {
      stopping.abort(new Error('The provider is stopping'));
      for (const { server } of servers) server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(timer);
    await stop();
    unwatch();
  }
  const crashes = watchCrashes({ codeFolder, graceMs: crashGraceMs, close });
  function unwatch(): void {
    crashes.stop();
    unwatchOutput();
  }
  const bound = await allListening(servers, host).catch(async (thrown: unknown) => {
    await stop();
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

/** The answer proves nothing about the handler, which ends with an answer of its own. */
function cancelReply(event: string, runs: Pick<Runs<unknown, unknown>, 'cancel'>): Reply {
  if (runs.cancel(event, resourceDeleted())) return { status: 200, body: { outputs: {} } };
  // It may be about to begin, or run in another process behind the same address.
  throw new Refusal(404, 'not_running', 'No handler runs here for the event');
}

/** @returns a signal that is aborted when nobody waits for the answer any longer */
function closing(res: ServerResponse): AbortSignal {
  const abort = new AbortController();
  res.once('close', () => abort.abort(new Error('The client closed the connection')));
  return abort.signal;
}
