// Which guards of a namespace are missing, as the caches know it: asked before anything is made that runs a tenant's code.
import type { Organization } from '../../crds/organization.ts';
import { canonicalJson, type JsonValue } from '../../domain/json.ts';
import { type Informer, type KubeObject, keyFor } from '../../kube/api.ts';
import type { Guard, GuardKind, GuardObject } from './guard-kinds.ts';
import { guardsOf, hasLabels, isWhole, type TenancySettings } from './guards.ts';

/** A cache of each kind, of objects that carry our label. */
export type GuardCaches = Readonly<Record<GuardKind, Informer<GuardObject>>>;

export interface GuardWatch {
  /** Those that are missing or not as they must be, in the order in which they are made. */
  missing(organization: Organization): readonly Guard[];
  /** Why no workload may be made in a namespace now; undefined when it may. */
  problem(namespace: string): string | undefined;
}

interface GuardWatchDeps {
  readonly guards: { readonly [kind in GuardKind]: Pick<Informer<GuardObject>, 'get'> };
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly namespaces: Pick<Informer<KubeObject>, 'get'>;
}

export function createGuardWatch(deps: GuardWatchDeps, settings: TenancySettings): GuardWatch {
  function missing(organization: Organization): readonly Guard[] {
    const { name: namespace } = organization.metadata;
    return guardsOf(organization, settings).filter((guard) => {
      const found = deps.guards[guard.of].get(keyFor({ namespace, name: guard.name }));
      return !isWhole(guard, found);
    });
  }

  return {
    missing,
    problem(namespace) {
      const organization = deps.organizations.get(namespace);
      if (organization === undefined) return 'The namespace belongs to no organization';
      if (!hasLabels(deps.namespaces.get(namespace))) return 'Pod Security is not enforced';
      const [first] = missing(organization);
      return first === undefined ? undefined : `${first.of} ${first.name} is not in place`;
    },
  };
}

/** @returns whether a change concerns a guard itself: that a quota was used, say, does not */
export function guardChanged(
  before: GuardObject | undefined,
  after: GuardObject | undefined,
): boolean {
  if (before === undefined || after === undefined) return true;
  return contentOf(before) !== contentOf(after);
}

function contentOf({ metadata, ...object }: GuardObject): string {
  const { labels, deletionTimestamp } = metadata;
  const { spec, subjects, roleRef, automountServiceAccountToken } = object;
  const parts = { labels, deletionTimestamp, spec, subjects, roleRef };
  return canonicalJson({ ...parts, automountServiceAccountToken } as JsonValue);
}
