// Streams the log of a pod: the lines of its containers in the order in which they run, each once. A followed stream can end
// early (connection, kubelet, API server); only a terminated container has no more output.
import type { KubeClient, KubeObject } from './api.ts';
import { podKind, type StreamingClient } from './client.ts';
import { hasReason, KubeError } from './errors.ts';
import { lineSplitter, resumption, timed } from './log-lines.ts';
import { pause, systemTimers, type Timers } from './timers.ts';

export type PodLogClient = Pick<KubeClient, 'get' | 'list'> & Pick<StreamingClient, 'podLogs'>;

interface LoggedContainer {
  readonly name: string;
  readonly state?: { readonly running?: object; readonly terminated?: object };
}

export interface LoggingPod extends KubeObject {
  readonly spec?: {
    readonly initContainers?: readonly { readonly name: string }[];
    readonly containers: readonly { readonly name: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly initContainerStatuses?: readonly LoggedContainer[];
    readonly containerStatuses?: readonly LoggedContainer[];
  };
}

interface PodLogOptions {
  readonly client: PodLogClient;
  readonly signal: AbortSignal;
  /** False: only the present output of started containers. */
  readonly follow: boolean;
  /** Returns whether nobody works on the pod any more. Called while a container waits, and after several failures in a row. */
  readonly isOver: () => Promise<boolean>;
  readonly timers?: Timers;
  /** Milliseconds of silence after which the state of the container is checked. */
  readonly silenceMs?: number;
}

const maxFailures = 5;
const minPauseMs = 100;
const maxPauseMs = 1_000;
const defaultSilenceMs = 20_000;

/**
 * Yields chunks of whole lines, and ends when the signal is aborted.
 * @throws KubeError `notFound` when the pod is gone; another when the log is unavailable and `isOver` returns true
 */
export async function* podLog(
  pod: LoggingPod,
  options: PodLogOptions,
): AsyncGenerator<Buffer, void, void> {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  for (const { name } of [...initContainers, ...containers]) {
    yield* containerLog({ pod, container: name, options });
    if (options.signal.aborted) return;
  }
}

interface LogSource {
  readonly pod: LoggingPod;
  readonly container: string;
  readonly options: PodLogOptions;
}

async function* containerLog(source: LogSource): AsyncGenerator<Buffer, void, void> {
  const { signal, timers = systemTimers } = source.options;
  const lines = resumption();
  const pace: RetryPace = { failures: 0, pauseMs: minPauseMs };
  while (!signal.aborted) {
    try {
      if (yield* oneAttempt(source, lines, pace)) return;
    } catch (thrown) {
      pace.failures += 1;
      if (!(await mayGoOn(thrown, source.options, pace.failures))) throw thrown;
    }
    await pause(timers, pace.pauseMs, signal);
    pace.pauseMs = Math.min(2 * pace.pauseMs, maxPauseMs);
  }
}

/** Number and delay of retries; a received line resets both. */
interface RetryPace {
  failures: number;
  pauseMs: number;
}

/** @returns whether the log is complete */
async function* oneAttempt(
  source: LogSource,
  lines: ReturnType<typeof resumption>,
  pace: RetryPace,
): AsyncGenerator<Buffer, boolean, void> {
  const { follow } = source.options;
  const state = await sourceState(source);
  if (state === 'none') return true;
  if (state === 'waiting') return !follow || (await source.options.isOver());
  for await (const piece of oneStream({ source, state, lines })) {
    Object.assign(pace, { failures: 0, pauseMs: minPauseMs });
    yield piece;
  }
  // Only a stream that began after the end of the container is certainly complete.
  return state === 'terminated' || !follow;
}

async function mayGoOn(
  thrown: unknown,
  { signal, isOver }: PodLogOptions,
  failures: number,
): Promise<boolean> {
  if (signal.aborted) return true;
  if (!(thrown instanceof KubeError) || thrown.reason === 'notFound') return false;
  return failures < maxFailures || !(await isOver());
}

type LoggedState = 'waiting' | 'running' | 'terminated' | 'none';

/** @throws KubeError `notFound` also when another pod has the name by now */
async function sourceState({
  pod,
  container,
  options: { client, signal },
}: LogSource): Promise<LoggedState> {
  const { name, namespace, uid } = pod.metadata;
  const now = await client.get<LoggingPod>(podKind, { name, namespace }, { signal });
  if (now.metadata.uid !== uid) {
    throw new KubeError({ reason: 'notFound', message: 'The pod was replaced' });
  }
  const { phase, initContainerStatuses = [], containerStatuses = [] } = now.status ?? {};
  const status = [...initContainerStatuses, ...containerStatuses].find(
    (each) => each.name === container,
  );
  if (status?.state?.terminated !== undefined) return 'terminated';
  if (phase === 'Succeeded' || phase === 'Failed') return 'none';
  return status?.state?.running === undefined ? 'waiting' : 'running';
}

interface OneStream {
  readonly source: LogSource;
  readonly state: 'running' | 'terminated';
  readonly lines: ReturnType<typeof resumption>;
}

async function* oneStream({ source, state, lines }: OneStream): AsyncGenerator<Buffer> {
  const { pod, container, options } = source;
  const splitter = lineSplitter();
  const sinceTime = lines.again();
  const query = {
    container,
    timestamps: true,
    follow: options.follow && state === 'running',
    ...(sinceTime === undefined ? {} : { sinceTime }),
  };
  const { name, namespace } = pod.metadata;
  const watchdog = startWatchdog(source);
  try {
    const stream = await options.client.podLogs({ name, namespace }, query, watchdog.signal);
    for await (const chunk of stream) {
      watchdog.heard();
      const piece = newText(splitter.push(chunk), lines);
      if (piece.length > 0) yield piece;
    }
  } catch (thrown) {
    // undici's own errors: the connection broke.
    if (thrown instanceof KubeError) throw thrown;
    throw new KubeError({ reason: 'unavailable', message: 'The log stream was interrupted' });
  } finally {
    watchdog.stop();
  }
  const rest = splitter.end();
  // For a running container, half a line may be the end of a broken stream: the next stream delivers it whole.
  if (rest === undefined || query.follow) return;
  const piece = newText([rest], lines);
  if (piece.length > 0) yield piece;
}

function newText(found: readonly Buffer[], lines: OneStream['lines']): Buffer {
  const texts: Buffer[] = [];
  for (const line of found) {
    const { time, text } = timed(line);
    if (lines.isNew(time)) texts.push(text);
  }
  return Buffer.concat(texts);
}

/** A stream may stay open for ever when its node is gone: after a silence the pod is checked. */
function startWatchdog(source: LogSource) {
  const { signal, timers = systemTimers, silenceMs = defaultSilenceMs } = source.options;
  const over = new AbortController();
  let stop = timers.after(silenceMs, () => void look());

  function rearm(): void {
    stop();
    stop = timers.after(silenceMs, () => void look());
  }

  async function look(): Promise<void> {
    const state = await sourceState(source).catch((thrown: unknown) =>
      hasReason(thrown, 'notFound') ? 'none' : 'unknown',
    );
    if (over.signal.aborted) return;
    if (state === 'terminated' || state === 'none') over.abort();
    else rearm();
  }

  return {
    signal: AbortSignal.any([signal, over.signal]),
    heard: rearm,
    stop() {
      stop();
      over.abort();
    },
  };
}
