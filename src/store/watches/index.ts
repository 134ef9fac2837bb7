// Watches of resources for the HTTP API: streams of changes, and waits for the end of what is under way.
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization, ResourceAddress } from '../../domain/identity.ts';
import type { Informer, KubeClient } from '../../kube/api.ts';
import { keyFor } from '../../kube/api.ts';
import { createKeyedSemaphore } from '../keyed-semaphore.ts';
import { pagesAtATime } from '../resources/lists/list.ts';
import type { ResourceChanges } from './changes.ts';
import type { Selection } from './selection.ts';
import { type Settled, type SettleOptions, settle } from './settle.ts';
import { type Watch, watchResources } from './watch.ts';

export type { Selection } from './selection.ts';
export type { Settled } from './settle.ts';
export type { ResourceEvent, Watch } from './watch.ts';

export interface ResourceWatches {
  /**
   * Follows resources until the signal is aborted or the process stops.
   * @param options `since`: the position after which the reader goes on; it is reset when that is impossible
   * @throws FairleadError `resource_not_found` when the only selected resource does not exist, `unavailable` at
   *   the end of the process; KubeError
   */
  open(
    organization: Organization,
    options: { selection: Selection; since: string | undefined; signal: AbortSignal },
  ): Promise<Watch>;
  /**
   * Waits until nothing is under way for a resource, until the time is up or the process stops.
   * @throws KubeError
   */
  settle(
    organization: Organization,
    address: ResourceAddress,
    options: SettleOptions,
  ): Promise<Settled>;
  /** Ends all watches and waits, and refuses new watches. */
  close(): void;
}

interface WatchesDeps {
  readonly client: KubeClient;
  readonly cache: Informer<Resource>;
  readonly changes: ResourceChanges;
  /** The memory for the changes that one reader has not received; default 1 MiB. */
  readonly pendingBytes?: number;
}

export function createResourceWatches(given: WatchesDeps): ResourceWatches {
  const { cache } = given;
  const closing = new AbortController();
  const deps = {
    ...given,
    known: (ref: { namespace: string; name: string }) => cache.get(keyFor(ref)),
    pageReads: createKeyedSemaphore(pagesAtATime),
  };
  return {
    open: async (organization, { signal, ...options }) => {
      if (closing.signal.aborted) throw stopping();
      const either = AbortSignal.any([signal, closing.signal]);
      return await watchResources(deps, organization, { ...options, signal: either });
    },
    settle: (organization, address, { signal, ...options }) => {
      const either = AbortSignal.any([signal, closing.signal]);
      return settle(deps, organization, { address, ...options, signal: either });
    },
    close: () => closing.abort(),
  };
}

function stopping(): FairleadError {
  const message = 'This replica is stopping; connect again';
  return new FairleadError('unavailable', message, { retryAfter: 1 });
}
