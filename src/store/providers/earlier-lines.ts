// Reads what a pod wrote before the last end of one of its processes: the supervisor in it marks each end in the log of the container. Without
// one, it is the log of the container before its last restart.
import { endedProcessField } from '../../domain/process-end/last-lines.ts';
import { hasReason } from '../../kube/errors.ts';
import { isJsonObject, jsonIn } from '../../lib/json.ts';
import { type LogPod, wasRestarted } from './log-pods.ts';
import { linesBeforeFilter, type Reading } from './log-reading.ts';
import { newestWithin, readLines } from './newest-lines.ts';
import type { PodLine } from './pod-lines.ts';

export interface EarlierLines {
  readonly pod: LogPod;
  readonly lines: readonly PodLine[];
}

interface EarlierOptions extends Pick<Reading, 'organization' | 'query' | 'deps' | 'signal'> {
  /** The most bytes, of the last lines. */
  readonly limit: number;
}

/** The lines of a log that was read to its end, if there are such; `unread`: the API server or the node did not give it. */
type Read<T> = T | undefined | 'unread';

/**
 * @returns undefined when no process of the pod has ended, as far as its last lines show, and its container was not restarted; `unread` when
 * the API server or the node of the pod does not answer
 */
export async function earlierLines(
  pod: LogPod,
  options: EarlierOptions,
): Promise<Read<EarlierLines>> {
  const found =
    (await linesBeforeEnd(pod, options)) ??
    (wasRestarted(pod) ? await linesOfPrevious(pod, options) : undefined);
  return typeof found === 'object' ? { pod, lines: found } : found;
}

/** @returns undefined when no line marks the end of a process */
async function linesBeforeEnd(
  pod: LogPod,
  options: EarlierOptions,
): Promise<Read<readonly PodLine[]>> {
  const before = newestWithin(options.limit);
  let after = newestWithin(options.limit);
  let isEnd = false;
  const isRead = await readWhole(pod, { ...options, previous: false }, (line) => {
    after.add(line);
    if (!isEndOfProcess(line)) return;
    isEnd = true;
    for (const each of after.lines) before.add(each);
    after = newestWithin(options.limit);
  });
  if (!isRead) return 'unread';
  return isEnd ? before.lines : undefined;
}

async function linesOfPrevious(
  pod: LogPod,
  options: EarlierOptions,
): Promise<Read<readonly PodLine[]>> {
  const newest = newestWithin(options.limit);
  const isRead = await readWhole(pod, { ...options, previous: true }, newest.add);
  return isRead ? newest.lines : 'unread';
}

/** @returns false when there may be lines that were not read. A container that has no log has none */
async function readWhole(
  { metadata: { name } }: LogPod,
  {
    organization: { namespace },
    query: { since },
    deps: { client },
    signal,
    previous,
  }: EarlierOptions & { readonly previous: boolean },
  take: (line: PodLine) => void,
): Promise<boolean> {
  const sinceTime = since === undefined ? {} : { sinceTime: since.toISOString() };
  const options = { client, signal, after: undefined, previous, tailLines: linesBeforeFilter };
  const problem = await readLines({ name, namespace }, { ...options, ...sinceTime }, take);
  return problem === undefined || hasReason(problem, 'badRequest', 'notFound');
}

function isEndOfProcess({ bytes }: PodLine): boolean {
  if (!bytes.includes(`"${endedProcessField}":`)) return false;
  const line = jsonIn(bytes.toString());
  return isJsonObject(line) && typeof line[endedProcessField] === 'number';
}
