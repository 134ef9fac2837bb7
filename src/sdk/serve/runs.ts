// The running handlers of a provider: joins repeated deliveries of an event, shows their senders that the handler runs, and
// bounds its time.
import type { ServerResponse } from 'node:http';
import type { EventBody } from '../../domain/event.ts';
import { progressField } from '../../domain/progress/header.ts';
import type { Progress } from '../../domain/progress/value.ts';
import { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

export interface ReceivedDelivery {
  readonly event: EventBody;
  readonly traceparent: string | undefined;
}

export interface RunsOptions {
  /** Calls the handler. @param report receives its progress */
  readonly start: (
    delivery: ReceivedDelivery,
    signal: AbortSignal,
    report: SignsOfLife['report'],
  ) => Promise<Reply>;
  /** The longest time of a handler, in milliseconds. */
  readonly limitOf: (event: EventBody) => number;
  /** Milliseconds between two signs of life. */
  readonly heartbeatMs: number;
}

export interface Runs {
  /**
   * Runs the handler of an event for a connection. An event that arrives again while its handler runs for an open connection gets
   * the same answer. Without an open connection, the signal of the handler is aborted, and the event starts again once it has
   * ended.
   */
  join(delivery: ReceivedDelivery, res: ServerResponse): Promise<Reply>;
  /** Aborts the signal of the handler that runs for an event. @returns false when there is none */
  cancel(event: string, reason: Error): boolean;
}

interface HandlerRun {
  readonly reply: Promise<Reply>;
  readonly abort: AbortController;
  /** When its time is over, on the monotonic clock. */
  readonly until: number;
  readonly signs: SignsOfLife;
  waiting: number;
}

export function createRuns({ start, limitOf, heartbeatMs }: RunsOptions): Runs {
  const runs = new Map<string, HandlerRun>();

  function running(delivery: ReceivedDelivery): HandlerRun {
    const { event } = delivery;
    const known = runs.get(event.event_id);
    if (known !== undefined && !known.abort.signal.aborted) return known;
    const abort = new AbortController();
    const limitMs = limitOf(event);
    const timer = setTimeout(() => abort.abort(handlerTooLong(limitMs)), limitMs).unref();
    const until = performance.now() + limitMs;
    const signs = createSignsOfLife({ until, everyMs: heartbeatMs });
    const begin = () => start(delivery, abort.signal, signs.report);
    const reply = runAfter(known, begin, abort.signal).finally(() => {
      clearTimeout(timer);
      if (runs.get(event.event_id)?.abort === abort) runs.delete(event.event_id);
    });
    const run = { reply, abort, until, signs, waiting: 0 };
    runs.set(event.event_id, run);
    return run;
  }

  /** Two attempts of one event never run beside each other, unless the earlier one ignores that its time is over. */
  async function runAfter(
    earlier: HandlerRun | undefined,
    begin: () => Promise<Reply>,
    signal: AbortSignal,
  ): Promise<Reply> {
    if (earlier !== undefined) await untilEnded(earlier);
    if (signal.aborted) throw new Refusal(503, 'gone', 'The client closed the connection');
    return await begin();
  }

  return {
    join(delivery, res) {
      // A client that disconnected while the keys were fetched emits no further event.
      if (res.closed) throw new Refusal(503, 'gone', 'The client closed the connection');
      const run = running(delivery);
      run.waiting += 1;
      const end = run.signs.sendTo(res);
      res.once('close', () => {
        end();
        run.waiting -= 1;
        if (run.waiting === 0) run.abort.abort(new Error('The client closed the connection'));
      });
      return run.reply.finally(end);
    },
    cancel(event, reason) {
      const run = runs.get(event);
      run?.abort.abort(reason);
      return run !== undefined;
    },
  };
}

/** A handler that ignores its signal would hold up the event for ever; it counts as ended when its time is over. */
async function untilEnded({ reply, until }: HandlerRun): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.resolve(), Math.max(0, until - performance.now())).unref();
  await Promise.race([reply.catch(() => undefined), late.promise]);
  clearTimeout(timer);
}

function handlerTooLong(limitMs: number): Error {
  return new Error(`The handler has run for ${limitMs / 1_000} s, the limit of its type`);
}

// Shows those who wait for a handler that it runs, and how far it is: interim responses (102), with the progress that it reports.

interface SignsOfLife {
  /** Begins to send to a connection. @returns a function that ends it */
  sendTo(res: ServerResponse): () => void;
  /** Sends progress: at most once a second, and the last one always while the handler runs. */
  report(progress: Progress): void;
}

interface SignsOfLifeOptions {
  /** When the handler counts as ended, on the monotonic clock. */
  readonly until: number;
  /** Milliseconds between two signs of life. */
  readonly everyMs: number;
}

const reportMs = 1_000;

/** A proxy may drop interim responses: the delivery then has the time of any other, and shows no progress. */
function createSignsOfLife({ until, everyMs }: SignsOfLifeOptions): SignsOfLife {
  const connections = new Set<ServerResponse>();
  let latest: Progress | undefined;
  let reportedAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  function send(res: ServerResponse): void {
    if (performance.now() >= until) return;
    // Before 24.18, Node.js has no interim responses with headers of one's own.
    if (latest === undefined || typeof res.writeInformation !== 'function') res.writeProcessing();
    else res.writeInformation(102, { 'Fairlead-Progress': progressField(latest) });
  }

  function sendToAll(): void {
    clearTimeout(timer);
    timer = undefined;
    reportedAt = performance.now();
    for (const res of connections) send(res);
  }

  return {
    sendTo(res) {
      // RFC 9110: a server must not send an interim response to a client of HTTP/1.0.
      if (res.req.httpVersion === '1.0') return () => undefined;
      connections.add(res);
      // A handler may have reported before its connection is here.
      if (latest !== undefined) send(res);
      const heartbeat = setInterval(() => send(res), everyMs);
      return () => {
        clearInterval(heartbeat);
        connections.delete(res);
      };
    },
    report(progress) {
      latest = progress;
      const dueIn = reportedAt + reportMs - performance.now();
      if (dueIn <= 0) sendToAll();
      else timer ??= setTimeout(sendToAll, dueIn).unref();
    },
  };
}
