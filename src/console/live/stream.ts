// Follows a stream of server-sent events of the API, and connects again after a lost connection from where it was.
import { readEvents, type StreamEvent } from '../../client/api/events.ts';
import { ApiError } from '../api/errors.ts';
import { connectionLost, connectionWorks } from './connection.ts';

interface FollowOptions {
  /** The name of the connection, whose loss the pages show. */
  readonly name: string;
  /** Opens the stream after the event with this id. */
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
  readonly received: (event: StreamEvent) => void;
  readonly signal: AbortSignal;
}

/** @returns the headers that ask for events after one */
export function eventsAfter(lastEventId: string | undefined): Readonly<Record<string, string>> {
  const accept = 'text/event-stream';
  return lastEventId === undefined ? { accept } : { accept, 'last-event-id': lastEventId };
}

const firstDelayMs = 500;
const maxDelayMs = 10_000;

/** Follows until the signal or an event `end`. @throws ApiError that no repetition changes: 4xx but 429 */
export async function follow(options: FollowOptions): Promise<void> {
  const { name, signal } = options;
  const position: StreamPosition = { lastEventId: undefined, delayMs: firstDelayMs };
  try {
    while (!signal.aborted) {
      try {
        if (await receive(options, position)) return;
      } catch (thrown) {
        if (signal.aborted) return;
        if (isFinal(thrown)) throw thrown;
        connectionLost(name);
      }
      await waitBeforeReconnect(position.delayMs, signal);
      position.delayMs = Math.min(position.delayMs * 2, maxDelayMs);
    }
  } finally {
    connectionWorks(name);
  }
}

interface StreamPosition {
  lastEventId: string | undefined;
  delayMs: number;
}

/** @returns whether the stream is complete */
async function receive(options: FollowOptions, position: StreamPosition): Promise<boolean> {
  const { name, open, received } = options;
  const attempt = new AbortController();
  try {
    const signal = AbortSignal.any([options.signal, attempt.signal]);
    const answer = await open(position.lastEventId, signal);
    connectionWorks(name);
    position.delayMs = firstDelayMs;
    for await (const event of readEvents(chunksOf(answer))) {
      if (event.id !== undefined) position.lastEventId = event.id === '' ? undefined : event.id;
      if (event.event === 'end') return true;
      if (event.event === 'expired') return false;
      received(event);
    }
    return false;
  } finally {
    // A stream that fell silent is still open, and a browser has few connections to one address.
    attempt.abort();
  }
}

function isFinal(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.status < 500 && thrown.status !== 429;
}

async function* chunksOf(answer: Response): AsyncGenerator<Uint8Array, void, void> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Resolves after the time, when the browser is online again, or at once when the signal is aborted. */
async function waitBeforeReconnect(milliseconds: number, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  await new Promise<void>((resolve) => {
    const options = { signal: done.signal };
    const timer = setTimeout(resolve, milliseconds);
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    window.addEventListener('online', () => resolve(), options);
    signal.addEventListener('abort', () => resolve(), options);
    if (signal.aborted) resolve();
  });
  done.abort();
}
