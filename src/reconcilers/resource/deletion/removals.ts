// Protected resources that disappear although nothing of Fairlead removed them: somebody took their finalizer away. Their
// objects stay, so an orphan receipt records it. A removal while no controller runs is not seen.
import { LRUCache } from 'lru-cache';
import type { Resource } from '../../../crds/resource.ts';
import { type Key, keyFor } from '../../../kube/api.ts';
import type { ReceiptStore } from '../../../store/dead-letters/orphan-receipts.ts';
import { isProtected } from '../../../store/resources/options.ts';
import { receiptOf } from '../failures/failure-record.ts';
import { type ObserveDeps, observe } from '../observe.ts';

export interface Removals {
  /** Called with every change in the cache of resources. */
  changed(before: Resource | undefined, after: Resource | undefined): void;
  /** Called before the finalizer is removed: the object ends as it should. */
  released(resource: Pick<Resource, 'metadata'>): void;
  find(key: Key): Resource | undefined;
  drop(key: Key): void;
}

const maxReleased = 4_096;

export function createRemovals(): Removals {
  const removed = new Map<Key, Resource>();
  const released = new LRUCache<string, true>({ max: maxReleased });
  return {
    changed(before, after) {
      if (before === undefined || after !== undefined) return;
      const { uid = '' } = before.metadata;
      const isKnown = before.status?.event !== undefined && isProtected(before.spec);
      if (isKnown && !released.has(uid)) removed.set(keyFor(before.metadata), before);
    },
    released: ({ metadata: { uid = '' } }) => void released.set(uid, true),
    find: (key) => removed.get(key),
    drop: (key) => void removed.delete(key),
  };
}

interface DeletionRemovalDeps extends ObserveDeps {
  readonly removals: Removals;
  readonly receipts: Pick<ReceiptStore, 'write'>;
  readonly clock: { now(): Date };
}

/** Writes the receipt of a removed resource, if one is due. Repeated after a failure: it is named after the object. */
export async function recordRemoval(key: Key, deps: DeletionRemovalDeps): Promise<void> {
  const removed = deps.removals.find(key);
  if (removed === undefined) return;
  const { namespace = '' } = removed.metadata;
  const observed = await observe(key, { ...deps, resources: { get: () => removed } });
  if (observed !== undefined) {
    const isGone = deps.namespaces.get(namespace) === undefined;
    const terminating = observed.terminating || isGone;
    const reason = terminating ? 'NamespaceDeleted' : 'FinalizerRemoved';
    const facts = { reason, now: deps.clock.now() } as const;
    await deps.receipts.write(await receiptOf({ ...observed, terminating }, facts));
  }
  deps.removals.drop(key);
}
