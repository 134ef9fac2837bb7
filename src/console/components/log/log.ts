// The lines of a log as they arrive, at most so many that the page stays fast.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { follow } from '../../api/stream.ts';
import { connectionLost, connectionWorks } from '../../live/connection.ts';
import { session } from '../../session/session.ts';

export const mostLines = 5_000;

export interface Log {
  readonly lines: Signal<readonly string[]>;
  /** Lines that were removed from the beginning. */
  readonly dropped: Signal<number>;
  /** Whether no further line comes. */
  readonly isComplete: Signal<boolean>;
  readonly error: Signal<unknown>;
}

export interface LogOptions {
  /** Another key is another log. */
  readonly key: string;
  /** Opens the log as events after the line with this id. */
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
}

/** Follows a log while the component is mounted, over lost connections. */
export function useLog({ key, open }: LogOptions): Log {
  const log = useMemo(createLog, [key]);
  const isSignedIn = session.value.kind === 'signed-in';
  useEffect(() => {
    if (!isSignedIn) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const name = `log ${key}`;
    follow({
      signal,
      open,
      received: ({ data }) => log.add(data),
      connected: () => connectionWorks(name),
      lost: () => connectionLost(name),
    })
      .then(() => log.end(signal.aborted))
      .catch((error: unknown) => {
        log.error.value = error;
      });
    return () => {
      controller.abort();
      connectionWorks(name);
    };
  }, [log, isSignedIn]);
  return log;
}

interface WritableLog extends Log {
  add(line: string): void;
  end(isAborted: boolean): void;
}

/** Lines of one moment become visible together: a build writes thousands. */
const collectMs = 60;

export function createLog(): WritableLog {
  const lines = signal<readonly string[]>([]);
  const dropped = signal(0);
  const isComplete = signal(false);
  let waiting: string[] = [];
  const show = () => {
    const all = [...lines.value, ...waiting];
    waiting = [];
    const excess = Math.max(0, all.length - mostLines);
    lines.value = all.slice(excess);
    dropped.value += excess;
  };
  return {
    lines,
    dropped,
    isComplete,
    error: signal<unknown>(undefined),
    add(line) {
      if (waiting.length === 0) setTimeout(show, collectMs);
      waiting.push(line);
    },
    end(isAborted) {
      if (!isAborted) isComplete.value = true;
    },
  };
}
