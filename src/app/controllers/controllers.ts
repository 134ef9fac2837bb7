// Composes the reconcilers: their triggers and what they share. They share nothing with the HTTP side but the custom
// resources that both read and write.
import type { Provider } from '../../crds/provider.ts';
import { type Informer, type Key, type KubeObject, keyFor, refOf } from '../../kube/api.ts';
import {
  type Controller,
  createController,
  either,
  keysIn,
  type TriggerSource,
  watchCache,
} from '../../kube/controller.ts';
import { createWorkqueue } from '../../kube/queue/workqueue.ts';
import { createRecorder, type Recorder } from '../../kube/recorder.ts';
import { freesTurn, isWaiting } from '../../reconcilers/build/concurrency.ts';
import { buildKeyOf, createBuildReconciler } from '../../reconcilers/build/index.ts';
import { type ClockSkews, createClockSkews } from '../../reconcilers/clock-skew/observation.ts';
import { deadLetterReconcilers } from '../../reconcilers/dead-letters/sources.ts';
import { createDeploymentReconciler } from '../../reconcilers/deployment/index.ts';
import { createMassGuard, type MassGuard } from '../../reconcilers/observation/mass-guard.ts';
import {
  createGuardWatch,
  type GuardWatch,
  guardChanged,
  tenantOf,
} from '../../reconcilers/organization/guard-watch.ts';
import { createOrganizationReconciler } from '../../reconcilers/organization/index.ts';
import { createReachability, type Reachability } from '../../reconcilers/reachability.ts';
import { label } from '../../store/kinds.ts';
import type { Caches, KubeDeps } from '../caches.ts';
import { type ControllerOptions, silentMeter, tenancyOf } from './controller-options.ts';
import { resourceControllers } from './resource-controller.ts';

interface Wiring extends Pick<KubeDeps, 'client' | 'clock' | 'log'> {
  readonly caches: Caches;
  readonly options: ControllerOptions;
  readonly recorder: Recorder;
  readonly reachability: Reachability;
  readonly clockSkews: ClockSkews;
  readonly massGuard: MassGuard;
  readonly guardWatch: GuardWatch;
}

type Wired = Pick<Parameters<typeof createController>[0], 'reconciler' | 'sources'>;

/** @returns the controllers, in the order in which they are to be started */
export function createControllers(
  kubeDeps: KubeDeps,
  caches: Caches,
  options: ControllerOptions,
): readonly Controller[] {
  const { clock, client, log } = kubeDeps;
  const { meter = silentMeter, shard = 0 } = options;
  const recorder = createRecorder({ client, component: 'fairlead.dev/controller', clock, log });
  const reachability = createReachability({ clock });
  const clockSkews = createClockSkews({ clock });
  const massGuard = createMassGuard({ providers: caches.providers, clock });
  const guardWatch = createGuardWatch(caches, tenancyOf(options));
  const shared = { client, clock, log, recorder };
  const wiring = { ...shared, caches, options, reachability, clockSkews, massGuard, guardWatch };
  const make = (wired: Wired) => {
    const queue = createWorkqueue(kubeDeps);
    meter.queue(wired.reconciler.name, shard, queue);
    return createController({ ...wired, queue, clock, log, observer: meter });
  };
  return [
    make(organizations(wiring)),
    make(deployments(wiring)),
    make(builds(wiring)),
    ...deadLetterReconcilers({ ...caches, ...options, ...shared }).map(make),
    ...resourceControllers(kubeDeps, caches, {
      ...options,
      ...{ recorder, reachability, clockSkews, massGuard },
    }),
  ];
}

function organizations(wiring: Wiring): Wired {
  const { caches } = wiring;
  return {
    reconciler: createOrganizationReconciler({ ...caches, ...wiring }),
    sources: [
      watchCache(caches.organizations),
      watchCache(caches.namespaces, either(ofOrganization)),
      ...guardChanges(caches, (namespace) => [namespace]),
      ...Object.values(caches.foreign).map((informer) => watchCache(informer, tenantOf)),
      // A deleted default project is created again.
      watchCache(
        caches.projects,
        either(({ metadata, spec }) =>
          spec.managedBy === 'platform' ? [metadata.namespace ?? ''] : [],
        ),
      ),
    ],
  };
}

