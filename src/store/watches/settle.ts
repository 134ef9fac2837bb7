// Waits until nothing is under way for a resource: it is ready, failed, a draft, or gone.
import type { Resource } from '../../crds/resource.ts';
import { type Organization, objectNameOf, type ResourceAddress } from '../../domain/identity.ts';
import { type KubeClient, keyFor } from '../../kube/api.ts';
import { isNewer } from '../../kube/informer/cache.ts';
import { annotation } from '../kinds.ts';
import type { ProjectScope, ResourceRecord } from '../records.ts';
import { find, isInScope } from '../resources/lookup.ts';
import { hasDeletionFailed, resourceRecord, resourceState } from '../resources/state.ts';
import type { CachedChange, ResourceChanges } from './changes.ts';

export interface SettleOptions {
  readonly scope: ProjectScope;
  /**
   * `excluded`: the beginning of a deletion ends the wait. `included`: its end does. `required`: a resource that is not in
   * deletion counts as gone.
   */
  readonly deletion: 'excluded' | 'included' | 'required';
  /** `observed`: the wait ends with the observation that was requested last. Default: when nothing is under way. */
  readonly until?: 'observed' | undefined;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** `gone` also for a resource of another project. */
export type Settled =
  | { readonly state: 'settled' | 'under way' | 'deleting'; readonly record: ResourceRecord }
  | { readonly state: 'gone' };

/** @throws KubeError */
export async function settle(
  { client, changes }: { client: KubeClient; changes: ResourceChanges },
  organization: Organization,
  { address, ...options }: SettleOptions & { readonly address: ResourceAddress },
): Promise<Settled> {
  const { signal, waitMs } = options;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let newest: CachedChange | undefined;
  let known: Resource | undefined;
  let isRead = false;
  const verdict = () => verdictOn(known, options);

  function take({ after, found }: Pick<CachedChange, 'after' | 'found'>): void {
    const version = after?.metadata.resourceVersion ?? found.version;
    if (isNewer(version, known?.metadata.resourceVersion)) known = after;
    if (verdict().state !== 'under way') end();
  }

  const { namespace } = organization;
  const key = keyFor({ namespace, name: objectNameOf(address.key) });
  const unsubscribe = changes.subscribe(namespace, (change) => {
    if (change.key !== key) return;
    newest = change;
    if (isRead && known !== undefined) take(change);
  });
  const timer = setTimeout(end, waitMs);
  const stop = () => end();
  signal.addEventListener('abort', stop, { once: true });
  try {
    // Contains every acknowledged write, unlike the cache.
    known = await find(client, organization, address);
    isRead = true;
    if (known !== undefined && newest !== undefined) take(newest);
    if (verdict().state === 'under way' && !signal.aborted) await over;
    return verdict();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    unsubscribe();
  }
}

function verdictOn(
  resource: Resource | undefined,
  { scope, deletion, until }: Pick<SettleOptions, 'scope' | 'deletion' | 'until'>,
): Settled {
  if (resource === undefined || !isInScope(resource, scope)) return { state: 'gone' };
  const record = resourceRecord(resource);
  const isInDeletion = resourceState(resource) === 'deleting';
  if (deletion === 'required' && !isInDeletion) return { state: 'gone' };
  if (deletion === 'excluded' && isInDeletion) return { state: 'deleting', record };
  const isOver = until === 'observed' ? isObserved(resource) : isSettled(resource);
  return { state: isOver ? 'settled' : 'under way', record };
}

/** A later request than one's own may have taken its place: its observation began later, too. */
function isObserved({ metadata, status }: Resource): boolean {
  return status?.observation?.request === metadata.annotations?.[annotation.observe];
}

/** @returns whether no event is under way, and none follows without a new request */
function isSettled(resource: Resource): boolean {
  const state = resourceState(resource);
  if (state !== 'deleting') return state !== 'pending' && state !== 'processing';
  return hasDeletionFailed(resource);
}
