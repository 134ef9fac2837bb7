// Opens the logs of the pods of a provider: reads what is there, follows what comes, and selects lines of a resource or an event.
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { KubeObject } from '../../kube/api.ts';
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
import { newestWithin, readLines } from './newest-lines.ts';
import type { PodLine } from './pod-lines.ts';

interface OpenProviderLog {
  /** Called once. The lines have the name of their pod before them. */
  read(signal: AbortSignal): AsyncIterable<LogPiece>;
  /** Complete when the reading of a log that is not followed has ended. */
  extent(): LogExtent;
}

export interface ProviderLogs {
  /**
   * Resolves once the pods are known, and what is earlier is read.
   * @param signal aborted when nobody waits for it
   * @throws FairleadError `no_previous_container`, and `unavailable` when a pod whose log cannot be read now may have an earlier one
   */
  open(
    organization: Organization,
    query: ProviderLogQuery,
    signal: AbortSignal,
  ): Promise<OpenProviderLog>;
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
    open: async (organization, query, given) => {
      const pods = await podsOf(deps.client, organization, query);
      if (query.previous !== true) return openLog(organization, query, pods);
      const limit = bytesOfEach(pods);
      const signal = AbortSignal.any([given, closing.signal]);
      const options = { organization, query, deps, signal, limit };
      const found = await Promise.all(pods.map((pod) => earlierLines(pod, options)));
      const earlier = found.filter((each) => typeof each === 'object');
      if (earlier.length === 0) throw noEarlierLines(query, found.includes('unread'));
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

const unreadSeconds = 5;

function noEarlierLines({ provider, version }: ProviderLogQuery, isUnread: boolean): FairleadError {
  const pods = `provider ${provider}${version === undefined ? '' : `, version ${version},`}`;
  if (isUnread) {
    const message = `The log of a pod of ${pods} cannot be read: its node or the API server does not answer; try again`;
    return new FairleadError('unavailable', message, { retryAfter: unreadSeconds });
  }
  const message = `In no pod of ${pods} has a process ended, as far as its last ${linesBeforeFilter} lines show, or a container been restarted, so there is no earlier log`;
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
  const newest = newestWithin(limit);
  // It may not have started, be gone, or have a node that does not answer: the other pods have their lines all the same.
  await readLines({ name, namespace }, options, newest.add);
  return newest.lines;
}