function deployments(wiring: Wiring): Wired {
  const { caches, options, reachability, clockSkews, massGuard } = wiring;
  const { providers } = caches;
  const { certificates } = options.deployments;
  // Every provider gets a certificate of the new authority.
  const everyProvider = () => Array.from(providers.items(), ({ metadata }) => keyFor(metadata));
  return {
    reconciler: createDeploymentReconciler({ ...caches, ...options.deployments, ...wiring }),
    sources: [
      watchCache(providers),
      signal((enqueue) => reachability.onChange((key) => enqueue([key], 'fresh'))),
      signal((enqueue) => clockSkews.onChange((key) => enqueue([key], 'fresh'))),
      signal((enqueue) => massGuard.onChange((key) => enqueue([key], 'fresh'))),
      signal(
        (enqueue) =>
          certificates.onChange?.(() => enqueue(everyProvider(), 'sweep')) ?? (() => undefined),
      ),
      watchCache(caches.deployments, either(providerKeys)),
      watchCache(caches.pods, either(providerKeys)),
      watchCache(
        caches.builds,
        either(({ metadata, spec }) => [keyOfProvider(metadata, spec.provider)]),
      ),
      watchCache(
        caches.definitions,
        either(({ metadata, spec }) => [keyOfProvider(metadata, spec.provider)]),
      ),
      // The removal of a provider's last resource completes the provider's deletion.
      watchCache(
        caches.resources,
        either(({ metadata, spec }) => leaving(providers, metadata, spec)),
      ),
      watchCache(caches.organizations, (key) => keysIn(providers, key)),
      watchCache(caches.namespaces, (key) => keysIn(providers, key)),
      ...guardChanges(caches, (namespace) => keysIn(providers, namespace)),
    ],
  };
}

function builds(wiring: Wiring): Wired {
  const { caches, options } = wiring;
  const waiting = (namespace: string | undefined) =>
    [...caches.builds.items(namespace)].filter(isWaiting).map(({ metadata }) => keyFor(metadata));
  const { schemas } = options;
  return {
    reconciler: createBuildReconciler({ ...caches, ...options.builds, ...wiring, schemas }),
    sources: [
      watchCache(caches.builds, (key, before, after) => [
        key,
        ...(freesTurn(before, after) ? waiting(refOf(key).namespace) : []),
      ]),
      watchCache(
        caches.jobs,
        either(({ metadata }) => buildKeyOf(metadata)),
      ),
      watchCache(
        caches.pods,
        either(({ metadata }) => buildKeyOf(metadata)),
      ),
      watchCache(caches.organizations, waiting),
      watchCache(caches.namespaces, waiting),
      ...guardChanges(caches, waiting),
    ],
  };
}

/** Restored guards trigger the objects that wait for them. */
function guardChanges({ guards }: Caches, wakes: (namespace: string) => readonly Key[]) {
  return Object.values(guards).map((informer) =>
    watchCache(informer, (key, before, after) =>
      guardChanged(before, after) ? wakes(refOf(key).namespace ?? '') : [],
    ),
  );
}

/** A source that is ready from the start. */
function signal(subscribe: TriggerSource['subscribe']): TriggerSource {
  return { ready: () => Promise.resolve(), subscribe };
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

function providerKeys({ metadata }: KubeObject): readonly Key[] {
  const name = metadata.labels?.[label.provider];
  return name === undefined ? [] : [keyOfProvider(metadata, name)];
}

/** A namespace is named after its organization; others are ignored. */
function ofOrganization({ metadata: { name, labels } }: KubeObject): readonly Key[] {
  return labels?.[label.organization] === 'true' || name.startsWith('fl-') ? [name] : [];
}
