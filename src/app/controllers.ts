// Composes the reconcilers: their triggers and what they share. They share nothing with the HTTP side but the custom
// resources that both read and write.
import type { Build } from '../crds/build.ts';
import type { Provider } from '../crds/provider.ts';
import { type Informer, type Key, type KubeObject, keyFor, refOf } from '../kube/api.ts';
import {
  type Controller,
  createController,
  either,
  keysIn,
  type Source,
  watch,
} from '../kube/controller.ts';
import { createRecorder } from '../kube/recorder.ts';
import { createWorkqueue } from '../kube/workqueue.ts';
import { freesTurn, isWaiting } from '../reconcilers/build/concurrency.ts';
import { buildKeyOf, createBuildReconciler } from '../reconcilers/build/index.ts';
import { createClockSkews } from '../reconcilers/clock-skew/observation.ts';
import { deadLetterReconcilers } from '../reconcilers/dead-letters/sources.ts';
import { createDeploymentReconciler } from '../reconcilers/deployment/index.ts';
import {
  createGuardWatch,
  guardChanged,
  tenantOf,
} from '../reconcilers/organization/guard-watch.ts';
import { createOrganizationReconciler } from '../reconcilers/organization/index.ts';
import { createReachability } from '../reconcilers/reachability.ts';
import { label } from '../store/kinds.ts';
import type { Caches, KubeDeps } from './caches.ts';
import { type ControllerOptions, silentMeter, tenancyOf } from './controller-options.ts';
import { resourceController } from './resource-controller.ts';

/** @returns the controllers, in the order in which they are to be started */
export function createControllers(
  kubeDeps: KubeDeps,
  caches: Caches,
  options: ControllerOptions,
): readonly Controller[] {
  const { clock, client, log } = kubeDeps;
  const { organizations, providers, namespaces, builds, jobs, pods, deployments } = caches;
  const { resources } = caches;
  const { meter = silentMeter, shard = 0 } = options;
  const recorder = createRecorder({ client, component: 'fairlead.dev/controller', clock, log });
  const make = (given: Pick<Parameters<typeof createController>[0], 'reconciler' | 'sources'>) => {
    const queue = createWorkqueue(kubeDeps);
    meter.queue(given.reconciler.name, shard, queue);
    return createController({ ...given, queue, clock, log, observer: meter });
  };
  const reachability = createReachability({ clock });
  const onReach: Source['subscribe'] = (enqueue) =>
    reachability.onChange((key) => enqueue([key], 'fresh'));
  const clockSkews = createClockSkews({ clock });
  const onClock: Source['subscribe'] = (enqueue) =>
    clockSkews.onChange((key) => enqueue([key], 'fresh'));
  // Every provider gets a certificate of the new authority.
  const onAuthority: Source['subscribe'] = (enqueue) =>
    options.deployments.certificates.onChange?.(() =>
      enqueue(
        Array.from(providers.items(), ({ metadata }) => keyFor(metadata)),
        'sweep',
      ),
    ) ?? (() => undefined);
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
        clockSkews,
        ...options.deployments,
        guardWatch,
        client,
        recorder,
        clock,
      }),
      sources: [
        watch(providers),
        { ready: () => Promise.resolve(), subscribe: onReach },
        { ready: () => Promise.resolve(), subscribe: onClock },
        { ready: () => Promise.resolve(), subscribe: onAuthority },
        watch(deployments, either(ofProvider)),
        watch(pods, either(ofProvider)),
        watch(
          builds,
          either(({ metadata, spec }) => [keyOfProvider(metadata, spec.provider)]),
        ),
        watch(
          caches.definitions,
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
    resourceController(kubeDeps, caches, { ...options, recorder, reachability, clockSkews }),
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

/** A namespace is named after its organization; others are ignored. */
function ofOrganization({ metadata: { name, labels } }: KubeObject): readonly Key[] {
  return labels?.[label.organization] === 'true' || name.startsWith('fl-') ? [name] : [];
}
