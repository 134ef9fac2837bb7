// Reads everything for a decision about a Provider from the caches at once.
import type { Build } from '../../crds/build.ts';
import type { Organization } from '../../crds/organization.ts';
import type { Provider } from '../../crds/provider.ts';
import type { Resource } from '../../crds/resource.ts';
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { jobNameOf } from '../../domain/providers/build.ts';
import { type Informer, type Key, keyFor, refOf } from '../../kube/api.ts';
import { label } from '../../store/kinds.ts';
import { deploymentNameOf } from '../../store/providers/store.ts';
import type { ClockFinding, ClockSkews } from '../clock-skew/observation.ts';
import type { Hold, MassGuard } from '../observation/mass-guard.ts';
import type { GuardWatch } from '../organization/guard-watch.ts';
import type { Reach, Reachability } from '../reachability.ts';
import type { Deployment, Pod } from '../workloads.ts';
import type { AppliedBook, AppliedManifest } from './applied.ts';

export interface Observed {
  readonly provider: Provider;
  readonly organization: Organization | undefined;
  /** The build of the wanted version. */
  readonly build: Build | undefined;
  /** The build of the version that serves, while another one is wanted. */
  readonly serving?: Build | undefined;
  readonly deployment: Deployment | undefined;
  /** The last apply of this process. */
  readonly applied: AppliedManifest | undefined;
  readonly pods: readonly Pod[];
  /** True while resources of the provider are left, including those being deleted. */
  readonly hasResources: boolean;
  /** Definitions of the provider, also of types that are not in force. */
  readonly definitions: readonly ResourceDefinition[];
  /** Names of types with resources; only computed while a definition of the provider ends. */
  readonly usedTypes: ReadonlySet<string>;
  /** Reachability of the endpoint in the spec, from deliveries. */
  readonly reach: Reach | undefined;
  /** Whether the clock of the provider differs, from its answers. */
  readonly clock?: ClockFinding | undefined;
  /** Why this process holds corrections of its resources. */
  readonly correctionsHold?: Hold | undefined;
  /** Why no workload may be created in the namespace now. */
  readonly unguarded: string | undefined;
}

export interface ObserveDeps {
  readonly providers: Pick<Informer<Provider>, 'get'>;
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly builds: Pick<Informer<Build>, 'get'>;
  readonly deployments: Pick<Informer<Deployment>, 'get'>;
  readonly pods: Pick<Informer<Pod>, 'items'>;
  readonly resources: Pick<Informer<Resource>, 'items'>;
  readonly definitions: Pick<Informer<ResourceDefinition>, 'items'>;
  readonly applied: Pick<AppliedBook, 'find'>;
  readonly guardWatch: Pick<GuardWatch, 'problem'>;
  readonly reachability: Pick<Reachability, 'of'>;
  readonly clockSkews: Pick<ClockSkews, 'of'>;
  readonly massGuard?: Pick<MassGuard, 'of'> | undefined;
}

/** @returns undefined for a provider that is gone */
export function observe(key: Key, deps: ObserveDeps): Observed | undefined {
  const provider = deps.providers.get(key);
  if (provider === undefined) return undefined;
  const { namespace = '' } = refOf(key);
  const { provider: name, version } = provider.spec;
  const { deployedVersion } = provider.status ?? {};
  const buildOf = (of: string | undefined) =>
    of === undefined
      ? undefined
      : deps.builds.get(keyFor({ namespace, name: jobNameOf(name, of) }));
  const definitions = [...deps.definitions.items(namespace)].filter(
    ({ spec }) => spec.provider === name,
  );
  const resources = () => deps.resources.items(namespace);
  return {
    provider,
    organization: deps.organizations.get(namespace),
    build: buildOf(version),
    serving: deployedVersion === version ? undefined : buildOf(deployedVersion),
    deployment: deps.deployments.get(keyFor({ namespace, name: deploymentNameOf(name) })),
    applied: deps.applied.find(key),
    pods: [...deps.pods.items(namespace)].filter((pod) => isPodOf(pod, name)),
    reach: deps.reachability.of(key),
    clock: deps.clockSkews.of(key),
    correctionsHold: deps.massGuard?.of(key),
    unguarded: deps.guardWatch.problem(namespace),
    hasResources: someOf(resources(), name),
    definitions,
    usedTypes: definitions.some(isTypeEnding) ? usedTypes(resources(), name) : new Set(),
  };
}

function someOf(resources: Iterable<Resource>, provider: string): boolean {
  for (const { spec } of resources) if (spec.provider === provider) return true;
  return false;
}

function isTypeEnding({ spec: { retired, next } }: ResourceDefinition): boolean {
  return retired !== undefined || next?.retired === true;
}

function usedTypes(resources: Iterable<Resource>, provider: string): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { spec } of resources) if (spec.provider === provider) types.add(spec.resource);
  return types;
}

/** Pods of builds also have the label of their provider. */
function isPodOf({ metadata: { labels = {} } }: Pod, provider: string): boolean {
  return labels[label.provider] === provider && labels[label.build] === undefined;
}
