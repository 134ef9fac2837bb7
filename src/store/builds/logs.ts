// Serves build logs to any number of readers: from the pod while it exists, then from the stored copy. Readers of one build
// share one stream from the API server, which closes when the last reader leaves.
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { ArtifactStore } from '../../domain/providers/artifact.ts';
import { isDigest } from '../../domain/providers/artifact.ts';
import { isBuildFinished } from '../../domain/providers/build.ts';
import { podKind } from '../../kube/client.ts';
import { hasReason, KubeError } from '../../kube/errors.ts';
import { type LoggingPod, type PodLogClient, podLog } from '../../kube/pod-logs.ts';
import { pause, systemTimers, type Timers } from '../../kube/timers.ts';
import type { Log } from '../../lib/log.ts';
import { isUnavailable } from '../errors.ts';
import { label } from '../kinds.ts';
import { createLogBuffer, defaultLogLimits, type LogBuffer } from './log-buffer.ts';
import type { BuildRecord, BuildStore } from './store.ts';

export interface BuildLogs {
  /**
   * The lines of a build from the first on, in pieces of whole lines; ends with the build, or when the signal is aborted. A
   * reader slower than the build gets a line in place of the missed output.
   */
  open(
    organization: Organization,
    build: BuildRecord,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /**
   * The output of the pod of a build, head and tail of it when it is long; empty when there is no pod.
   * @throws KubeError when the output is unavailable
   */
  capture(namespace: string, jobName: string, signal: AbortSignal): Promise<Buffer>;
  /** Ends all streams, so that nobody waits for builds when the process ends. */
  close(): void;
}

interface BuildLogsDeps {
  readonly client: PodLogClient;
  readonly builds: Pick<BuildStore, 'get'>;
  readonly artifacts: Pick<ArtifactStore, 'open'>;
  readonly log: Log;
  readonly timers?: Timers;
  /** Milliseconds between two checks for a missing pod. */
  readonly pollMs?: number;
}

/** One stream of a build and its readers. */
interface SharedLog {
  readonly buffer: LogBuffer;
  readonly over: AbortController;
  readers: number;
}

const defaultPollMs = 1_000;

const nothingKept = Buffer.from('[The build has ended, and its log was not archived.]\n');
const restLost = Buffer.from('[The rest of the log is not available.]\n');

export function createBuildLogs(deps: BuildLogsDeps): BuildLogs {
  const shared = new Map<string, SharedLog>();
  const closing = new AbortController();

  function join(organization: Organization, build: BuildRecord): SharedLog {
    const key = `${organization.namespace}/${build.jobName}`;
    const there = shared.get(key);
    if (there !== undefined) return there;
    const opened = { buffer: createLogBuffer(), over: new AbortController(), readers: 0 };
    shared.set(key, opened);
    opened.over.signal.addEventListener('abort', () => shared.delete(key));
    void fill(opened, { organization, build, deps });
    return opened;
  }

  async function* read(
    organization: Organization,
    build: BuildRecord,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    const kept = await keptLog(deps, build.log);
    if (kept !== undefined) {
      yield* wholeLines(kept, 0);
      return;
    }
    if (signal.aborted) return;
    const source = join(organization, build);
    source.readers += 1;
    try {
      yield* source.buffer.read(signal);
    } finally {
      source.readers -= 1;
      if (source.readers === 0) source.over.abort();
    }
  }

  return {
    open: (organization, build, signal) =>
      read(organization, build, AbortSignal.any([signal, closing.signal])),
    async capture(namespace, jobName, signal) {
      const buffer = createLogBuffer();
      const pod = await findNewestPod(deps, { namespace, jobName }, signal);
      if (pod === undefined) return Buffer.alloc(0);
      const isOver = () => Promise.resolve(true);
      const options = { ...podLogDeps(deps), signal, follow: false, isOver };
      for await (const piece of podLog(pod, options)) buffer.append(piece);
      if (signal.aborted) throw new KubeError({ reason: 'aborted', message: 'Aborted' });
      return buffer.content();
    },
    close: () => closing.abort(),
  };
}

interface Filling {
  readonly organization: Organization;
  readonly build: BuildRecord;
  readonly deps: BuildLogsDeps;
}

/** Reads at the speed of the pod; readers read at their own. */
async function fill({ buffer, over }: SharedLog, filling: Filling): Promise<void> {
  try {
    for await (const piece of wholeLog(filling, buffer, over.signal)) buffer.append(piece);
    await untilRecorded(filling, over.signal);
    buffer.end();
  } catch (thrown) {
    if (!over.signal.aborted) {
      filling.deps.log.warn({ error: thrown }, 'Reading a build log failed');
    }
    buffer.end(thrown);
  }
}

const recordedPollMs = 200;

/** A reader at the end requests the build result: by then it must be recorded. */
async function untilRecorded(filling: Filling, signal: AbortSignal): Promise<void> {
  const { timers = systemTimers } = filling.deps;
  while (!signal.aborted && (await buildProgress(filling))?.over !== true) {
    await pause(timers, recordedPollMs, signal);
  }
}

async function* wholeLog(
  filling: Filling,
  told: Pick<LogBuffer, 'size'>,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  const { pollMs = defaultPollMs, timers = systemTimers } = filling.deps;
  for (; !signal.aborted; await pause(timers, pollMs, signal)) {
    const seen = await findPod(filling, signal);
    if (seen === undefined) continue;
    // After the output of one pod, another pod would repeat it; the stored log has the rest.
    if (seen.pod !== undefined && told.size === 0) {
      if (yield* fromPod(seen.pod, filling, signal)) return;
    } else if (seen.over) {
      yield* afterwards(filling.deps, seen.log, told.size);
      return;
    }
  }
}

/** @returns whether the log is complete; false when the pod was removed before its end */
async function* fromPod(
  pod: LoggingPod,
  filling: Filling,
  signal: AbortSignal,
): AsyncGenerator<Buffer, boolean, void> {
  const isOver = async () => (await buildProgress(filling))?.over === true;
  try {
    yield* podLog(pod, { ...podLogDeps(filling.deps), signal, follow: true, isOver });
    return true;
  } catch (thrown) {
    if (hasReason(thrown, 'notFound')) return false;
    if (!(thrown instanceof KubeError)) throw thrown;
    yield restLost;
    return true;
  }
}

/** The stored log, after what was already sent. */
async function* afterwards(
  deps: BuildLogsDeps,
  log: string | undefined,
  toldBytes: number,
): AsyncGenerator<Buffer, void, void> {
  // Behind the head, offsets in the stored log differ from those in the output. Checked first: an opened log must be read.
  const kept = toldBytes > defaultLogLimits.headBytes ? undefined : await keptLog(deps, log);
  if (kept === undefined) yield toldBytes === 0 ? nothingKept : restLost;
  else yield* wholeLines(kept, toldBytes);
}

async function keptLog(
  { artifacts }: BuildLogsDeps,
  log: string | undefined,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (log === undefined || !isDigest(log)) return undefined;
  return (await artifacts.open(log))?.bytes;
}

const newline = 0x0a;

async function* wholeLines(
  bytes: AsyncIterable<Uint8Array>,
  skippedBytes: number,
): AsyncGenerator<Buffer, void, void> {
  let rest = Buffer.alloc(0);
  let left = skippedBytes;
  for await (const chunk of bytes) {
    const wanted = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - wanted.length;
    const held = Buffer.concat([rest, wanted]);
    const end = held.lastIndexOf(newline) + 1;
    rest = held.subarray(end);
    if (end > 0) yield held.subarray(0, end);
  }
  if (rest.length > 0) yield rest;
}

interface LogProgress {
  readonly over: boolean;
  readonly log: string | undefined;
}

/** @returns undefined when the API server is unavailable */
async function buildProgress({
  deps,
  organization,
  build,
}: Filling): Promise<LogProgress | undefined> {
  try {
    const { phase, log } = await deps.builds.get(organization, build.provider, build.jobName);
    return { over: isBuildFinished(phase), log };
  } catch (thrown) {
    if (isUnavailable(thrown)) return undefined;
    if (!(thrown instanceof FairleadError)) throw thrown;
    // It was deleted.
    return { over: true, log: undefined };
  }
}

async function findPod(
  filling: Filling,
  signal: AbortSignal,
): Promise<(LogProgress & { pod: LoggingPod | undefined }) | undefined> {
  const progress = await buildProgress(filling);
  if (progress === undefined) return undefined;
  const { namespace } = filling.organization;
  const where = { namespace, jobName: filling.build.jobName };
  try {
    return { ...progress, pod: await findNewestPod(filling.deps, where, signal) };
  } catch (thrown) {
    // Rights are bound with the namespace, and after an upgrade a moment later: the stored log can be read anyway.
    if (hasReason(thrown, 'forbidden')) return { ...progress, pod: undefined };
    if (isUnavailable(thrown)) return undefined;
    throw thrown;
  }
}

async function findNewestPod(
  { client }: BuildLogsDeps,
  { namespace, jobName }: { namespace: string; jobName: string },
  signal: AbortSignal,
): Promise<LoggingPod | undefined> {
  const labelSelector = `${label.build}=${jobName}`;
  const { items } = await client.list<LoggingPod>(podKind, { namespace, labelSelector, signal });
  const created = ({ metadata }: LoggingPod) => metadata.creationTimestamp ?? '';
  return items.sort((left, right) => (created(left) < created(right) ? 1 : -1))[0];
}

function podLogDeps({ client, timers }: BuildLogsDeps) {
  return { client, ...(timers && { timers }) };
}
