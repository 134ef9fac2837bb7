// Composes the reconcilers: their triggers and what they share. They share nothing with the HTTP side but the custom
// resources that both read and write.
import type { Build } from '../crds/build.ts';
import type { Provider } from '../crds/provider.ts';
import { defaultLimits } from '../domain/limits.ts';
import type { RetryPolicy } from '../domain/retry.ts';
import type { SchemaSandbox } from '../domain/schema.ts';
import type { Dispatch } from '../events/dispatch.ts';
import { type Informer, type Key, type KubeObject, keyFor, refOf } from '../kube/api.ts';
import {
  type Controller,
  type ControllerObserver,
  createController,
  either,
  type Source,
  watch,
} from '../kube/controller.ts';
import { createRecorder, type Recorder } from '../kube/recorder.ts';
import { createWorkqueue, type Workqueue } from '../kube/workqueue.ts';
import { providerPort } from '../providers/workloads/deployment.ts';
import type { ActDeps as BuildActDeps } from '../reconcilers/build/act.ts';
import { freesTurn, isWaiting } from '../reconcilers/build/concurrency.ts';
import { buildKeyOf, createBuildReconciler } from '../reconcilers/build/index.ts';
import { deadLetterReconcilers } from '../reconcilers/dead-letters/sources.ts';
import type { ActDeps as DeploymentActDeps } from '../reconcilers/deployment/act.ts';
import { createDeploymentReconciler } from '../reconcilers/deployment/index.ts';
import { createEndpointChanges } from '../reconcilers/endpoint-changes.ts';
import { createEndpoints, toEndpoints } from '../reconcilers/endpoints.ts';
import {
  createGuardWatch,
  guardChanged,
  tenantOf,
} from '../reconcilers/organization/guard-watch.ts';
import { defaultTenancy, type TenancySettings } from '../reconcilers/organization/guards.ts';
import { createOrganizationReconciler } from '../reconcilers/organization/index.ts';
import { createReachability, type Reachability } from '../reconcilers/reachability.ts';
import { createResourceReconciler } from '../reconcilers/resource/index.ts';
import {
  createProviderLimiter,
  defaultConcurrentDeliveries,
} from '../reconcilers/resource/provider-limiter.ts';
import { createUnrecordedAnswers } from '../reconcilers/resource/unrecorded-answers.ts';
import { createWaiters, topic } from '../reconcilers/resource/waiters.ts';
import { createWaits } from '../reconcilers/resource/waits.ts';
import { createReceiptStore } from '../store/dead-letters/orphan-receipts.ts';
import { createDeadLetterStore } from '../store/dead-letters/store.ts';
import { label } from '../store/kinds.ts';
import { createProjectLookup } from '../store/projects/object.ts';
import { createClaimStore } from '../store/resources/claims.ts';
import { createResourceQuota } from '../store/resources/quota.ts';
import type { Caches, KubeDeps } from './caches.ts';

/** Observes reconciliations, and gets their queues. */
export interface ControllerMeter extends ControllerObserver {
  queue(reconciler: string, queue: Workqueue): void;
}

const silentMeter: ControllerMeter = { reconciled: () => undefined, queue: () => undefined };

interface ControllerOptions {
  /** The namespace of Fairlead's own objects. */
  readonly systemNamespace: string;
  /** Cluster-specific settings of tenant namespaces. */
  readonly tenancy?: Partial<TenancySettings> | undefined;
  readonly schemas: SchemaSandbox;
  readonly dispatch: Dispatch;
  readonly policy: RetryPolicy;
  /** Resources reconciled concurrently. */
  readonly workers: number;
  /** Superseded dead letters kept per organization. */
  readonly supersededKept?: number | undefined;
  readonly meter?: ControllerMeter;
  readonly builds: Pick<
    BuildActDeps,
    'artifacts' | 'tokens' | 'captureLog' | 'image' | 'artifactsUrl' | 'pullConfig' | 'settings'
  >;
  readonly deployments: Pick<
    DeploymentActDeps,
    | 'downloadToken'
    | 'image'
    | 'artifactsUrl'
    | 'fairleadUrl'
    | 'keyId'
    | 'minReadySeconds'
    | 'pullConfig'
  >;
}

