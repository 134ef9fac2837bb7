// Finds missing guards of a namespace in the caches: checked before any workload of a tenant is created.
import type { Organization } from '../../crds/organization.ts';
import { type Informer, type Key, type KubeObject, keyFor, refOf } from '../../kube/api.ts';
import { canonicalJson, type JsonValue } from '../../lib/json.ts';
import { type Guard, type GuardKind, type GuardObject, guardKinds } from './guard-kinds.ts';
import { guardsOf, hasLabels, isWholeGuard, type TenancySettings } from './guards.ts';
import { isOurs } from './ownership.ts';

/** A cache of each kind, of objects that carry our label. */
export type GuardCaches = Readonly<Record<GuardKind, Informer<GuardObject>>>;

/** Kinds that are additive: foreign objects can allow more than ours. */
const additive = ['roleBinding', 'networkPolicy'] as const satisfies readonly GuardKind[];

/** Metadata-only caches of objects without our label. */
export type ForeignCaches = Readonly<Record<(typeof additive)[number], Informer<KubeObject>>>;

export interface GuardWatch {
  /** Guards that are missing or differ from the required ones, in order of creation. */
  missing(organization: Organization): readonly Guard[];
  /** Foreign RoleBindings and NetworkPolicies in the namespace, by kind and name. */
  foreign(organization: Organization): readonly string[];
  /** Why no workload may be created in a namespace now; undefined when it may. */
  problem(namespace: string): string | undefined;
}

interface GuardWatchDeps {
  readonly guards: { readonly [kind in GuardKind]: Pick<Informer<GuardObject>, 'get' | 'items'> };
  readonly foreign: { readonly [kind in keyof ForeignCaches]: Pick<Informer<KubeObject>, 'items'> };
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly namespaces: Pick<Informer<KubeObject>, 'get'>;
}

export function createGuardWatch(deps: GuardWatchDeps, settings: TenancySettings): GuardWatch {
  function missing(organization: Organization): readonly Guard[] {
    const { name: namespace } = organization.metadata;
    return guardsOf(organization, settings).filter((guard) => {
      const found = deps.guards[guard.of].get(keyFor({ namespace, name: guard.name }));
      return !isWholeGuard(guard, found);
    });
  }

  function foreign(organization: Organization): readonly string[] {
    const { name: namespace } = organization.metadata;
    const ours = new Set(guardsOf(organization, settings).map(({ of, name }) => `${of} ${name}`));
    return additive.flatMap((kind) =>
      // Our label is no proof: any creator may set it.
      [...deps.guards[kind].items(namespace), ...deps.foreign[kind].items(namespace)]
        .map(({ metadata }) => metadata.name)
        .filter((name) => !ours.has(`${kind} ${name}`))
        .map((name) => `${guardKinds[kind].kind} ${name}`)
        .sort(),
    );
  }

  return {
    missing,
    foreign,
    problem(namespace) {
      const organization = deps.organizations.get(namespace);
      if (organization === undefined) return 'The namespace does not belong to an organization';
      const found = deps.namespaces.get(namespace);
      if (!isOurs({ organization, namespace: found })) {
        return 'The namespace was not created for this organization';
      }
      if (!hasLabels(found)) return 'Pod Security is not enforced';
      const [first] = missing(organization);
      return first === undefined
        ? undefined
        : `${first.of} ${first.name} is missing or was modified`;
    },
  };
}

/** @returns the key of the organization whose namespace an object is in; none for the rest of the cluster */
export function tenantOf(key: Key): readonly Key[] {
  const { namespace = '' } = refOf(key);
  return namespace.startsWith('fl-') ? [namespace] : [];
}

/** @returns whether a change concerns the guard itself, unlike the usage of a quota */
export function guardChanged(
  before: GuardObject | undefined,
  after: GuardObject | undefined,
): boolean {
  if (before === undefined || after === undefined) return true;
  return guardContent(before) !== guardContent(after);
}

function guardContent({ metadata, ...object }: GuardObject): string {
  const { labels, deletionTimestamp } = metadata;
  const { spec, subjects, roleRef, automountServiceAccountToken } = object;
  const parts = { labels, deletionTimestamp, spec, subjects, roleRef };
  return canonicalJson({ ...parts, automountServiceAccountToken } as JsonValue);
}
