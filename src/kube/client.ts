// The KubeClient over a transport: paths, queries and content types of the Kubernetes API, raw JSON on both sides.
import { inOwnTurn } from '../lib/turns.ts';
import type { KindRef, KubeClient, KubeList, KubeObject, ListOptions, ObjectRef } from './api.ts';
import type { ClusterAccess } from './config.ts';
import { hasReason, KubeError } from './errors.ts';
import { dropManagedFields } from './informer/cache.ts';
import { checkedName, checkedNamespace } from './names.ts';
import {
  createTransport,
  type KubeCall,
  type Transport,
  type TransportOptions,
} from './transport.ts';
import { noteWrite } from './writes.ts';

/** The client methods that watches and logs need. */
export interface StreamingClient extends KubeClient {
  /** Opens a watch; yields chunks of lines. @throws KubeError */
  watch(kind: KindRef, scope: WatchScope, signal: AbortSignal): ReturnType<Transport['stream']>;
  /** POST to a subresource such as `token` of a ServiceAccount. @throws KubeError */
  createUnder<T>(kind: KindRef, ref: ObjectRef, subresource: 'token', body: unknown): Promise<T>;
  /**
   * Opens the log of a container on its own connection. The end is not significant: a followed log may end early.
   * @throws KubeError `badRequest` while the container has not started
   */
  podLogs(
    ref: ObjectRef,
    query: PodLogQuery,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
}

interface WatchScope {
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

export interface PodLogQuery {
  readonly container: string;
  readonly follow?: boolean;
  /** RFC 3339; the API server supports whole seconds. */
  readonly sinceTime?: string;
  /** Each line begins with its time and a space. */
  readonly timestamps?: boolean;
  readonly limitBytes?: number;
  /** Only the last lines. */
  readonly tailLines?: number;
  /** The log of the run before a restart. */
  readonly previous?: boolean;
}

interface ListAnswer<T> {
  readonly items: T[];
  readonly metadata: Pick<KubeList<T>, 'resourceVersion' | 'continue' | 'remainingItemCount'>;
}

export function createKubeClient(
  cluster: ClusterAccess,
  options: TransportOptions = {},
): StreamingClient {
  const transport = createTransport(cluster, options);

  /** @param describe may throw: an illegal name rejects like every other failure */
  async function call<T>(describe: () => KubeCall): Promise<T> {
    const request = describe();
    return await parseAnswer<T>(await transport.request(request), request);
  }

  /** @param describe as of `call` */
  async function write<T>(kind: KindRef, describe: () => KubeCall): Promise<T> {
    const written = await call<T>(describe);
    noteWrite(kind);
    return written;
  }

  return {
    get: (kind, ref, given) =>
      call(() => ({ method: 'GET', path: objectPath(kind, ref), ...given })),
    async list<T extends KubeObject>(kind: KindRef, given: ListOptions = {}) {
      const { namespace, signal, timeoutMs } = given;
      const path = `${collectionPath(kind, namespace)}${query(listQuery(given))}`;
      const request: KubeCall = { method: 'GET', path, signal, timeoutMs };
      const text = await transport.request(request);
      const answer = await parseAnswer<ListAnswer<T>>(text, request);
      const { resourceVersion, continue: next, remainingItemCount } = answer.metadata;
      for (const item of answer.items) dropManagedFields(item);
      return {
        items: answer.items,
        resourceVersion,
        characters: text.length,
        ...(next === undefined || next === '' ? {} : { continue: next }),
        ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
      } satisfies KubeList<T>;
    },
    create: (kind, object, given) =>
      write(kind, () => ({
        method: 'POST',
        path: collectionPath(kind, object.metadata.namespace),
        body: object,
        ...given,
      })),
    replace: (kind, object, given) =>
      write(kind, () => ({
        method: 'PUT',
        path: versionedPath(kind, object),
        body: object,
        ...given,
      })),
    replaceStatus: (kind, object, given) =>
      write(kind, () => ({
        method: 'PUT',
        path: `${versionedPath(kind, object)}/status`,
        body: object,
        ...given,
      })),
    patch: (kind, ref, body, given) =>
      write(kind, () => ({
        method: 'PATCH',
        path: objectPath(kind, ref),
        body,
        contentType: 'application/merge-patch+json',
        ...given,
      })),
    apply: (kind, object, { fieldManager, ...given }) =>
      write(kind, () => ({
        method: 'PATCH',
        path: `${objectPath(kind, object.metadata)}${query({ fieldManager, force: 'true' })}`,
        body: object,
        contentType: 'application/apply-patch+yaml',
        ...given,
      })),
    async delete(kind, ref, given = {}) {
      const { uid, resourceVersion, gracePeriodSeconds, ...rest } = given;
      const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
      try {
        await write(kind, () => ({
          method: 'DELETE',
          path: objectPath(kind, ref),
          body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, gracePeriodSeconds },
          ...rest,
        }));
        return true;
      } catch (thrown) {
        if (hasReason(thrown, 'notFound')) return false;
        throw thrown;
      }
    },
    raw: (path, given) => transport.request({ method: 'GET', path, ...given }),
    async watch(kind, { namespace, query: parameters }, signal) {
      const path = `${collectionPath(kind, namespace)}${query({ ...parameters, watch: 'true' })}`;
      return await transport.stream(path, signal);
    },
    createUnder: (kind, ref, subresource, body) =>
      call(() => ({ method: 'POST', path: `${objectPath(kind, ref)}/${subresource}`, body })),
    async podLogs(ref, { container, ...given }, signal) {
      const asked = query({ container: checkedName(container), ...definedTexts(given) });
      return await transport.stream(`${objectPath(podKind, ref)}/log${asked}`, signal);
    },
    close: () => transport.close(),
  };
}

export const podKind: KindRef = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
};

function definedTexts(given: Readonly<Record<string, unknown>>): Record<string, string> {
  const there = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there.map(([name, value]) => [name, String(value)]));
}

function collectionPath(
  { group, version, plural, namespaced }: KindRef,
  namespace: string | undefined,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (!namespaced || namespace === undefined) return `${root}/${plural}`;
  return `${root}/namespaces/${checkedNamespace(namespace)}/${plural}`;
}

function objectPath(kind: KindRef, { name, namespace }: ObjectRef): string {
  if (kind.namespaced && namespace === undefined) {
    throw new KubeError({ reason: 'badRequest', message: `${kind.kind} requires a namespace` });
  }
  return `${collectionPath(kind, namespace)}/${checkedName(name)}`;
}

/** A write without its base version would overwrite concurrent writes. */
function versionedPath(kind: KindRef, { metadata }: KubeObject): string {
  if (metadata.resourceVersion === undefined || metadata.resourceVersion === '') {
    throw new KubeError({
      reason: 'badRequest',
      message: 'Replacing an object requires metadata.resourceVersion',
    });
  }
  return objectPath(kind, metadata);
}

async function parseAnswer<T>(text: string, { method }: KubeCall): Promise<T> {
  try {
    return await inOwnTurn(text, (json) => JSON.parse(json) as T);
  } catch {
    const outcome = method === 'GET' ? 'refused' : 'unknown';
    const message = 'The API server did not answer with JSON';
    throw new KubeError({ reason: 'malformed', message, outcome });
  }
}

function listQuery({ labelSelector, fieldSelector, limit, continue: next }: ListOptions) {
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(next !== undefined && { continue: next }),
  };
}

function query(parameters: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(parameters).toString();
  return text === '' ? '' : `?${text}`;
}
