// Shows those who wait for a handler that it runs, and how far it is: interim responses (102), with the progress that it reports.
import type { ServerResponse } from 'node:http';
import { progressField } from '../../domain/progress/header.ts';
import type { Progress } from '../../domain/progress/value.ts';

export interface SignsOfLife {
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
export function createSignsOfLife({ until, everyMs }: SignsOfLifeOptions): SignsOfLife {
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
