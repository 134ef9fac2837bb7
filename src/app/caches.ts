// Creates the caches of one process: an informer per kind, and indexes over them.
import { Build } from '../crds/build.ts';
import { Organization } from '../crds/organization.ts';
import { Project } from '../crds/project.ts';
import { Provider } from '../crds/provider.ts';
import { Resource } from '../crds/resource.ts';
import { ResourceDefinition } from '../crds/resource-definition.ts';
import type { Informer, KubeObject } from '../kube/api.ts';
import type { StreamingClient } from '../kube/client.ts';
import { createInformer } from '../kube/informer/informer.ts';
import { partialInformer } from '../kube/informer/partial-informer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { withoutPayload } from '../reconcilers/dead-letters/reader.ts';
import {
  type GuardKind,
  type GuardObject,
  guardKinds,
} from '../reconcilers/organization/guard-kinds.ts';
import type { ForeignCaches, GuardCaches } from '../reconcilers/organization/guard-watch.ts';
import type { Deployment } from '../reconcilers/workloads.ts';
import { deploymentKind, type Job, jobKind, type Pod, podKind } from '../reconcilers/workloads.ts';
import type { DeadLetterObject } from '../store/dead-letters/object.ts';
import { type RedriveObject, redriveSelector } from '../store/dead-letters/redrives.ts';
import { configMapKind, label, namespaceKind } from '../store/kinds.ts';
import { createResourceSizes, type ResourceSizes } from '../store/resources/apply/sizes.ts';
import {
  createDependencyIndex,
  type DependencyIndex,
} from '../store/resources/dependencies/dependency-index.ts';
import {
  createIdentityIndex,
  type IdentityIndex,
} from '../store/resources/managed-objects/identity-index.ts';
import {
  createTypeIdentities,
  type TypeIdentities,
} from '../store/resources/managed-objects/type-identities.ts';
import { createConfigSharing } from '../store/resources/shared-config.ts';
import { createResourceChanges, type ResourceChanges } from '../store/watches/changes.ts';
import { everyPart } from './settings.ts';

export interface KubeDeps {
  readonly client: StreamingClient;
  readonly clock: Clock;
  readonly log: Log;
  /** A number in [0, 1). */
  readonly random: () => number;
}

export interface Caches {
  readonly organizations: Informer<Organization>;
  readonly projects: Informer<Project>;
  readonly definitions: Informer<ResourceDefinition>;
  readonly providers: Informer<Provider>;
  readonly resources: Informer<Resource>;
  readonly namespaces: Informer<KubeObject>;
  readonly builds: Informer<Build>;
  /** Only Fairlead's own objects, like the next two. */
  readonly jobs: Informer<Job>;
  readonly pods: Informer<Pod>;
  readonly deployments: Informer<Deployment>;
  /** Without their payloads. */
  readonly deadLetters: Informer<DeadLetterObject>;
  readonly redrives: Informer<RedriveObject>;
  /** The guards of tenant namespaces. */
  readonly guards: GuardCaches;
  /** Objects that others create beside the guards. */
  readonly foreign: ForeignCaches;
  readonly all: readonly Informer<never>[];
  /** The dependencies of the cached resources. */
  readonly dependencies: DependencyIndex;
  /** The identities that the types declare. */
  readonly identities: TypeIdentities;
  /** The objects that the cached resources stand for. */
  readonly claimants: IdentityIndex;
  readonly sizes: ResourceSizes;
  readonly resourceChanges: ResourceChanges;
}

/**
 * Creates one cache per kind for the whole process. Nothing is read before `start`. The API fills only those of its stores
 * and measurements: it may not list ConfigMaps, pods and guards of the whole cluster.
 */
export function createCaches(kubeDeps: KubeDeps, parts = everyPart): Caches {
  const organizations = createInformer<Organization>({ ...kubeDeps, kind: Organization });
  const definitions = createInformer<ResourceDefinition>({
    ...kubeDeps,
    kind: ResourceDefinition,
  });
  const providers = createInformer<Provider>({ ...kubeDeps, kind: Provider });
  const resources = createInformer<Resource>({
    ...kubeDeps,
    kind: Resource,
    trim: createConfigSharing(),
  });
  const namespaces = createInformer<KubeObject>({ ...kubeDeps, kind: namespaceKind });
  const builds = createInformer<Build>({ ...kubeDeps, kind: Build });
  const ours = { ...kubeDeps, selector: { labelSelector: `${label.managedBy}=fairlead` } };
  const projects = createInformer<Project>({ ...kubeDeps, kind: Project });
  const caches = {
    organizations,
    projects,
    definitions,
    providers,
    resources,
    namespaces,
    builds,
    jobs: createInformer<Job>({ ...ours, kind: jobKind }),
    pods: createInformer<Pod>({ ...ours, kind: podKind }),
    deployments: createInformer<Deployment>({ ...ours, kind: deploymentKind }),
    deadLetters: createInformer<DeadLetterObject>({
      ...kubeDeps,
      kind: configMapKind,
      selector: { labelSelector: `${label.deadLetter}=true` },
      trim: withoutPayload,
    }),
    redrives: createInformer<RedriveObject>({
      ...kubeDeps,
      kind: configMapKind,
      selector: { labelSelector: redriveSelector },
    }),
  };
  const guards = Object.fromEntries(
    Object.entries(guardKinds).map(([name, kind]) => [
      name,
      createInformer<GuardObject>({ ...ours, kind }),
    ]),
  ) as Record<GuardKind, Informer<GuardObject>>;
  const theirs = {
    ...kubeDeps,
    selector: { labelSelector: `${label.managedBy}!=fairlead` },
    trim: withMetadataOnly,
  };
  const foreign: ForeignCaches = {
    roleBinding: createInformer<KubeObject>({ ...theirs, kind: guardKinds.roleBinding }),
    networkPolicy: createInformer<KubeObject>({ ...theirs, kind: guardKinds.networkPolicy }),
  };
  const ofApi = [organizations, projects, definitions, providers, resources, namespaces, builds];
  const all: readonly unknown[] = parts.includes('controller')
    ? [caches, guards, foreign].flatMap((each) => Object.values<unknown>(each))
    : ofApi;
  const identities = createTypeIdentities({ definitions, providers });
  return {
    ...caches,
    guards,
    foreign,
    all: all as readonly Informer<never>[],
    dependencies: createDependencyIndex(resources),
    identities,
    claimants: createIdentityIndex(resources, identities),
    sizes: createResourceSizes(resources),
    resourceChanges: createResourceChanges(resources),
  };
}

/** Returns views of the caches that cover some namespaces; the whole process shares caches and watches. */
export function partialCaches(caches: Caches, owns: (namespace: string) => boolean): Caches {
  const partial = (each: unknown) => partialInformer(each as Informer<KubeObject>, owns);
  const views = (all: object) =>
    Object.fromEntries(Object.entries(all).map(([name, each]) => [name, partial(each)]));
  const { all, guards, foreign, dependencies, sizes, resourceChanges, ...others } = caches;
  const { identities, claimants, ...informers } = others;
  return {
    ...(views(informers) as unknown as typeof informers),
    guards: views(guards) as unknown as GuardCaches,
    foreign: views(foreign) as unknown as ForeignCaches,
    ...{ all, dependencies, identities, claimants, sizes, resourceChanges },
  };
}

/** Reduced, because these caches cover the whole cluster. */
function withMetadataOnly({ metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { metadata: { name, namespace, uid, resourceVersion } } as KubeObject;
}
