// Puts the service together over one cluster: caches, stores and reconcilers. The HTTP side and the reconcilers get
// nothing of each other but the custom resources both read and write.
import { Build } from './crds/build.ts';
import { Organization } from './crds/organization.ts';
import { Provider } from './crds/provider.ts';
import { Resource } from './crds/resource.ts';
import { ResourceDefinition } from './crds/resource-definition.ts';
import { isFinished } from './domain/build.ts';
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
import { providerPort } from './providers/workloads/deployment.ts';
import type { ActDeps as BuildActDeps } from './reconcilers/build/act.ts';
import { buildKeyOf, createBuildReconciler } from './reconcilers/build/index.ts';
import type { ActDeps as DeploymentActDeps } from './reconcilers/deployment/act.ts';
import { createDeploymentReconciler } from './reconcilers/deployment/index.ts';
import type { Deployment } from './reconcilers/deployment/observe.ts';
import { createEndpoints } from './reconcilers/endpoints.ts';
import { createOrganizationReconciler } from './reconcilers/organization/index.ts';
import type { ActDeps } from './reconcilers/resource/act.ts';
import { createAnswerBook } from './reconcilers/resource/answers.ts';
import { createResourceReconciler } from './reconcilers/resource/index.ts';
import { createLanes, defaultLaneWidth } from './reconcilers/resource/lanes.ts';
import { createWaiters, topic } from './reconcilers/resource/waiters.ts';
import { deploymentKind, type Job, jobKind, type Pod, podKind } from './reconcilers/workloads.ts';
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
  readonly builds: Informer<Build>;
  /** Of ours only, like the two that follow. */
  readonly jobs: Informer<Job>;
  readonly pods: Informer<Pod>;
  readonly deployments: Informer<Deployment>;
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
  const builds = createInformer<Build>({ ...foundation, kind: Build });
  const ours = { ...foundation, selector: { labelSelector: `${label.managedBy}=fairlead` } };
  const caches = {
    organizations,
    definitions,
    providers,
    resources,
    namespaces,
    builds,
    jobs: createInformer<Job>({ ...ours, kind: jobKind }),
    pods: createInformer<Pod>({ ...ours, kind: podKind }),
    deployments: createInformer<Deployment>({ ...ours, kind: deploymentKind }),
  };
  const all: readonly unknown[] = Object.values(caches);
  return { ...caches, all: all as readonly Informer<never>[] };
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
  readonly builds: Pick<
    BuildActDeps,
    'artifacts' | 'tokens' | 'captureLog' | 'image' | 'artifactsUrl' | 'settings'
  >;
  readonly deployments: Pick<
    DeploymentActDeps,
    'downloadToken' | 'image' | 'artifactsUrl' | 'fairleadUrl'
  >;
}

/** @returns the controllers, in the order in which they are to be started */
export function createControllers(
  foundation: Foundation,
  caches: Caches,
  options: ControllerOptions,
): readonly Controller[] {
  const { clock, client, log } = foundation;
  const { organizations, providers, namespaces, builds, jobs, pods, deployments } = caches;
  const { resources } = caches;
  const make = (name: Pick<Parameters<typeof createController>[0], 'reconciler' | 'sources'>) =>
    createController({ ...name, queue: createWorkqueue(foundation), clock, log });
  return [
    make({
      reconciler: createOrganizationReconciler({ client, organizations, clock }),
      sources: [watch(organizations), watch(namespaces, ofOrganization)],
    }),
    make({
      reconciler: createDeploymentReconciler({ ...caches, ...options.deployments, client, clock }),
      sources: [
        watch(providers),
        watch(deployments, ofProvider),
        watch(pods, ofProvider),
        watch(builds, (_key, { metadata, spec }) => [keyOfProvider(metadata, spec.provider)]),
        // The last resource of a provider that is being deleted lets it go.
        watch(resources, (_key, { metadata, spec }) => leaving(providers, metadata, spec)),
      ],
    }),
    make({
      reconciler: createBuildReconciler({
        ...caches,
        ...options.builds,
        schemas: options.schemas,
        client,
        clock,
        log,
      }),
      sources: [
        watch(builds, (key, build) => [key, ...waitingBuilds(builds, build)]),
        watch(jobs, (_key, { metadata }) => buildKeyOf(metadata)),
        watch(pods, (_key, { metadata }) => buildKeyOf(metadata)),
      ],
    }),
    resourceController(foundation, caches, options),
  ];
}

function keyOfProvider({ namespace }: { namespace?: string }, name: string): string {
  return keyFor({ namespace, name });
}

function leaving(
  providers: Informer<Provider>,
  metadata: { namespace?: string },
  spec: { provider: string },
): readonly string[] {
  const key = keyOfProvider(metadata, spec.provider);
  return providers.get(key)?.metadata.deletionTimestamp === undefined ? [] : [key];
}

function ofProvider(_key: string, { metadata }: KubeObject): readonly string[] {
  const name = metadata.labels?.[label.provider];
  return name === undefined ? [] : [keyOfProvider(metadata, name)];
}

/** A build that ended gives its turn to the next ones of the organization. */
function waitingBuilds(builds: Informer<Build>, { metadata, status }: Build): readonly string[] {
  if (!isFinished(status?.phase ?? 'pending') && metadata.deletionTimestamp === undefined)
    return [];
  return [...builds.items(metadata.namespace)]
    .filter((each) => (each.status?.phase ?? 'pending') === 'pending')
    .map((each) => keyFor(each.metadata));
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
  const { organizations, definitions, providers, resources, pods } = caches;
  const endpoints = createEndpoints({ providers, pods, port: providerPort });
  // Half of the workers for one organization at most: the others must not wait for its slow providers.
  const queue = createWorkqueue({ clock, random, groupLimit: Math.max(1, Math.ceil(workers / 2)) });
  const waiters = createWaiters();
  const reconciler = createResourceReconciler({
    resources,
    definitions,
    organizations,
    endpoints,
    schemas,
    answers: createAnswerBook(),
    waiters,
    lanes: createLanes({ width: defaultLaneWidth, onFree: (key) => queue.add(key) }),
    claims: createClaimStore({ client, cache: resources }),
    deadLetters: createDeadLetterStore({ client }),
    dispatch: (event, endpoint, signal) =>
      endpoints.during(endpoint.url, () => dispatch(event, endpoint, signal)),
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
      watch(pods, (_key, { metadata }) =>
        waiters.wake(
          topic.provider(metadata.namespace ?? '', metadata.labels?.[label.provider] ?? ''),
        ),
      ),
    ],
  });
}
