// Serves the requests of a connection one after the other. A parser reads hundreds of them from one packet, and all would be worked on
// before anybody else has a turn, also for a client that reads none of the answers.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait for the one that is served. Hardly any client sends a second one. */
const maxWaiting = 16;

type PipelinedRequest = readonly [IncomingMessage, ServerResponse];

export function oneAtATime(serve: RequestListener): RequestListener {
  /** The waiting requests of connections with a request that is served. */
  const waitingAt = new WeakMap<Socket, PipelinedRequest[]>();
  /** The requests of connections whose answer has left. */
  const ready = new Set<PipelinedRequest[]>();

  function begin(exchange: PipelinedRequest, waiting: PipelinedRequest[]): void {
    const [{ socket }, response] = exchange;
    if (socket.destroyed) return;
    // Emitted after the last byte has left: an answer that nobody reads holds up its own connection.
    response.once('close', () => {
      if (waiting.length === 0) {
        waitingAt.delete(socket);
        return;
      }
      if (ready.size === 0) setImmediate(nextOfAll);
      ready.add(waiting);
    });
    serve(...exchange);
  }

  /** One of all connections for a turn of the event loop, in which others send their first request. */
  function nextOfAll(): void {
    const [waiting] = ready;
    if (waiting === undefined) return;
    ready.delete(waiting);
    if (ready.size > 0) setImmediate(nextOfAll);
    const next = waiting.shift();
    if (next !== undefined) begin(next, waiting);
  }

  return (request, response) => {
    const { socket } = request;
    const waiting = waitingAt.get(socket);
    if (waiting === undefined) {
      const none: PipelinedRequest[] = [];
      waitingAt.set(socket, none);
      begin([request, response], none);
    } else if (waiting.length < maxWaiting) {
      waiting.push([request, response]);
      // RFC 9112, 9.6: this is the last answer, and what was sent after its request is not looked at.
      if (waiting.length === maxWaiting) response.setHeader('Connection', 'close');
    }
  };
}