/** @returns the controllers, in the order in which they are to be started */
export function createControllers(
  kubeDeps: KubeDeps,
  caches: Caches,
  options: ControllerOptions,
): readonly Controller[] {
  const { clock, client, log } = kubeDeps;
  const { organizations, providers, namespaces, builds, jobs, pods, deployments } = caches;
  const { resources } = caches;
  const { meter = silentMeter } = options;
  const recorder = createRecorder({ client, component: 'fairlead.dev/controller', clock, log });
  const make = (given: Pick<Parameters<typeof createController>[0], 'reconciler' | 'sources'>) => {
    const queue = createWorkqueue(kubeDeps);
    meter.queue(given.reconciler.name, queue);
    return createController({ ...given, queue, clock, log, observer: meter });
  };
  const reachability = createReachability({ clock });
  const onReach: Source['subscribe'] = (enqueue) =>
    reachability.onChange((key) => enqueue([key], 'fresh'));
  const guardWatch = createGuardWatch(caches, tenancyOf(options));
  // Restored guards trigger the objects that wait for them.
  const guardChanges = (wakes: (namespace: string) => readonly Key[]) =>
    Object.values(caches.guards).map((informer) =>
      watch(informer, (key, before, after) =>
        guardChanged(before, after) ? wakes(refOf(key).namespace ?? '') : [],
      ),
    );
  return [
    make({
      reconciler: createOrganizationReconciler({ ...caches, guardWatch, client, recorder, clock }),
      sources: [
        watch(organizations),
        watch(namespaces, either(ofOrganization)),
        ...guardChanges((namespace) => [namespace]),
        ...Object.values(caches.foreign).map((informer) => watch(informer, tenantOf)),
        // A deleted default project is created again.
        watch(
          caches.projects,
          either(({ metadata, spec }) =>
            spec.managedBy === 'platform' ? [metadata.namespace ?? ''] : [],
          ),
        ),
      ],
    }),
    make({
      reconciler: createDeploymentReconciler({
        ...caches,
        reachability,
        ...options.deployments,
        guardWatch,
        client,
        recorder,
        clock,
      }),
      sources: [
        watch(providers),
        { ready: () => Promise.resolve(), subscribe: onReach },
        watch(deployments, either(ofProvider)),
        watch(pods, either(ofProvider)),
        watch(
          builds,
          either(({ metadata, spec }) => [keyOfProvider(metadata, spec.provider)]),
        ),
        // The removal of a provider's last resource completes the provider's deletion.
        watch(
          resources,
          either(({ metadata, spec }) => leaving(providers, metadata, spec)),
        ),
        watch(organizations, (key) => keysIn(providers, key)),
        watch(namespaces, (key) => keysIn(providers, key)),
        ...guardChanges((namespace) => keysIn(providers, namespace)),
      ],
    }),
    make({
      reconciler: createBuildReconciler({
        ...caches,
        ...options.builds,
        guardWatch,
        schemas: options.schemas,
        client,
        recorder,
        clock,
        log,
      }),
      sources: [
        watch(builds, (key, before, after) => [
          key,
          ...(freesTurn(before, after) ? waiting(builds, refOf(key).namespace) : []),
        ]),
        watch(
          jobs,
          either(({ metadata }) => buildKeyOf(metadata)),
        ),
        watch(
          pods,
          either(({ metadata }) => buildKeyOf(metadata)),
        ),
        watch(organizations, (key) => waiting(builds, key)),
        watch(namespaces, (key) => waiting(builds, key)),
        ...guardChanges((namespace) => waiting(builds, namespace)),
      ],
    }),
    ...deadLetterReconcilers({ ...caches, ...options, client, clock, log, recorder }).map(make),
    resourceController(kubeDeps, caches, { ...options, recorder, reachability }),
  ];
}

function keyOfProvider({ namespace }: { namespace?: string }, name: string): string {
  return keyFor({ namespace, name });
}

function leaving(
  providers: Informer<Provider>,
  metadata: { namespace?: string },
  spec: { provider: string },
): readonly Key[] {
  const key = keyOfProvider(metadata, spec.provider);
  return providers.get(key)?.metadata.deletionTimestamp === undefined ? [] : [key];
}

