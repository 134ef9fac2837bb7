// The types of the Kubernetes layer: kinds, objects, client, informers, outcomes. They do not depend on the product.
import type { Clock } from '../lib/clock.ts';

/** The API path of a kind. `group` is empty for the core group. */
export interface KindRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export const eventKind: KindRef = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

export interface KubeList<T> {
  items: T[];
  resourceVersion: string;
  /** Token of the next page; absent on the last. */
  continue?: string;
  /** Number of objects after this page; absent on the last page and with a selector. */
  remainingItemCount?: number;
  /** Length of the JSON response. */
  characters: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole request; default 10 s. */
  readonly timeoutMs?: number;
  /** `metadata`: the API server answers with the metadata of the object alone, such as for a Secret that must not come back. */
  readonly answer?: 'object' | 'metadata';
}

export interface ListOptions extends RequestOptions {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
}

export interface DeleteOptions extends RequestOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** For pods: 0 removes the object at once; only safe when nothing of it runs any more. */
  readonly gracePeriodSeconds?: number;
}

/** The address of one object. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/**
 * Raw JSON in and out; every name and namespace is checked before it becomes part of a URL. Every method throws KubeError.
 * The client never repeats writes: a write with an unknown outcome has `KubeError.outcome === 'unknown'`, and the caller
 * decides what to do.
 */
