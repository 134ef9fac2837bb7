// The running handlers of a provider: joins repeated deliveries of an event, shows their senders that the handler runs, and
// bounds its time.
import type { ServerResponse } from 'node:http';
import { waitedHeader } from '../../domain/process-end/quarantine.ts';
import { progressField } from '../../domain/progress/header.ts';
import type { Progress } from '../../domain/progress/value.ts';
import type { HandlerTime } from './handler-time.ts';
import { Refusal } from './refusal.ts';

/** A call of a handler, besides its delivery. */
export interface HandlerCall {
  /** Aborted when the time of the handler is over, when nobody waits for its answer, or when its event is cancelled. */
  readonly signal: AbortSignal;
  readonly time: HandlerTime;
  /** Receives the progress of the handler. */
  readonly report: SignsOfLife['report'];
}

interface IdentifiedDelivery {
  readonly event: { readonly event_id: string };
}

export interface RunsOptions<Delivery, Reply> {
  /** Calls the handler. */
  readonly start: (delivery: Delivery, call: HandlerCall) => Promise<Reply>;
  /** @returns the time of a handler that is about to be called */
  readonly timeOf: (delivery: Delivery) => HandlerTime;
  /** Milliseconds between two signs of life. */
  readonly heartbeatMs: number;
}

export interface Runs<Delivery, Reply> {
  /**
   * Runs the handler of an event for a connection. An event that arrives again while its handler runs for an open connection gets
   * the same answer. Without an open connection, the signal of the handler is aborted, and the event starts again once it has
   * ended.
   */
  join(delivery: Delivery, res: ServerResponse): Promise<Reply>;
  /** Aborts the signal of the handler that runs for an event. @returns false when there is none */
  cancel(event: string, reason: Error): boolean;
}

interface HandlerRun<Reply> {
  readonly reply: Promise<Reply>;
  readonly abort: AbortController;
  readonly time: HandlerTime;
  readonly signs: SignsOfLife;
  waiting: number;
}

export function createRuns<Delivery extends IdentifiedDelivery, Reply>({
  start,
  timeOf,
  heartbeatMs,
}: RunsOptions<Delivery, Reply>): Runs<Delivery, Reply> {
  const runs = new Map<string, HandlerRun<Reply>>();

  function running(delivery: Delivery): HandlerRun<Reply> {
    const { event } = delivery;
    const known = runs.get(event.event_id);
    if (known !== undefined && !known.abort.signal.aborted) return known;
    const abort = new AbortController();
    const time = timeOf(delivery);
    void time.over.then(() => abort.abort(handlerTooLong(time.limitMs)));
    const signs = createSignsOfLife({ time, everyMs: heartbeatMs });
    const begin = () => start(delivery, { signal: abort.signal, time, report: signs.report });
    const reply = runAfter(known, begin, abort.signal).finally(() => {
      time.end();
      if (runs.get(event.event_id)?.abort === abort) runs.delete(event.event_id);
    });
    const run = { reply, abort, time, signs, waiting: 0 };
    runs.set(event.event_id, run);
    return run;
  }

  /** Two attempts of one event never run beside each other, unless the earlier one ignores that its time is over. */
  async function runAfter(
    earlier: HandlerRun<Reply> | undefined,
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
async function untilEnded({ reply, time }: HandlerRun<unknown>): Promise<void> {
  await Promise.race([reply.catch(() => undefined), time.over]);
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
  readonly time: HandlerTime;
  /** Milliseconds between two signs of life. */
  readonly everyMs: number;
}

const reportMs = 1_000;

/** A proxy may drop interim responses: the delivery then has the time of any other, and shows no progress. */
function createSignsOfLife({ time, everyMs }: SignsOfLifeOptions): SignsOfLife {
  const connections = new Set<ServerResponse>();
  let latest: Progress | undefined;
  let reportedAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  function send(res: ServerResponse): void {
    if (time.isOver()) return;
    const waitedMs = Math.floor(time.waitedMs());
    const headers = {
      ...(latest === undefined ? {} : { 'Fairlead-Progress': progressField(latest) }),
      ...(waitedMs === 0 ? {} : { [waitedHeader]: `${waitedMs}` }),
    };
    // Before 24.18, Node.js has no interim responses with headers of one's own.
    const isPlain = Object.keys(headers).length === 0 || typeof res.writeInformation !== 'function';
    if (isPlain) res.writeProcessing();
    else res.writeInformation(102, headers);
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
