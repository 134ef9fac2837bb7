// Reads something again and again while a page shows it: what the API has no stream for.

import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError, NoAnswer } from '../api/errors.ts';
import { session } from '../session/session.ts';
import { connectionLost, connectionWorks } from './connection.ts';

export interface Polled<T> {
  /** Undefined until it was read once; the last value stays when a later read fails. */
  readonly value: Signal<T | undefined>;
  readonly error: Signal<unknown>;
  /** Reads it now; resolves when it was read, or failed. */
  reload(): Promise<void>;
}

interface PolledOptions<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds between an answer and the next request. */
  readonly everyMs: number;
  /** Another key is another thing to read. */
  readonly key: string;
}

/**
 * Polls while the component is mounted and the page is visible.
 * @example const builds = usePolled({ key: provider, everyMs: 5_000, load: (signal) => call('listBuilds', { path, signal }) })
 */
export function usePolled<T>({ load, everyMs, key }: PolledOptions<T>): Polled<T> {
  const state = useMemo(() => createPolled(load), [key]);
  // The function of the first rendering would read with its parameters for ever.
  state.load = load;
  const isSignedIn = session.value.kind === 'signed-in';
  useEffect(() => {
    if (!isSignedIn) return undefined;
    const controller = new AbortController();
    void poll(state, { everyMs, signal: controller.signal });
    return () => controller.abort();
  }, [state, everyMs, isSignedIn]);
  return state;
}

interface PolledState<T> extends Polled<T> {
  /** The name of its connection. */
  readonly name: string;
  load: (signal: AbortSignal) => Promise<T>;
}

let created = 0;

function createPolled<T>(load: (signal: AbortSignal) => Promise<T>): PolledState<T> {
  created += 1;
  const value = signal<T | undefined>(undefined);
  const error = signal<unknown>(undefined);
  const state: PolledState<T> = {
    value,
    error,
    load,
    name: `polled ${created}`,
    reload: () => loadValue(state, new AbortController().signal),
  };
  return state;
}

async function poll<T>(
  state: PolledState<T>,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    if (!document.hidden) await loadValue(state, signal);
    await visibleAfter(everyMs, signal);
  }
  connectionWorks(state.name);
}

async function loadValue<T>(state: PolledState<T>, signal: AbortSignal): Promise<void> {
  try {
    const value = await state.load(signal);
    if (signal.aborted) return;
    state.value.value = value;
    state.error.value = undefined;
    connectionWorks(state.name);
  } catch (thrown) {
    if (signal.aborted) return;
    if (thrown instanceof NoAnswer) connectionLost(state.name);
    // The session shows that itself.
    const isSignedOut = thrown instanceof ApiError && thrown.status === 401;
    const isShown = !(thrown instanceof NoAnswer && state.value.value !== undefined);
    if (isShown && !isSignedOut) state.error.value = thrown;
  }
}

/** Resolves after the time, or earlier when the page is shown again. */
async function visibleAfter(milliseconds: number, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    const options = { signal: done.signal };
    const ifVisible = () => {
      if (!document.hidden) resolve();
    };
    document.addEventListener('visibilitychange', ifVisible, options);
    signal.addEventListener('abort', () => resolve(), options);
  });
  done.abort();
}
