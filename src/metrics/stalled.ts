// Tracks stalled objects from cache changes: only objects with the condition Stalled that no dead letter explains.
import { type Condition, findCondition, isReason, Reason } from '../crds/conditions.ts';
import type { Informer, Key, KubeObject } from '../kube/api.ts';

interface WithConditions extends KubeObject {
  readonly status?:
    | { readonly state?: string; readonly reason?: string; readonly conditions?: Condition[] }
    | undefined;
}

interface StalledGroup {
  /** Namespace of the organization. */
  readonly organization: string;
  readonly kind: string;
  readonly reason: string;
  readonly count: number;
}

export interface StalledObjects {
  groups(): readonly StalledGroup[];
}

type StalledInformer = Pick<Informer<never>, 'kind' | 'onChange'>;

export function createStalledObjects(caches: readonly StalledInformer[]): StalledObjects {
  const stalled = new Map<Key, Omit<StalledGroup, 'count'>>();
  for (const cache of caches) {
    const { kind } = cache.kind;
    cache.onChange((key, _before, object) => {
      const reason = object === undefined ? undefined : stalledReason(object as WithConditions);
      const id = `${kind} ${key}`;
      const organization = key.split('/')[0] ?? '';
      if (reason === undefined) stalled.delete(id);
      else stalled.set(id, { organization, kind, reason });
    });
  }
  return {
    groups() {
      const groups = new Map<string, StalledGroup>();
      for (const one of stalled.values()) {
        const id = `${one.kind} ${one.organization} ${one.reason}`;
        groups.set(id, { ...one, count: (groups.get(id)?.count ?? 0) + 1 });
      }
      return [...groups.values()];
    },
  };
}

/** A failure is counted by its dead letter, and that of a build or deployment by its state. */
const endings = ['BuildFailed', 'DeploymentFailed', 'SettingsMissing', 'DeleteFailed'];

function stalledReason({ status }: WithConditions): string | undefined {
  const condition = findCondition(status?.conditions, 'Stalled');
  if (condition?.status !== 'True' || endings.includes(condition.reason)) return undefined;
  // The status also contains the reason of a failure, but not the cause of a stalled failed resource.
  const isFailure = status?.state === 'failed' && status.reason === condition.reason;
  // A refused change has no dead letter.
  if (isFailure && condition.reason !== Reason.ImmutableField) return undefined;
  return isReason(condition.reason) ? condition.reason : 'other';
}