export interface KubeClient {
  get<T extends KubeObject>(kind: KindRef, ref: ObjectRef, options?: RequestOptions): Promise<T>;
  list<T extends KubeObject>(kind: KindRef, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject>(kind: KindRef, object: T, options?: RequestOptions): Promise<T>;
  /** PUT; rejected by the client when `metadata.resourceVersion` is missing. */
  replace<T extends KubeObject>(kind: KindRef, object: T, options?: RequestOptions): Promise<T>;
  /** PUT of the status subresource; needs name, namespace and resourceVersion in metadata, and `status`. */
  replaceStatus<T extends KubeObject>(
    kind: KindRef,
    object: KubeObject & { status: unknown },
    options?: RequestOptions,
  ): Promise<T>;
  /** JSON merge patch (`application/merge-patch+json`). */
  patch<T extends KubeObject>(
    kind: KindRef,
    ref: ObjectRef,
    patch: unknown,
    options?: RequestOptions,
  ): Promise<T>;
  /** Server-side apply (`application/apply-patch+yaml`, JSON body, force). */
  apply<T extends KubeObject>(
    kind: KindRef,
    object: KubeObject,
    options: RequestOptions & { fieldManager: string },
  ): Promise<T>;
  /** A 404 is not an error: the object is gone either way. @returns whether it existed. */
  delete(kind: KindRef, ref: ObjectRef, options?: DeleteOptions): Promise<boolean>;
  /** GET of a raw path such as `/readyz` or `/version`. @returns the body as text. */
  raw(path: string, options?: RequestOptions): Promise<string>;
  close(): Promise<void>;
}

/** `namespace/name`, or `name` for cluster-scoped objects. */
export type Key = string;

export function keyFor({ namespace, name }: ObjectRef): Key {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function refOf(key: Key): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** How an informer found a change. */
export interface FoundVersion {
  /** The resourceVersion of the change; for one that a list found, that of the list, which is not older. */
  readonly version: string;
  /** Changes of a watch come in the order of their versions; those of a list in no order. */
  readonly by: 'watch' | 'list';
}

/**
 * Receives one change of one object. `before` is the state that handlers received last, `after` the newest cached one;
 * undefined when there is none. An addition has no `before`, a removal no `after`; an object that was removed and created
 * again is a removal and then an addition. `found` is absent for what was cached before the handler was registered.
 */
export type ChangeHandler<T> = (
  key: Key,
  before: T | undefined,
  after: T | undefined,
  found?: FoundVersion | undefined,
) => void;

/** A cache of one kind, of the cluster or of one namespace, kept current by list and watch. Cached objects must not be mutated. */
export interface Informer<T extends KubeObject> {
  readonly kind: KindRef;
  get(key: Key): T | undefined;
  /** All cached objects of a namespace, or of the cluster; a live iteration, not a copy. */
  items(namespace?: string): Iterable<T>;
  /** The number of cached objects in a namespace. */
  count(namespace: string): number;
  readonly size: number;
  /**
   * Registers a handler for every added, changed or removed object. A handler that throws is logged and called again for
   * that key after a backoff; it never stops the informer. A late handler receives every cached object once, as an addition.
   * @returns a function that removes the handler
   */
  onChange(handler: ChangeHandler<T>): () => void;
  /** Starts list and watch; resolves after the first complete list. */
  start(): Promise<void>;
  /** True after the first complete list. */
  readonly synced: boolean;
  /**
   * Every change up to this resourceVersion is in the cache, and handlers have received it; unchanged while a list is
   * read, empty before the first list.
   */
  readonly version: string;
  /** Milliseconds since the last data from the API server (a list, an event or a bookmark). */
  readonly silentMs: number;
  /** True from a failure of a list or of a watch until a watch is open again: the cache may be behind for longer. */
  readonly interrupted: boolean;
  /** How often since the start a list or a watch failed and was restarted after a pause. */
  readonly interruptions: number;
  /**
   * Stores the response of one's own write in the cache, when an older version is cached, so that the next read is not older
   * than that write. Handlers are not called.
   */
  remember(object: T): void;
  /** Resolves when the cache holds this resourceVersion or a newer state of the object. @throws after `timeoutMs`. */
  reached(key: Key, resourceVersion: string, timeoutMs: number): Promise<void>;
  /**
   * Resolves when `version` is this resourceVersion or a newer one. The event of a change of this kind comes soon; any other one
   * may take until the next bookmark. @throws after `timeoutMs`.
   */
  caughtUp(resourceVersion: string, timeoutMs: number): Promise<void>;
  /**
   * Returns whether the cache and the removals that handlers received tell everything that changed after a resourceVersion; false
   * for one between the end of a watch and the list that followed.
   */
  knows(resourceVersion: string): boolean;
  /**
   * Resolves when the cache has every change that the API server had acknowledged before the call, and handlers have received
   * them. Before an effect that no resourceVersion protects. @throws KubeError, `timeout` after `timeoutMs`
   */
  refresh(timeoutMs: number): Promise<void>;
  /** Resolves after the first complete list, the first failure or the stop. @throws after `timeoutMs` */
  attempted(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The outcome of one pass over a key. `again` is for a pass that wrote something: after any other one it waits longer and longer, as
 * after a failure. A throw means a transient failure: back off and retry.
 */
export type Outcome =
  | { readonly kind: 'settled' }
  | { readonly kind: 'again' }
  | { readonly kind: 'waitUntil'; readonly at: Date };

export const settled: Outcome = { kind: 'settled' };
export const again: Outcome = { kind: 'again' };
export function waitUntil(at: Date): Outcome {
  return { kind: 'waitUntil', at };
}

const lookAgainMs = 1_000;

/** For a pass that wrote nothing since its view is old: the watch brings what changed, and a watch that is behind is not hurried. */
export function lookAgain(clock: Pick<Clock, 'now'>): Outcome {
  return waitUntil(new Date(clock.now().getTime() + lookAgainMs));
}

/** The cause of repeated equal failures of a key, in one word. */
export type StallReason =
  | 'QuotaExceeded'
  | 'NamespaceTerminating'
  | 'Forbidden'
  | 'Invalid'
  | 'ReconcileFailed';

export interface Stall {
  readonly reason: StallReason;
  /** For people: no stack, no values of an object. */
  readonly message: string;
  /** Number of equal failures in a row. */
  readonly failures: number;
}

export interface Reconciler {
  readonly name: string;
  /** @param signal aborted when this process stops or loses its lease */
  reconcile(key: Key, signal: AbortSignal): Promise<Outcome>;
  /**
   * Records on the object that it is stalled. Called after each failure from the fifth equal one on, so it must not write
   * when the object already has the record. The next successful pass removes it.
   */
  stalled?(key: Key, stall: Stall): Promise<void>;
  readonly background?: Background;
}

/** Work of a reconciler that goes on after its passes. */
export interface Background {
  /** @returns how much is under way */
  size(): number;
  /**
   * Called when this process stops. Resolves when what was under way has ended and is recorded.
   * @param signal aborted when it may go on no longer
   */
  finish(signal: AbortSignal): Promise<void>;
}

/** An RBAC rule, declared beside the code that needs it and generated into chart and manifests. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/**
 * @param group `''` for the core group
 * @param names of the objects; all when absent
 * @example allow(['list', 'watch'], 'apps', ['deployments'])
 */
export function allow(
  verbs: readonly string[],
  group: string,
  resources: readonly string[],
  names?: readonly string[],
): PolicyRule {
  return { apiGroups: [group], resources, verbs, ...(names && { resourceNames: names }) };
}

/** Rules by scope: in every namespace, in those of tenants, or in the one of the program itself. */
export interface ScopedRules {
  readonly cluster?: readonly PolicyRule[];
  readonly tenant?: readonly PolicyRule[];
  readonly system?: readonly PolicyRule[];
}
