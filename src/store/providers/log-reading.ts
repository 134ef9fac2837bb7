// Describes one reading of the logs of a provider: the pods, the lines that the reader wants, and how they are sent.
import { keyOf, type Organization } from '../../domain/identity.ts';
import type { KubeClient, KubeObject } from '../../kube/api.ts';
import { podKind, type StreamingClient } from '../../kube/client.ts';
import type { Timers } from '../../kube/timers.ts';
import { label } from '../kinds.ts';
import { type Position, positionsText } from './log-position.ts';
import type { PodLine } from './pod-lines.ts';

export interface ProviderLogQuery {
  readonly provider: string;
  readonly version?: string | undefined;
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
}

export interface ProviderLogPiece {
  readonly bytes: Uint8Array;
  readonly idOf: (index: number) => string;
}

export interface ProviderLogsDeps {
  readonly client: Pick<KubeClient, 'list'> & Pick<StreamingClient, 'podLogs'>;
  readonly timers?: Timers;
  /** Milliseconds between two looks at the pods. */
  readonly pollMs?: number;
}

export interface Reading {
  readonly organization: Organization;
  readonly query: ProviderLogQuery;
  readonly deps: ProviderLogsDeps;
  readonly signal: AbortSignal;
  /** Advances with every line, also with those that the reader does not want. */
  readonly positions: Map<string, Position>;
  /** Pods whose present lines were read; later ones are read from their beginning. */
  readonly known: Set<string>;
}

const maxPods = 20;

type Place = Pick<Reading, 'organization' | 'query' | 'deps'>;

/** @returns the newest pods */
export async function podsOf({ organization, query, deps }: Place): Promise<readonly KubeObject[]> {
  const { provider, version } = query;
  const ofVersion = version === undefined ? '' : `,${label.version}=${version}`;
  const labelSelector = `${label.managedBy}=fairlead,${label.provider}=${provider},!${label.build}${ofVersion}`;
  const { namespace } = organization;
  const { items } = await deps.client.list<KubeObject>(podKind, { namespace, labelSelector });
  const created = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
  return items.sort((left, right) => (created(left) < created(right) ? 1 : -1)).slice(0, maxPods);
}

type Filter = Pick<ProviderLogQuery, 'resource' | 'event'>;

/** Returns whether the reader wants some lines only: of a resource or an event, those that the SDK wrote for it. */
export function isFiltered({ resource, event }: Filter): boolean {
  return resource !== undefined || event !== undefined;
}

interface Entry {
  readonly resource?: unknown;
  readonly event?: unknown;
}

export function isWanted({ bytes }: PodLine, filter: Filter): boolean {
  if (!isFiltered(filter)) return true;
  try {
    const entry = JSON.parse(bytes.toString()) as Entry | null;
    const { resource, event = entry?.event } = filter;
    return entry?.event === event && (resource === undefined || isOf(entry, resource));
  } catch {
    return false;
  }
}

function isOf(entry: Entry | null, key: string): boolean {
  const [provider = '', resource = '', name = ''] = String(entry?.resource).split('/');
  return keyOf({ provider, resource, name }) === key;
}

/** @param positions advances with the lines, for their ids */
export function* piecesOf(
  lines: readonly PodLine[],
  positions: Map<string, Position>,
): Iterable<ProviderLogPiece> {
  if (lines.length === 0) return;
  const ids: string[] = [];
  for (const { pod, position } of lines) {
    if (position !== undefined) positions.set(pod, position);
    ids.push(positionsText(positions));
  }
  const texts = lines.flatMap(({ pod, bytes }) => [Buffer.from(`${pod} `), bytes]);
  yield { bytes: Buffer.concat(texts), idOf: (index) => ids[index] ?? '' };
}
