// Puts the service together over one cluster: caches, stores and reconcilers. The HTTP side and the reconcilers get
// nothing of each other but the custom resources both read and write.
import { Organization } from './crds/organization.ts';
import { Provider } from './crds/provider.ts';
import { Resource } from './crds/resource.ts';
import { ResourceDefinition } from './crds/resource-definition.ts';
import type { Clock } from './domain/clock.ts';
import type { Log } from './domain/log.ts';
import type { RetryPolicy } from './domain/retry.ts';
import type { SchemaSandbox } from './domain/schema.ts';
import { type Informer, type KubeObject, keyFor } from './kube/api.ts';
import type { StreamingClient } from './kube/client.ts';
import { type Controller, createController, watch } from './kube/controller.ts';
import { createInformer } from './kube/informer.ts';
import { createRecorder } from './kube/recorder.ts';
import { createWorkqueue } from './kube/workqueue.ts';
import { createEndpoints } from './reconcilers/endpoints.ts';
import { createOrganizationReconciler } from './reconcilers/organization/index.ts';
import { createProviderReconciler } from './reconcilers/provider/index.ts';
import type { ActDeps } from './reconcilers/resource/act.ts';
import { createAnswerBook } from './reconcilers/resource/answers.ts';
import { createResourceReconciler } from './reconcilers/resource/index.ts';
import { createLanes, defaultLaneWidth } from './reconcilers/resource/lanes.ts';
import { createWaiters, topic } from './reconcilers/resource/waiters.ts';
import { type BuildStore, createBuildStore } from './store/builds.ts';
import { createClaimStore } from './store/claims.ts';
import { createDeadLetterStore } from './store/dead-letters.ts';
import { createDefinitionStore } from './store/definitions.ts';
import type {
  DefinitionStore,
  OrganizationStore,
  ProjectStore,
  ResourceStore,
} from './store/interfaces.ts';
import { label, namespaceKind } from './store/kinds.ts';
import { createOrganizationStore } from './store/organizations.ts';
import { createProjectStore, projectExists } from './store/projects.ts';
import { createProviderStore, type ProviderStore } from './store/providers.ts';
import { createResourceStore } from './store/resources.ts';

export interface Foundation {
  readonly client: StreamingClient;
  readonly clock: Clock;
  readonly log: Log;
  /** A number in [0, 1). */
  readonly random: () => number;
}

export interface Caches {
  readonly organizations: Informer<Organization>;
  readonly definitions: Informer<ResourceDefinition>;
  readonly providers: Informer<Provider>;
  readonly resources: Informer<Resource>;
  readonly namespaces: Informer<KubeObject>;
  readonly all: readonly Informer<never>[];
}

/** One cache per kind for the whole process, whoever reads it. Nothing is read before `start`. */
export function createCaches(foundation: Foundation): Caches {
  const organizations = createInformer<Organization>({ ...foundation, kind: Organization });
  const definitions = createInformer<ResourceDefinition>({
    ...foundation,
    kind: ResourceDefinition,
  });
  const providers = createInformer<Provider>({ ...foundation, kind: Provider });
  const resources = createInformer<Resource>({ ...foundation, kind: Resource });
  const namespaces = createInformer<KubeObject>({ ...foundation, kind: namespaceKind });
  const all = [organizations, definitions, providers, resources, namespaces] as readonly unknown[];
  return {
    organizations,
    definitions,
    providers,
    resources,
    namespaces,
    all: all as readonly Informer<never>[],
  };
}

export interface Stores {
  readonly resources: ResourceStore;
  readonly definitions: DefinitionStore;
  readonly projects: ProjectStore;
  readonly organizations: OrganizationStore;
  readonly builds: BuildStore;
  readonly providers: ProviderStore;
}

export function createStores({ client, clock }: Foundation, caches: Caches): Stores {
  const projects = createProjectStore({ client });
  return {
    projects,
    builds: createBuildStore({ client, clock }),
    providers: createProviderStore({ client }),
    organizations: createOrganizationStore({ client, cache: caches.organizations }),
    definitions: createDefinitionStore({ client, clock, cache: caches.definitions }),
    resources: createResourceStore({
      client,
      clock,
      projectExists: (organization, id) => projectExists(projects, organization, id),
      mayExist: (ref) => caches.resources.get(keyFor(ref)) !== undefined,
    }),
  };
}

interface ControllerOptions {
  readonly schemas: SchemaSandbox;
  readonly dispatch: ActDeps['dispatch'];
  readonly policy: RetryPolicy;
  /** Resources worked on at a time. */
  readonly workers: number;
}

/** @returns the controllers, in the order in which they are to be started */
export function createControllers(
  foundation: Foundation,
  caches: Caches,
  options: ControllerOptions,
): readonly Controller[] {
  const { clock, client, log } = foundation;
  const { organizations, providers, namespaces } = caches;
  const make = (name: Pick<Parameters<typeof createController>[0], 'reconciler' | 'sources'>) =>
    createController({ ...name, queue: createWorkqueue(foundation), clock, log });
  return [
    make({
      reconciler: createOrganizationReconciler({ client, organizations, clock }),
      sources: [watch(organizations), watch(namespaces, ofOrganization)],
    }),
    make({
      reconciler: createProviderReconciler({ client, providers, clock }),
      sources: [watch(providers)],
    }),
    resourceController(foundation, caches, options),
  ];
}

/** A namespace is named after its organization; others concern nobody here. */
function ofOrganization(key: string, { metadata }: KubeObject): readonly string[] {
  return metadata.labels?.[label.organization] === 'true' || key.startsWith('fl-') ? [key] : [];
}

function resourceController(
  foundation: Foundation,
  caches: Caches,
  { schemas, dispatch, policy, workers }: ControllerOptions,
): Controller {
  const { clock, client, log, random } = foundation;
  const { organizations, definitions, providers, resources } = caches;
  // Half of the workers for one organization at most: the others must not wait for its slow providers.
  const queue = createWorkqueue({ clock, random, groupLimit: Math.max(1, Math.ceil(workers / 2)) });
  const waiters = createWaiters();
  const reconciler = createResourceReconciler({
    resources,
    definitions,
    organizations,
    endpoints: createEndpoints(providers),
    schemas,
    answers: createAnswerBook(),
    waiters,
    lanes: createLanes({ width: defaultLaneWidth, onFree: (key) => queue.add(key) }),
    claims: createClaimStore({ client, cache: resources }),
    deadLetters: createDeadLetterStore({ client }),
    dispatch,
    recorder: createRecorder({ client, component: 'fairlead.dev/controller', clock, log }),
    policy,
    clock,
    random,
  });
  return createController({
    reconciler,
    queue,
    clock,
    log,
    concurrency: workers,
    sources: [
      watch(resources, (key) => [key, ...waiters.wake(topic.resource(key))]),
      watch(definitions, (key) => waiters.wake(topic.definition(key))),
      watch(organizations, (key) => waiters.wake(topic.organization(key))),
      watch(providers, (_key, { metadata, spec }) =>
        waiters.wake(topic.provider(metadata.namespace ?? '', spec.provider)),
      ),
    ],
  });
}
