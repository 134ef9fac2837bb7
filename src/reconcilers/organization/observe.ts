// Reads everything for a decision about one Organization: object, namespace, guards, default project.
import type { Organization } from '../../crds/organization.ts';
import type { Project } from '../../crds/project.ts';
import { defaultProjectId, projectNameOf } from '../../domain/identity.ts';
import type { Informer, Key, KubeClient, KubeObject } from '../../kube/api.ts';
import { kinds, namespaceKind } from '../../store/kinds.ts';
import { read } from '../../store/put.ts';
import type { Guard } from './guard-kinds.ts';
import type { GuardWatch } from './guard-watch.ts';

export interface Observed {
  readonly organization: Organization;
  readonly namespace: KubeObject | undefined;
  /** In order of creation. */
  readonly missingGuards: readonly Guard[];
  /** Foreign RoleBindings and NetworkPolicies in the namespace. */
  readonly foreign: readonly string[];
  readonly defaultProject: Project | undefined;
}

export interface ObserveDeps {
  readonly client: KubeClient;
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly guardWatch: Pick<GuardWatch, 'missing' | 'foreign'>;
}

/** @returns undefined when the object is gone or being deleted: the namespace stays until it is removed manually */
export async function observe(key: Key, deps: ObserveDeps): Promise<Observed | undefined> {
  const organization = deps.organizations.get(key);
  if (organization === undefined) return undefined;
  if (organization.metadata.deletionTimestamp !== undefined) return undefined;
  // Not cached: with a lagging cache every first use would create what exists.
  const namespace = await read<KubeObject>(deps.client, namespaceKind, { name: key });
  const name = projectNameOf(defaultProjectId({ namespace: key }));
  const defaultProject =
    namespace === undefined
      ? undefined
      : await read<Project>(deps.client, kinds.project, { namespace: key, name });
  return {
    organization,
    namespace,
    missingGuards: deps.guardWatch.missing(organization),
    foreign: namespace === undefined ? [] : deps.guardWatch.foreign(organization),
    defaultProject,
  };
}