function ofProvider({ metadata }: KubeObject): readonly Key[] {
  const name = metadata.labels?.[label.provider];
  return name === undefined ? [] : [keyOfProvider(metadata, name)];
}

function waiting(builds: Informer<Build>, namespace: string | undefined): readonly Key[] {
  return [...builds.items(namespace)].filter(isWaiting).map(({ metadata }) => keyFor(metadata));
}

function tenancyOf({ systemNamespace, tenancy }: ControllerOptions): TenancySettings {
  return { ...defaultTenancy, systemNamespace, ...tenancy };
}

/** A namespace is named after its organization; others are ignored. */
function ofOrganization({ metadata: { name, labels } }: KubeObject): readonly Key[] {
  return labels?.[label.organization] === 'true' || name.startsWith('fl-') ? [name] : [];
}

function resourceController(
  kubeDeps: KubeDeps,
  caches: Caches,
  options: ControllerOptions & {
    readonly recorder: Recorder;
    readonly reachability: Reachability;
  },
): Controller {
  const { clock, client, log, random } = kubeDeps;
  const { schemas, dispatch, policy, workers, systemNamespace, recorder, reachability } = options;
  const { meter = silentMeter } = options;
  const { definitions, providers, resources, pods, organizations, namespaces } = caches;
  const { dependencies } = caches;
  const { minReadySeconds } = options.deployments;
  const endpoints = createEndpoints({
    providers,
    pods,
    port: providerPort,
    minReadySeconds,
    clock,
  });
  // Organizations must not wait for the slow providers of others, however many these are.
  const queue = createWorkqueue({ clock, random, workers });
  const waiters = createWaiters();
  const endpointChanges = createEndpointChanges(endpoints, (namespace, provider) =>
    waiters.wake(topic.provider(namespace, provider)),
  );
  const reconciler = createResourceReconciler({
    ...caches,
    endpoints,
    schemas,
    answers: createUnrecordedAnswers(),
    waits: createWaits({ clock, policy }),
    waiters,
    quota: createResourceQuota({ ...caches, limits: tenancyOf(options).limits ?? defaultLimits }),
    projects: createProjectLookup({ client, cache: caches.projects }),
    limiter: createProviderLimiter({
      width: defaultConcurrentDeliveries,
      onFree: (key) => queue.add(key),
    }),
    claims: createClaimStore({ client, cache: resources }),
    deadLetters: createDeadLetterStore({ client, resources, clock }),
    receipts: createReceiptStore({ client, systemNamespace }),
    dispatch: toEndpoints(endpoints, dispatch),
    delivered(key, url, answer) {
      // For pods, Kubernetes itself reports availability.
      const isElsewhere = providers.get(key)?.spec.endpoint === url;
      if (isElsewhere) reachability.delivered(key, url, answer);
    },
    recorder,
    policy,
    clock,
    random,
  });
  meter.queue(reconciler.name, queue);
  return createController({
    reconciler,
    queue,
    clock,
    log,
    observer: meter,
    concurrency: workers,
    // Most deliveries in progress get a response in this time; the next leader sends the others again.
    patienceMs: 2_000,
    sources: [
      watch(resources, (key) => [
        key,
        ...dependencies.usersOf(key),
        ...waiters.wake(topic.resource(key)),
      ]),
      watch(definitions, (key) => waiters.wake(topic.definition(key))),
      watch(organizations, (key) => waiters.wake(topic.organization(key))),
      watch(
        caches.projects,
        either(({ metadata, spec }) =>
          waiters.wake(topic.project(metadata.namespace ?? '', spec.projectId)),
        ),
      ),
      // An object that waits in a namespace under deletion may wait for something that can no longer appear.
      watch(
        namespaces,
        either(({ metadata: { name, deletionTimestamp } }) =>
          deletionTimestamp === undefined ? [] : keysIn(resources, name),
        ),
      ),
      watch(providers, endpointChanges.ofProvider),
      watch(pods, endpointChanges.ofPod),
    ],
  });
}

function keysIn<T extends KubeObject>(informer: Informer<T>, namespace: string): readonly Key[] {
  return Array.from(informer.items(namespace), ({ metadata }) => keyFor(metadata));
}
