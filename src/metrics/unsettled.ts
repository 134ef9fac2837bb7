// Tracks resources under way and since when: follows the cache of Resources and keeps only those, so that a read costs as
// much as there is pending work.
import { findCondition } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import type { Informer } from '../kube/api.ts';
import type { Clock } from '../lib/clock.ts';
import { resourceReason, resourceState } from '../store/resources/state.ts';

interface UnsettledGroup {
  /** Namespace of the organization. */
  readonly organization: string;
  readonly state: string;
  readonly reason: string;
}

interface OldestOfGroup extends UnsettledGroup {
  readonly since: Date;
}

export interface Unsettled {
  /** @returns for each group the start time of its oldest resource under way */
  oldest(): readonly OldestOfGroup[];
}

const underWay: readonly string[] = ['pending', 'processing', 'deleting'];

export function createUnsettled(
  resources: Pick<Informer<Resource>, 'onChange'>,
  clock: Pick<Clock, 'now'>,
): Unsettled {
  const waiting = new Map<string, OldestOfGroup>();
  resources.onChange((key, _before, resource) => {
    const state = resource === undefined ? undefined : resourceState(resource);
    if (resource === undefined || state === undefined || !underWay.includes(state)) {
      waiting.delete(key);
      return;
    }
    waiting.set(key, {
      organization: resource.metadata.namespace ?? '',
      state,
      reason: resourceReason(resource, state),
      since: beganAt(resource) ?? waiting.get(key)?.since ?? clock.now(),
    });
  });
  return {
    oldest() {
      const groups = new Map<string, OldestOfGroup>();
      for (const one of waiting.values()) {
        const name = JSON.stringify([one.organization, one.state, one.reason]);
        const oldest = groups.get(name);
        if (oldest === undefined || one.since < oldest.since) groups.set(name, one);
      }
      return [...groups.values()];
    },
  };
}

/** Survives restarts. Undefined before a reconciler has looked: then the time when this process first saw it counts. */
function beganAt({ metadata, status }: Resource): Date | undefined {
  const { deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return new Date(deletionTimestamp);
  const reconciling = findCondition(status?.conditions, 'Reconciling');
  return reconciling === undefined ? undefined : new Date(reconciling.lastTransitionTime);
}
