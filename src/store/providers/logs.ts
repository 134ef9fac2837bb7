import type { Organization } from '../../domain/identity.ts';
import type { KubeObject } from '../../kube/api.ts';
import { KubeError } from '../../kube/errors.ts';
import { translated } from '../errors.ts';
import { followed } from './log-followers.ts';
import { type Position, readPositions } from './log-position.ts';
import {
  isFiltered,
  isWanted,
  type ProviderLogPiece,
  type ProviderLogQuery,
  type ProviderLogsDeps,
  piecesOf,
  podsOf,
  type Reading,
} from './log-reading.ts';
import { type PodLine, podLines } from './pod-lines.ts';

export interface ProviderLogs {
  /** Resolves once the pods are known; the lines have the name of their pod before them. */
  open(
    organization: Organization,
    query: ProviderLogQuery,
  ): Promise<(signal: AbortSignal) => AsyncIterable<ProviderLogPiece>>;
  /** Ends all streams. */
  close(): void;
}

/** Of all pods together, before a follower continues. */
const maxBytes = 1_048_576;
/** The filter applies to what was read. */
const linesBeforeFilter = 10_000;

export function createProviderLogs(deps: ProviderLogsDeps): ProviderLogs {
  const closing = new AbortController();

  async function* read(reading: Reading): AsyncGenerator<ProviderLogPiece, void, void> {
    yield* present(reading);
    if (reading.query.follow) yield* followed(reading);
  }

  return {
    open: (organization, query) =>
      translated(async () => {
        await podsOf({ organization, query, deps });
        const after = query.after === undefined ? undefined : readPositions(query.after);
        return (given) => {
          const signal = AbortSignal.any([given, closing.signal]);
          const positions = new Map<string, Position>(after);
          return read({ organization, query, deps, signal, positions, known: new Set() });
        };
      }),
    close: () => closing.abort(),
  };
}

/** What is there now, the oldest line first. */
async function* present(reading: Reading): AsyncGenerator<ProviderLogPiece, void, void> {
  const pods = await podsOf(reading);
  const limit = Math.floor(maxBytes / Math.max(1, pods.length));
  const ofPods = await Promise.all(pods.map(({ metadata }) => lastLines(metadata, reading, limit)));
  const { positions, known } = reading;
  const delivered = new Map(positions);
  const sorted = ofPods.flat().sort(byTime);
  const wanted = sorted.filter((line) => isWanted(line, reading.query));
  const { tail, after } = reading.query;
  // A reader that resumes wants every line since.
  const count = after === undefined ? Math.min(tail, wanted.length) : wanted.length;
  for (const { metadata } of pods) known.add(metadata.name);
  for (const { pod, position } of sorted) if (position !== undefined) positions.set(pod, position);
  yield* piecesOf(wanted.slice(wanted.length - count), delivered);
}

/** By the latest time so far, so that the lines of one pod keep their order. */
function byTime(left: PodLine, right: PodLine): number {
  const [before = '', after = ''] = [left.position?.time, right.position?.time];
  return before === after ? 0 : before < after ? -1 : 1;
}

async function lastLines(
  { name }: KubeObject['metadata'],
  { organization: { namespace }, query, deps: { client }, signal, positions }: Reading,
  limit: number,
): Promise<readonly PodLine[]> {
  const { tail, since } = query;
  const tailLines = isFiltered(query) ? linesBeforeFilter : tail;
  const sinceTime = since === undefined ? {} : { sinceTime: since.toISOString() };
  const options = { client, signal, after: positions.get(name), tailLines, ...sinceTime };
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
