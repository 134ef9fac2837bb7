// Follows the logs of every pod of a provider, of those that start later too, and interleaves their lines.
import { hasReason } from '../../kube/errors.ts';
import { pause, systemTimers } from '../../kube/timers.ts';
import { podsOf } from './log-pods.ts';
import { isWanted, type LogPiece, piecesOf, type Reading } from './log-reading.ts';
import { type PodLine, podLines } from './pod-lines.ts';

const defaultPollMs = 2_000;

/** Ends when the signal is aborted. */
export async function* followedPieces(reading: Reading): AsyncGenerator<LogPiece, void, void> {
  const over = new AbortController();
  const signal = AbortSignal.any([reading.signal, over.signal]);
  const queue = createLineQueue<PodLine>(signal);
  const delivered = new Map(reading.positions);
  void followPods({ ...reading, signal }, queue);
  try {
    while (!signal.aborted) {
      const lines = (await queue.take()).filter((line) => isWanted(line, reading.query));
      yield* piecesOf(await reading.shown(lines), delivered);
    }
  } finally {
    over.abort();
  }
}

/** Never throws. */
async function followPods(reading: Reading, queue: LineQueue<PodLine>): Promise<void> {
  const { organization, query, deps } = reading;
  const { timers = systemTimers, pollMs = defaultPollMs } = deps;
  const followers = new Map<string, AbortController>();
  for (; !reading.signal.aborted; await pause(timers, pollMs, reading.signal)) {
    const pods = await podsOf(deps.client, organization, query).catch(() => undefined);
    if (pods === undefined) continue;
    const names = new Set(pods.map(({ metadata }) => metadata.name));
    endThoseGone(followers, names);
    for (const name of names) {
      if (followers.has(name)) continue;
      const gone = new AbortController();
      followers.set(name, gone);
      const signal = AbortSignal.any([reading.signal, gone.signal]);
      void followPod(name, { ...reading, signal }, queue);
    }
  }
}

function endThoseGone(followers: Map<string, AbortController>, names: ReadonlySet<string>): void {
  for (const [name, follower] of followers) {
    if (names.has(name)) continue;
    follower.abort();
    followers.delete(name);
  }
}

/** Reopens the stream whenever it ends: the container restarts, or the connection broke. Never throws. */
async function followPod(name: string, reading: Reading, queue: LineQueue<PodLine>): Promise<void> {
  const { timers = systemTimers, pollMs = defaultPollMs } = reading.deps;
  for (; !reading.signal.aborted; await pause(timers, pollMs, reading.signal)) {
    try {
      await followStream(name, reading, queue);
    } catch (thrown) {
      if (hasReason(thrown, 'notFound')) return;
    }
  }
}

async function followStream(
  name: string,
  { organization: { namespace }, query, deps, signal, positions, known }: Reading,
  queue: LineQueue<PodLine>,
): Promise<void> {
  const lines = podLines(
    { name, namespace },
    {
      client: deps.client,
      signal,
      follow: true,
      after: positions.get(name),
      ...(query.since !== undefined && { sinceTime: query.since.toISOString() }),
      ...(known.has(name) && { tailLines: query.tail }),
    },
  );
  for await (const line of lines) {
    if (line.position !== undefined) positions.set(name, line.position);
    await queue.push(line);
  }
}

// Queues lines from several sources for one reader. A full queue makes the sources wait.

interface LineQueue<T extends { readonly bytes: Uint8Array }> {
  /** Resolves when there is room for more. */
  push(line: T): Promise<void>;
  /** @returns everything queued; waits for the first line, and is empty once the signal is aborted */
  take(): Promise<readonly T[]>;
}

const maxBytes = 262_144;

function createLineQueue<T extends { readonly bytes: Uint8Array }>(
  signal: AbortSignal,
): LineQueue<T> {
  let lines: T[] = [];
  let bytes = 0;
  let arrived: (() => void) | undefined;
  let taken = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => {
    arrived?.();
    taken.resolve();
  });
  return {
    async push(line) {
      lines.push(line);
      bytes += line.bytes.length;
      arrived?.();
      while (bytes > maxBytes && !signal.aborted) await taken.promise;
    },
    async take() {
      if (lines.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
        arrived = undefined;
      }
      const all = lines;
      lines = [];
      bytes = 0;
      taken.resolve();
      taken = Promise.withResolvers();
      return all;
    },
  };
}
