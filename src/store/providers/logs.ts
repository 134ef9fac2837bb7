// Opens the logs of the pods of a provider: reads what is there, follows what comes, and selects lines of a resource or an event.
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { KubeObject } from '../../kube/api.ts';
import { KubeError } from '../../kube/errors.ts';
import { type EarlierLines, earlierLines } from './earlier-lines.ts';
import { followedPieces } from './log-followers.ts';
import { containerStart, type LogPod, podsOf } from './log-pods.ts';
import { type Position, readPositions } from './log-position.ts';
import {
  isFiltered,
  isWanted,
  type LogExtent,
  type LogPiece,
  linesBeforeFilter,
  type ProviderLogQuery,
  type ProviderLogsDeps,
  piecesOf,
  type Reading,
} from './log-reading.ts';
import { lineMasking } from './log-secrets.ts';
import { type PodLine, podLines } from './pod-lines.ts';

interface OpenProviderLog {
  /** Called once. The lines have the name of their pod before them. */
  read(signal: AbortSignal): AsyncIterable<LogPiece>;
  /** Complete when the reading of a log that is not followed has ended. */
  extent(): LogExtent;
}

export interface ProviderLogs {
  /** Resolves once the pods are known. @throws FairleadError `no_previous_container` */
  open(organization: Organization, query: ProviderLogQuery): Promise<OpenProviderLog>;
  /** Ends all streams. */
  close(): void;
}

/** The limit of all pods together, before a follower continues. */
const maxBytes = 1_048_576;

export function createProviderLogs(deps: ProviderLogsDeps): ProviderLogs {
  const closing = new AbortController();

  function openLog(
    organization: Organization,
    query: ProviderLogQuery,
    pods: readonly LogPod[],
    earlier?: readonly EarlierLines[],
  ): OpenProviderLog {
    const after = query.after === undefined ? undefined : readPositions(query.after);
    let extent: LogExtent = { pods: pods.length, lines: 0, since: undefined };
    return {
      async *read(given) {
        const signal = AbortSignal.any([given, closing.signal]);
        const positions = new Map<string, Position>(after);
        const shown = query.hidesSecrets
          ? lineMasking(organization, deps)
          : async (lines: readonly PodLine[]) => lines;
        const known = new Set<string>();
        const reading = { organization, query, deps, signal, shown, positions, known };
        extent = yield* presentLines(reading, pods, earlier);
        if (query.follow) yield* followedPieces(reading);
      },
      extent: () => extent,
    };
  }

  return {
    open: async (organization, query) => {
      const pods = await podsOf(deps.client, organization, query);
      if (query.previous !== true) return openLog(organization, query, pods);
      const limit = bytesOfEach(pods);
      const options = { organization, query, deps, signal: closing.signal, limit };
      const found = await Promise.all(pods.map((pod) => earlierLines(pod, options)));
      const earlier = found.filter((each) => each !== undefined);
      if (earlier.length === 0) throw noPreviousContainer(query);
      return openLog(
        organization,
        query,
        earlier.map(({ pod }) => pod),
        earlier,
      );
    },
    close: () => closing.abort(),
  };
}

function noPreviousContainer({ provider, version }: ProviderLogQuery): FairleadError {
  const pods = `provider ${provider}${version === undefined ? '' : `, version ${version},`}`;
  const message = `In no pod of ${pods} has a process ended, or a container been restarted, so there is no earlier log`;
  return new FairleadError('no_previous_container', message);
}

/** Yields what is there now, the oldest line first. @returns what was read for it */
async function* presentLines(
  reading: Reading,
  pods: readonly LogPod[],
  earlier?: readonly EarlierLines[],
): AsyncGenerator<LogPiece, LogExtent, void> {
  const limit = bytesOfEach(pods);
  const ofPods =
    earlier?.map(({ lines }) => lines) ??
    (await Promise.all(pods.map(({ metadata }) => readLastLines(metadata, reading, limit))));
  const { positions, known, shown } = reading;
  const delivered = new Map(positions);
  const sorted = ofPods.flat().sort(byTime);
  const wanted = sorted.filter((line) => isWanted(line, reading.query));
  const { tail, after } = reading.query;
  // A reader that resumes wants every line since.
  const count = after === undefined ? Math.min(tail, wanted.length) : wanted.length;
  for (const { metadata } of pods) known.add(metadata.name);
  for (const { pod, position } of sorted) if (position !== undefined) positions.set(pod, position);
  yield* piecesOf(await shown(wanted.slice(wanted.length - count)), delivered);
  return { pods: pods.length, lines: sorted.length, since: logBeginning(sorted, pods, reading) };
}

function bytesOfEach(pods: readonly LogPod[]): number {
  return Math.floor(maxBytes / Math.max(1, pods.length));
}

function logBeginning(
  lines: readonly PodLine[],
  pods: readonly LogPod[],
  { query: { previous = false } }: Reading,
): string | undefined {
  const oldest = lines.find(({ position }) => position !== undefined)?.position;
  if (oldest !== undefined) return new Date(Number(oldest.time) * 1_000).toISOString();
  const starts = pods.flatMap((pod) => containerStart(pod, previous) ?? []);
  return starts.sort()[0];
}

/** By the latest time so far, so that the lines of one pod keep their order. */
function byTime(left: PodLine, right: PodLine): number {
  const [before = '', after = ''] = [left.position?.time, right.position?.time];
  return before === after ? 0 : before < after ? -1 : 1;
}

async function readLastLines(
  { name }: KubeObject['metadata'],
  { organization: { namespace }, query, deps: { client }, signal, positions }: Reading,
  limit: number,
): Promise<readonly PodLine[]> {
  const { tail, since } = query;
  const tailLines = isFiltered(query) ? linesBeforeFilter : tail;
  const sinceTime = since === undefined ? {} : { sinceTime: since.toISOString() };
  const after = positions.get(name);
  const options = { client, signal, after, tailLines, ...sinceTime };
  const lines: PodLine[] = [];
  let bytes = 0;
  try {
    for await (const line of podLines({ name, namespace }, options)) {
      lines.push(line);
      bytes += line.bytes.length;
      while (bytes > limit && lines.length > 1) bytes -= lines.shift()?.bytes.length ?? 0;
    }
  } catch (thrown) {
    // It has not started, is gone, or its node does not answer: the other pods have their lines all the same.
    if (!(thrown instanceof KubeError)) throw thrown;
  }
  return lines;
}
