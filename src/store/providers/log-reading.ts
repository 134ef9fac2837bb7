// Describes one reading of the logs of a provider: the pods, the lines that the reader wants, and how they are sent.
import { keyOf, type Organization } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import type { StreamingClient } from '../../kube/client.ts';
import type { Timers } from '../../kube/timers.ts';
import type { PodFilter } from './log-pods.ts';
import { type Position, positionsText } from './log-position.ts';
import type { LogSecretsDeps } from './log-secrets.ts';
import type { PodLine } from './pod-lines.ts';

export interface ProviderLogQuery extends PodFilter {
  /** Reads what a pod wrote before the last end of one of its processes, or else before its last restart. */
  readonly previous?: boolean;
  /** Key of a resource: only lines that the SDK wrote for it. */
  readonly resource?: string | undefined;
  /** Id of an event: only lines that the SDK wrote for it. */
  readonly event?: string | undefined;
  /** Number of last lines. */
  readonly tail: number;
  readonly since?: Date | undefined;
  readonly follow: boolean;
  /** The id of the last line that the reader received. */
  readonly after?: string | undefined;
  /** Hides secrets of resources in the lines that name them. */
  readonly hidesSecrets?: boolean;
}

/** Whole lines of a log. */
export interface LogPiece {
  readonly bytes: Uint8Array;
  /** @returns the id of a line of the piece, after which a client can resume */
  readonly idOf: (index: number) => string;
}

/** The amount of logs that was read, before the filter. */
export interface LogExtent {
  readonly pods: number;
  readonly lines: number;
  /** Time of the oldest line; without lines, of the oldest start of a container. */
  readonly since: string | undefined;
}

export interface ProviderLogsDeps extends LogSecretsDeps {
  readonly client: Pick<KubeClient, 'list'> & Pick<StreamingClient, 'podLogs'>;
  readonly timers?: Timers;
  /** Milliseconds between two reads of the pods. */
  readonly pollMs?: number;
}

export interface Reading {
  readonly organization: Organization;
  readonly query: ProviderLogQuery;
  readonly deps: ProviderLogsDeps;
  readonly signal: AbortSignal;
  /** @returns the lines as the reader sees them */
  readonly shown: (lines: readonly PodLine[]) => Promise<readonly PodLine[]>;
  /** Advances with every line, also with those that the reader does not want. */
  readonly positions: Map<string, Position>;
  /** Pods whose present lines were read; later ones are read from their beginning. */
  readonly known: Set<string>;
}

/** The filter applies to what was read, and ends of processes are looked for in it. */
export const linesBeforeFilter = 10_000;

type LogFilter = Pick<ProviderLogQuery, 'resource' | 'event'>;

/** Returns whether the reader wants some lines only: of a resource or an event, those that the SDK wrote for it. */
export function isFiltered({ resource, event }: LogFilter): boolean {
  return resource !== undefined || event !== undefined;
}

interface LogEntryIds {
  readonly resource?: unknown;
  readonly event?: unknown;
}

export function isWanted({ bytes }: PodLine, filter: LogFilter): boolean {
  if (!isFiltered(filter)) return true;
  try {
    const entry = JSON.parse(bytes.toString()) as LogEntryIds | null;
    const { resource, event = entry?.event } = filter;
    return entry?.event === event && (resource === undefined || isOfResource(entry, resource));
  } catch {
    return false;
  }
}

function isOfResource(entry: LogEntryIds | null, key: string): boolean {
  const [provider = '', resource = '', name = ''] = String(entry?.resource).split('/');
  return keyOf({ provider, resource, name }) === key;
}

/** @param positions advances with the lines, for their ids */
export function* piecesOf(
  lines: readonly PodLine[],
  positions: Map<string, Position>,
): Iterable<LogPiece> {
  if (lines.length === 0) return;
  const ids: string[] = [];
  for (const { pod, position } of lines) {
    if (position !== undefined) positions.set(pod, position);
    ids.push(positionsText(positions));
  }
  const texts = lines.flatMap(({ pod, bytes }) => [Buffer.from(`${pod} `), bytes]);
  yield { bytes: Buffer.concat(texts), idOf: (index) => ids[index] ?? '' };
}
