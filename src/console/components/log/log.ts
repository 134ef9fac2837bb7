// The lines of a log as they arrive, at most so many that the page stays fast.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { follow } from '../../live/stream.ts';
import { session } from '../../session/session.ts';

const maxLines = 5_000;

export interface LogLines {
  readonly lines: Signal<readonly string[]>;
  /** Lines that were removed from the beginning. */
  readonly dropped: Signal<number>;
  /** Whether no further line comes. */
  readonly isComplete: Signal<boolean>;
  readonly error: Signal<unknown>;
}

interface LogOptions {
  /** Another key is another log. */
  readonly key: string;
  /** Opens the log as events after the line with this id. */
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
  /** Reads nothing more until it is false again; then it continues after the last line. */
  readonly isPaused?: boolean;
}

/** Follows a log while the component is mounted, over lost connections. */
export function useLog({ key, open, isPaused = false }: LogOptions): LogLines {
  const log = useMemo(createLog, [key]);
  const isRead = session.value.kind === 'signed-in' && !isPaused;
  useEffect(() => {
    if (!isRead || log.isComplete.peek()) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    log.error.value = undefined;
    follow({
      name: `log ${key}`,
      signal,
      // A new stream, after a pause or a sign-in, does not know what the one before it has read.
      open: (lastEventId, opened) => open(lastEventId ?? log.lastEventId(), opened),
      received: ({ id, data }) => log.add(data, id),
    })
      .then(() => log.end(signal.aborted))
      .catch((error: unknown) => {
        if (!signal.aborted) log.error.value = error;
      });
    return () => controller.abort();
  }, [log, isRead]);
  return log;
}

interface WritableLog extends LogLines {
  add(line: string, id?: string): void;
  end(isAborted: boolean): void;
  /** @returns the id of the last line */
  lastEventId(): string | undefined;
}

/** Lines of one moment become visible together: a build writes thousands. */
const collectMs = 60;

function createLog(): WritableLog {
  const lines = signal<readonly string[]>([]);
  const dropped = signal(0);
  const isComplete = signal(false);
  let waiting: string[] = [];
  let lastId: string | undefined;
  const show = () => {
    const all = [...lines.value, ...waiting];
    waiting = [];
    const excess = Math.max(0, all.length - maxLines);
    lines.value = all.slice(excess);
    dropped.value += excess;
  };
  return {
    lines,
    dropped,
    isComplete,
    error: signal<unknown>(undefined),
    add(line, id) {
      lastId = id ?? lastId;
      if (waiting.length === 0) setTimeout(show, collectMs);
      waiting.push(line);
    },
    end(isAborted) {
      if (!isAborted) isComplete.value = true;
    },
    lastEventId: () => lastId,
  };
}
