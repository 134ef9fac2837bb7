// Composes the reconciler of observations: its triggers, and what it shares with deliveries.
import type { Provider } from '../../crds/provider.ts';
import type { Resource } from '../../crds/resource.ts';
import { type Key, keyFor } from '../../kube/api.ts';
import {
  type Controller,
  createController,
  keysIn,
  type TriggerSource,
  watchCache,
} from '../../kube/controller.ts';
import { createWorkqueue } from '../../kube/queue/workqueue.ts';
import type { Recorder } from '../../kube/recorder.ts';
import {
  createObservationReconciler,
  type ObservationDeps,
} from '../../reconcilers/observation/index.ts';
import { createObservationMemory } from '../../reconcilers/observation/memory.ts';
import { createObservationSlots } from '../../reconcilers/observation/slots.ts';
import { measuredSubject } from '../../reconcilers/observation/subject.ts';
import { createGate } from '../../reconcilers/resource/delivery/gate.ts';
import type { DeclaredLimit } from '../../reconcilers/resource/delivery/limits/declared.ts';
import { defaultConcurrentDeliveries } from '../../reconcilers/resource/delivery/limits/provider.ts';
import type { Caches, KubeDeps } from '../caches.ts';
import { type ControllerOptions, silentMeter } from './controller-options.ts';

/** Observations of one pod of a provider at a time: a quarter of its deliveries. */
const concurrentObservations = defaultConcurrentDeliveries / 4;

/** Observations under way. They mostly wait for others. */
const workers = 64;

interface ObservationWiring
  extends Pick<
    ObservationDeps,
    'endpoints' | 'processEnds' | 'dispatch' | 'runs' | 'claims' | 'guard' | 'schemas'
  > {
  readonly recorder: Recorder;
  /** @returns the number of pods of a provider, at least 1 */
  readonly podsOf: (provider: Key) => number;
  /** Returns whether the provider answers, and has a slot that no event needs. */
  readonly hasSpare: (provider: Key) => boolean;
  readonly declared: Pick<DeclaredLimit, 'beside'>;
}

export function observationController(
  { clock, log, random }: KubeDeps,
  caches: Caches,
  {
    podsOf,
    hasSpare,
    declared,
    ...wiring
  }: ObservationWiring & Pick<ControllerOptions, 'meter' | 'shard'>,
): Controller {
  const { meter = silentMeter, shard = 0 } = wiring;
  const queue = createWorkqueue({ clock, random, workers });
  const memory = createObservationMemory();
  const slots = createObservationSlots({
    width: (provider) => concurrentObservations * podsOf(provider),
    hasSpare,
    onFree: (key) => queue.add(key),
  });
  const reconciler = createObservationReconciler({
    ...caches,
    ...wiring,
    memory,
    slots,
    gate: createGate({ observations: slots, declared: declared.beside }),
    meter: meter.observations,
    clock,
  });
  meter.observations.oldest(shard, function* () {
    for (const [key, lastAt] of memory.ages()) {
      const resource = caches.resources.get(key);
      const seconds = (clock.now().getTime() - lastAt) / 1_000;
      if (resource !== undefined) yield { ...measuredSubject(resource), seconds };
    }
  });
  meter.queue(reconciler.name, shard, queue);
  return createController({
    ...{ reconciler, queue, clock, log, observer: meter },
    concurrency: workers,
    sources: triggers(caches),
  });
}

function triggers({
  resources,
  definitions,
  providers,
  organizations,
}: Caches): readonly TriggerSource[] {
  const of = (namespace: string | undefined, isMeant: (resource: Resource) => boolean) =>
    Array.from(resources.items(namespace))
      .filter(isMeant)
      .map(({ metadata }) => keyFor(metadata));
  return [
    watchCache(resources),
    watchCache(definitions, (_key, before, after) => {
      const { metadata, spec } = after ?? before ?? {};
      if (metadata === undefined || spec === undefined) return [];
      const isOf = (resource: Resource) =>
        resource.spec.provider === spec.provider && resource.spec.resource === spec.resource;
      return of(metadata.namespace, isOf);
    }),
    watchCache(providers, (_key, before, after) => {
      const provider = after ?? before;
      if (provider === undefined || before === undefined || !changesWhatFollows(before, after)) {
        return [];
      }
      const { metadata, spec } = provider;
      return of(metadata.namespace, (resource) => resource.spec.provider === spec.provider);
    }),
    watchCache(organizations, (key) => keysIn(resources, key)),
  ];
}

/** Its types in force, or whether corrections are held. */
function changesWhatFollows(before: Provider, after: Provider | undefined): boolean {
  const textOf = (provider: Provider | undefined) => {
    const { spec, status } = provider ?? {};
    const held = status?.conditions?.find(({ type }) => type === 'CorrectionsHeld');
    return JSON.stringify([
      spec?.version,
      spec?.correctionsReleased,
      status?.deployedVersion,
      held?.lastTransitionTime,
    ]);
  };
  return textOf(before) !== textOf(after);
}
