// Follows a log into a buffer, while a component shows it.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { follow } from '../../api/stream.ts';
import { session } from '../../session/session.ts';
import { appended, emptyBuffer, type LogBuffer } from './log-buffer.ts';

export type LogState = 'connecting' | 'live' | 'ended';

export interface Log {
  readonly buffer: Signal<LogBuffer>;
  readonly state: Signal<LogState>;
  /** The error that ends it, such as a filter that the API rejects. */
  readonly error: Signal<unknown>;
}

export interface LogOptions {
  /** Another key is another log. */
  readonly key: string;
  /** Opens the log as events. */
  readonly open: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  /** Reads nothing more; it continues after the last line that it had. */
  readonly isPaused?: boolean;
}

/** Lines are shown together that often: a build writes thousands at once. */
const gatherMs = 80;

export function useLog({ key, open, isPaused = false }: LogOptions): Log {
  const log = useMemo(createLog, [key]);
  const isSignedIn = session.value.kind === 'signed-in';
  useEffect(() => {
    if (isPaused || !isSignedIn) return undefined;
    const controller = new AbortController();
    const timer = setInterval(() => show(log), gatherMs);
    void run(log, open, controller.signal);
    return () => {
      controller.abort();
      clearInterval(timer);
      show(log);
    };
  }, [log, isPaused, isSignedIn]);
  return log;
}

interface Running extends Log {
  /** Lines that are not shown yet. */
  waiting: string[];
  lastEventId: string | undefined;
}

function createLog(): Running {
  return {
    buffer: signal(emptyBuffer),
    state: signal<LogState>('connecting'),
    error: signal<unknown>(undefined),
    waiting: [],
    lastEventId: undefined,
  };
}

function show(log: Running): void {
  if (log.waiting.length === 0) return;
  log.buffer.value = appended(log.buffer.peek(), log.waiting);
  log.waiting = [];
}

async function run(log: Running, open: LogOptions['open'], signal: AbortSignal): Promise<void> {
  if (log.state.peek() === 'ended') return;
  log.state.value = 'connecting';
  log.error.value = undefined;
  try {
    await follow({
      signal,
      open: (lastEventId, opened) => {
        const after = lastEventId ?? log.lastEventId;
        const headers = after === undefined ? {} : { 'last-event-id': after };
        return open({ accept: 'text/event-stream', ...headers }, opened);
      },
      received: ({ id, data }) => {
        log.lastEventId = id ?? log.lastEventId;
        log.waiting.push(data);
      },
      connected: () => {
        log.state.value = 'live';
      },
      lost: () => {
        log.state.value = 'connecting';
      },
    });
    if (signal.aborted) return;
    show(log);
    log.state.value = 'ended';
  } catch (thrown) {
    if (!signal.aborted) log.error.value = thrown;
  }
}
