// The summary of a set, as a ConfigMap: what nobody can read from its members, and the lock of the request that writes it.
import { createHash } from 'node:crypto';
import type { Organization } from '../../domain/identity.ts';
import { type PrunePolicy, prunePolicies } from '../../domain/sets/prune.ts';
import type { KubeClient, KubeObject } from '../../kube/api.ts';
import { hasReason, mustLookAgain } from '../../kube/errors.ts';
import { isJsonObject, type JsonObject, jsonIn, textItems } from '../../lib/json.ts';
import { configMapKind, label } from '../kinds.ts';
import { pagesOf } from '../pages.ts';
import { read } from '../put.ts';

/** A set is a name in a project. */
export interface SetId {
  readonly projectId: string;
  readonly name: string;
}

export interface SetSummary extends SetId {
  readonly prune: PrunePolicy;
  /** False from before the first write of a request until after its last one. */
  readonly isComplete: boolean;
  readonly at: string;
  readonly by: string | undefined;
  readonly byName: string | undefined;
  /** Digest of the plan of the last request that changed something. */
  readonly digest: string;
  /** The resources that it named: `provider/resource/name`. Members beside them are unlisted. */
  readonly listed: readonly string[];
  /** Id of the request that writes the set. */
  readonly holder: string | undefined;
  /** Raised while it does: each makes another resourceVersion. */
  readonly renewals: number;
}

export interface SetObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** A stored summary. */
export interface FoundSet {
  readonly object: SetObject;
  /** Undefined for an object that is none. */
  readonly summary: SetSummary | undefined;
}

const key = 'summary';

export function summaryRef(namespace: string, { projectId, name }: SetId) {
  const hash = createHash('sha256').update(`${projectId}\n${name}`).digest('hex').slice(0, 32);
  return { namespace, name: `set-${hash}` };
}

/** @param before the object that it replaces, in the version that was read */
export function summaryObject(
  namespace: string,
  summary: SetSummary,
  before: SetObject | undefined,
): SetObject {
  const metadata = before?.metadata ?? summaryRef(namespace, summary);
  const own = { [label.set]: 'true', [label.managedBy]: 'fairlead' };
  const labels = { ...before?.metadata.labels, ...own };
  return {
    apiVersion: 'v1',
    kind: configMapKind.kind,
    metadata: { ...metadata, labels },
    data: { [key]: JSON.stringify(summary) },
  };
}

/** Returns whether both are stored alike, or neither is stored. */
export function hasSameSummary(one: SetObject | undefined, other: SetObject | undefined): boolean {
  return one?.data?.[key] === other?.data?.[key];
}

export async function findSummary(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
  id: SetId,
): Promise<FoundSet | undefined> {
  const object = await read<SetObject>(client, configMapKind, summaryRef(namespace, id));
  return object && foundSet(object);
}

/** @returns the summaries of sets, also of those without members */
export async function* summariesIn(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
): AsyncIterable<SetSummary & Pick<FoundSet, 'object'>> {
  const where = { namespace, labelSelector: `${label.set}=true` };
  for await (const each of pagesOf<SetObject>(client, configMapKind, where)) {
    const { object, summary } = foundSet(each);
    if (summary !== undefined) yield { ...summary, object };
  }
}

/** Deletes the summaries of the sets of a project. Its members are gone. */
export async function removeSummaries(
  client: KubeClient,
  { namespace }: Pick<Organization, 'namespace'>,
  projectId: string,
): Promise<void> {
  for await (const { object, ...summary } of summariesIn(client, namespace)) {
    if (summary.projectId === projectId) await removeSummary(client, object);
  }
}

/** @returns false when it must be read again */
export async function removeSummary(client: KubeClient, { metadata }: SetObject): Promise<boolean> {
  const { name, namespace, uid = '', resourceVersion = '' } = metadata;
  try {
    await client.delete(configMapKind, { name, namespace }, { uid, resourceVersion });
    return true;
  } catch (thrown) {
    if (hasReason(thrown, 'notFound')) return true;
    if (mustLookAgain(thrown)) return false;
    throw thrown;
  }
}

export function foundSet(object: SetObject): FoundSet {
  const { namespace = '', name } = object.metadata;
  const summary = summaryIn(jsonIn(object.data?.[key] ?? ''));
  // Its name is its identity: somebody may have copied the object.
  const isOwn = summary !== undefined && summaryRef(namespace, summary).name === name;
  return { object, summary: isOwn ? summary : undefined };
}

/** Anybody with rights in the namespace may have written it. */
function summaryIn(value: unknown): SetSummary | undefined {
  if (!isJsonObject(value)) return undefined;
  const { projectId, name, prune, at, digest } = value;
  const policy = prunePolicies.find((each) => each === prune);
  const isKnown = typeof projectId === 'string' && typeof name === 'string' && policy !== undefined;
  if (!isKnown || typeof at !== 'string' || typeof digest !== 'string') return undefined;
  return {
    ...{ projectId, name, prune: policy, at, digest },
    isComplete: value['isComplete'] === true,
    by: summaryText(value, 'by'),
    byName: summaryText(value, 'byName'),
    listed: textItems(value['listed']),
    holder: summaryText(value, 'holder'),
    renewals: typeof value['renewals'] === 'number' ? value['renewals'] : 0,
  };
}

function summaryText(value: JsonObject, name: string): string | undefined {
  const found = value[name];
  return typeof found === 'string' ? found : undefined;
}
