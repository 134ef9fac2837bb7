// Serves the events of a provider over HTTP and HTTPS, and loads no code of authors: it verifies what arrives, shows senders that their
// handlers run, and passes bodies on to the children.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultTimeoutSeconds, requestTypes } from '../../../domain/event.ts';
import { quarantineHeader, unblamedEndsHeader } from '../../../domain/process-end/quarantine.ts';
import { traceparentIn } from '../../../lib/traceparent.ts';
import { resourceDeleted } from '../../../sdk/cancelled.ts';
import { createHandlerTime } from '../../../sdk/serve/handler-time.ts';
import {
  allListening,
  answer,
  closeAll,
  isProbe,
  readBody,
  serversFor,
  writeJson,
} from '../../../sdk/serve/http-server.ts';
import { Refusal } from '../../../sdk/serve/refusal.ts';
import type { ReplyTo } from '../../../sdk/serve/reply.ts';
import { createRuns, type HandlerCall } from '../../../sdk/serve/runs.ts';
import type { ServeTls } from '../../../sdk/serve/serve-options.ts';
import { createVerifier, keysOf, type SignedBody } from '../../../sdk/serve/signature.ts';
import type { ChildAnswer } from '../messages.ts';
import type { Pool } from './pool.ts';

export interface SupervisorOptions {
  readonly provider: string;
  /** Base URL of the Fairlead whose events are trusted. */
  readonly fairlead: string;
  /** The one organization whose events are accepted. */
  readonly organization: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: ServeTls | undefined;
}

export interface ServedPool {
  readonly url: string;
  /** Answers `/readyz` with 503 from now on. */
  drain(): void;
  /** Accepts no new event, and waits for handlers, at most for `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const heartbeatMs = 5_000;

interface Received {
  readonly event: SignedBody;
  readonly body: Buffer;
  readonly traceparent: string | undefined;
  readonly isSuspect: boolean;
}

/** @throws the error of `listen` */
export async function servePool(
  pool: Pool,
  { provider, fairlead, organization, host, port, tls }: SupervisorOptions,
): Promise<ServedPool> {
  const organizations = [organization];
  const verify = createVerifier({ provider, keys: keysOf(fairlead), organizations });
  const run = async ({ event, body, ...given }: Received, call: HandlerCall, isRequest = false) => {
    const eventId = event.event_id;
    return asReply(
      await pool.run({ ...given, ...call, body, eventId, isRequest, subject: subjectOf(event) }),
    );
  };
  const runs = createRuns({
    start: run,
    timeOf: ({ event }: Received) =>
      createHandlerTime(pool.limitMs(text(event['resource'])) ?? 1_000 * defaultTimeoutSeconds),
    heartbeatMs,
  });
  let isDraining = false;
  let isClosing = false;

  async function received(req: IncomingMessage, res: ServerResponse): Promise<ReplyTo<string>> {
    const body = await readBody(req);
    const event = await verify(req.headers, body);
    const cancelled = cancelledHandler(event);
    if (cancelled !== undefined) return cancelReply(runs.cancel(cancelled, resourceDeleted()));
    const delivery = {
      ...{ event, body, traceparent: traceparentIn(req.headers['traceparent']) },
      isSuspect: req.headers[quarantineHeader] === '?1',
    };
    return isRequest(event)
      ? await run(delivery, requestCall(res), true)
      : await runs.join(delivery, res);
  }

  const servers = serversFor({ port, ...(tls === undefined ? {} : { tls }) }, (req, res) => {
    const isLeaving = isDraining || !pool.isReady();
    if (isLeaving && isProbe(req, '/readyz')) return writeJson(res, 503, {});
    void answer(req, res, async () => {
      try {
        return await received(req, res);
      } finally {
        const ends = pool.unblamedEnds();
        if (ends > 0) res.setHeader(unblamedEndsHeader, ends);
        // `close` would wait for an idle keep-alive connection, and the next event on it would be lost.
        if (isClosing) res.setHeader('connection', 'close');
      }
    });
  });
  const bound = await allListening(servers, host);
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    drain() {
      isDraining = true;
    },
    async close(graceMs) {
      isClosing = true;
      const closed = closeAll(servers);
      await Promise.race([closed, pause(graceMs)]);
      await pool.stop();
      await Promise.race([closed, pause(lastAnswerMs)]);
      for (const { server } of servers) server.closeAllConnections();
    },
  };
}

/** The time for answers to leave the process. */
const lastAnswerMs = 1_000;

function asReply({ status, body, retryAfter }: ChildAnswer): ReplyTo<string> {
  return { status, body, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** Requests besides events change nothing, and have no signs of life. */
function requestCall(res: ServerResponse): HandlerCall {
  const abort = new AbortController();
  res.once('close', () => abort.abort(new Error('The client closed the connection')));
  const time = createHandlerTime(requestMs);
  return { signal: abort.signal, time, report: () => undefined };
}

/** Their children bound their time. */
const requestMs = 24 * 3_600_000;

function isRequest(event: SignedBody): boolean {
  return requestTypes.some((type) => type === event['event_type']);
}

/** Deliveries of one handler to one resource: they end their process together. */
function subjectOf(event: SignedBody): string {
  return ['event_type', 'organization_id', 'project_id', 'resource', 'name']
    .map((member) => text(event[member]))
    .join('/');
}

/** @returns the event whose running handler a CANCEL ends */
function cancelledHandler({ event_type, cancels }: SignedBody): string | undefined {
  if (event_type !== 'CANCEL' || typeof cancels !== 'object' || cancels === null) return undefined;
  const { event_id, operation } = cancels as { event_id?: unknown; operation?: unknown };
  return operation === false && typeof event_id === 'string' ? event_id : undefined;
}

/** The answer proves nothing about the handler, which ends with an answer of its own. */
function cancelReply(isRunning: boolean): ReplyTo<string> {
  if (isRunning) return { status: 200, body: '{"outputs":{}}' };
  // It may be about to begin, or run in another pod.
  throw new Refusal(404, 'not_running', 'No handler runs here for the event');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
