// Reads what a pod wrote before the last end of one of its processes: the supervisor in it marks each end in the log of the container. Without
// one, it is the log of the container before its last restart.
import { endedProcessField } from '../../domain/process-end/last-lines.ts';
import { KubeError } from '../../kube/errors.ts';
import { isJsonObject, jsonIn } from '../../lib/json.ts';
import { type LogPod, wasRestarted } from './log-pods.ts';
import { linesBeforeFilter, type Reading } from './log-reading.ts';
import { type PodLine, podLines } from './pod-lines.ts';

export interface EarlierLines {
  readonly pod: LogPod;
  readonly lines: readonly PodLine[];
}

interface EarlierOptions extends Pick<Reading, 'organization' | 'query' | 'deps' | 'signal'> {
  /** The most bytes, of the last lines. */
  readonly limit: number;
}

/** @returns undefined when no process of the pod has ended, as far as its last lines show, and its container was not restarted */
export async function earlierLines(
  pod: LogPod,
  options: EarlierOptions,
): Promise<EarlierLines | undefined> {
  const present = await readParts(pod, options, false);
  if (present.isEnd) return { pod, lines: present.before };
  if (!wasRestarted(pod)) return undefined;
  const { before, after } = await readParts(pod, options, true);
  return { pod, lines: [...before, ...after] };
}

interface SplitLog {
  /** Lines up to the last end of a process. */
  readonly before: readonly PodLine[];
  readonly after: readonly PodLine[];
  /** Whether a process has ended. */
  readonly isEnd: boolean;
}

async function readParts(
  { metadata: { name } }: LogPod,
  {
    organization: { namespace },
    query: { since },
    deps: { client },
    signal,
    limit,
  }: EarlierOptions,
  previous: boolean,
): Promise<SplitLog> {
  const sinceTime = since === undefined ? {} : { sinceTime: since.toISOString() };
  const options = { client, signal, after: undefined, previous, tailLines: linesBeforeFilter };
  const before = newestWithin(limit);
  let after = newestWithin(limit);
  let isEnd = false;
  try {
    for await (const line of podLines({ name, namespace }, { ...options, ...sinceTime })) {
      after.add(line);
      if (!isEndOfProcess(line)) continue;
      isEnd = true;
      for (const each of after.lines) before.add(each);
      after = newestWithin(limit);
    }
  } catch (thrown) {
    // It has not started, is gone, or its node does not answer: the other pods have their lines all the same.
    if (!(thrown instanceof KubeError)) throw thrown;
  }
  return { before: before.lines, after: after.lines, isEnd };
}

/** @param limit in bytes */
function newestWithin(limit: number) {
  const lines: PodLine[] = [];
  let bytes = 0;
  return {
    lines,
    add(line: PodLine) {
      lines.push(line);
      bytes += line.bytes.length;
      while (bytes > limit && lines.length > 1) bytes -= lines.shift()?.bytes.length ?? 0;
    },
  };
}

function isEndOfProcess({ bytes }: PodLine): boolean {
  if (!bytes.includes(`"${endedProcessField}":`)) return false;
  const line = jsonIn(bytes.toString());
  return isJsonObject(line) && typeof line[endedProcessField] === 'number';
}
