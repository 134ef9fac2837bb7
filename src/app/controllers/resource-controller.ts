// Composes the reconciler of resources: its triggers and what it works with.
import { Reason } from '../../crds/conditions.ts';
import { defaultTimeoutSeconds, maxAskedSeconds } from '../../domain/event.ts';
import { defaultLimits } from '../../domain/limits.ts';
import type { Answer } from '../../events/protocol.ts';
import { type Key, refOf } from '../../kube/api.ts';
import {
  type Controller,
  createController,
  either,
  keysIn,
  type TriggerSource,
  watchCache,
} from '../../kube/controller.ts';
import { createWorkqueue } from '../../kube/queue/workqueue.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { Clock } from '../../lib/clock.ts';
import { noTracer } from '../../lib/tracer.ts';
import type { ClockSkews } from '../../reconcilers/clock-skew/observation.ts';
import { isCrash } from '../../reconcilers/crashes/answer.ts';
import { createProcessEnds, type ProcessEnds } from '../../reconcilers/crashes/process-ends.ts';
import { createUnblamedEnds } from '../../reconcilers/crashes/unblamed-ends.ts';
import { createEndpointChanges } from '../../reconcilers/endpoint-changes.ts';
import { createEndpoints, toEndpoints } from '../../reconcilers/endpoints.ts';
import { createLeakCheck } from '../../reconcilers/observation/leak-check.ts';
import type { MassGuard } from '../../reconcilers/observation/mass-guard.ts';
import { createObservationRuns } from '../../reconcilers/observation/runs.ts';
import type { Reachability } from '../../reconcilers/reachability.ts';
import { createRemovals, type Removals } from '../../reconcilers/resource/deletion/removals.ts';
import { createGate } from '../../reconcilers/resource/delivery/gate.ts';
import { createDeclaredLimit } from '../../reconcilers/resource/delivery/limits/declared.ts';
import { createLongHandlerLimit } from '../../reconcilers/resource/delivery/limits/long-handlers.ts';
import {
  createProviderLimit,
  defaultConcurrentDeliveries,
} from '../../reconcilers/resource/delivery/limits/provider.ts';
import { createSuspectLimit } from '../../reconcilers/resource/delivery/limits/suspects.ts';
import { createProgressWriter } from '../../reconcilers/resource/delivery/progress-writer.ts';
import { createDeliveriesUnderWay } from '../../reconcilers/resource/delivery/under-way.ts';
import { createUnrecordedAnswers } from '../../reconcilers/resource/delivery/unrecorded-answers.ts';
import { createExpiryPace } from '../../reconcilers/resource/expiry/expiry.ts';
import { createResourceReconciler } from '../../reconcilers/resource/index.ts';
import { createWaiters, topic, type Waiters } from '../../reconcilers/resource/waiters.ts';
import { createWaits } from '../../reconcilers/resource/waits.ts';
import { createReceiptStore } from '../../store/dead-letters/orphan-receipts.ts';
import { createDeadLetterStore } from '../../store/dead-letters/store.ts';
import { kinds } from '../../store/kinds.ts';
import { createProjectNames } from '../../store/projects/names.ts';
import { createProjectLookup } from '../../store/projects/object.ts';
import { createResourceQuota } from '../../store/resources/apply/quota.ts';
import { createClaimStore } from '../../store/resources/claims.ts';
import { namespacedTypeOf } from '../../store/resources/managed-objects/identity-index.ts';
import { providerHold } from '../../store/resources/provider-hold.ts';
import type { Caches, KubeDeps } from '../caches.ts';
import { type ControllerOptions, silentMeter, tenancyOf } from './controller-options.ts';
import { observationController } from './observation-controller.ts';

interface Shared {
  readonly massGuard: MassGuard;
  readonly recorder: Recorder;
  readonly reachability: Reachability;
  readonly clockSkews: ClockSkews;
}

/** @returns the controllers of resources and of observations, which share what limits deliveries */
export function resourceControllers(
  kubeDeps: KubeDeps,
  caches: Caches,
  options: ControllerOptions & Shared,
): readonly Controller[] {
  const { clock, client, log, random } = kubeDeps;
  const { policy, workers, backoff, systemNamespace, meter = silentMeter, shard = 0 } = options;
  const { providers, resources } = caches;
  // Organizations must not wait for the slow providers of others, however many these are.
  const queue = createWorkqueue({ clock, random, workers, backoff });
  const processEnds = createProcessEnds({ pods: caches.pods });
  const waiters = createWaiters();
  const delivering = createDelivering(caches, { clock, onFree: (key) => queue.add(key) });
  const { endpoints } = delivering;
  const removals = createRemovals();
  const { identities, claimants } = caches;
  const claims = createClaimStore({ client, cache: resources, identities, claimants });
  const runs = createObservationRuns();
  const warn = (key: Key, reason: string, message: string) => {
    const about = providers.get(key);
    if (about === undefined) return;
    const news = { type: 'Warning', reason, message } as const;
    options.recorder.record({ kind: kinds.provider, metadata: about.metadata }, news);
  };
  const unblamedEnds = createUnblamedEnds((key, ends) => {
    meter.processesRestarted(key, ends);
    const message =
      'A process of the provider ended, and no event is known to blame; another one runs';
    warn(key, Reason.ProcessRestarted, message);
  });
  const dispatch = toEndpoints(endpoints, options.dispatch, unblamedEnds);
  meter.deliveries(shard, delivering.waiting);
  const reconciler = createResourceReconciler({
    ...caches,
    ...delivering,
    schemas: options.schemas,
    answers: createUnrecordedAnswers(),
    waits: createWaits({ clock, policy }),
    waiters,
    quota: createResourceQuota({ ...caches, limits: tenancyOf(options).limits ?? defaultLimits }),
    projects: {
      ...createProjectLookup({ client, cache: caches.projects }),
      nameOf: createProjectNames({ client, cache: caches.projects }).nameOf,
    },
    processEnds,
    eventTimeoutMs: options.eventTimeoutMs ?? defaultTimeoutSeconds * 1_000,
    claims,
    removals,
    expiryPace: createExpiryPace(clock),
    progress: createProgressWriter({ resources, claims, clock }),
    deadLetters: createDeadLetterStore({ client, resources }),
    receipts: createReceiptStore({ client, systemNamespace }),
    dispatch,
    observations: runs,
    leakCheck: createLeakCheck({ ...delivering, gate: delivering.spare, processEnds, dispatch }),
    underWay: createDeliveriesUnderWay({ clock, onEnd: (key) => queue.add(key) }),
    delivered(key, url, answer) {
      const { endpoint } = providers.get(key)?.spec ?? {};
      const { namespace = '', name } = refOf(key);
      if (isCrash(answer)) {
        meter.processEnded(key);
        warn(key, Reason.ProcessEnded, `An event ended its process: ${answer.message}`);
      }
      const urls = () => (endpoint === undefined ? endpoints.urls(namespace, name) : [endpoint]);
      options.clockSkews.delivered(key, { url, answer, urls });
      // For pods, Kubernetes itself reports availability.
      if (endpoint === url) options.reachability.delivered(key, url, answer);
    },
    tracer: options.tracer ?? noTracer,
    recorder: options.recorder,
    policy,
    clock,
    random,
  });
  meter.queue(reconciler.name, shard, queue);
  const endpointChanges = createEndpointChanges(
    endpoints,
    (namespace, provider) => waiters.wake(topic.provider(namespace, provider)),
    clock,
  );
  const observations = observationController(kubeDeps, caches, {
    ...delivering,
    ...{ processEnds, dispatch, runs, claims, meter, shard, schemas: options.schemas },
    guard: options.massGuard,
    recorder: options.recorder,
  });
  const controller = createController({
    reconciler,
    queue,
    clock,
    log,
    observer: meter,
    concurrency: workers,
    // Most deliveries in progress get a response in this time; the next leader sends the others again.
    patienceMs: 2_000,
    sources: triggers(caches, { waiters, processEnds, endpointChanges, removals }),
  });
  return [controller, observations];
}

/** The parts that decide where events go, and how many at a time. */
function createDelivering(
  { providers, pods, resources }: Caches,
  { clock, onFree }: { readonly clock: Clock; readonly onFree: (key: Key) => void },
) {
  const endpoints = createEndpoints({ providers, pods, clock });
  const podsOf = (provider: string) =>
    Math.max(1, providers.get(provider)?.status?.availableReplicas ?? 0);
  const provider = createProviderLimit<Answer>({
    width: (name) => defaultConcurrentDeliveries * podsOf(name),
    onFree,
    clock,
    heldBeforeMs(key) {
      const { namespace, name } = refOf(key);
      const now = clock.now();
      const hold = providerHold(resources.items(namespace), name, now);
      const leftMs = hold === undefined ? 0 : Date.parse(hold.until) - now.getTime();
      return Math.min(leftMs, maxAskedSeconds * 1_000);
    },
  });
  const suspects = createSuspectLimit({ onFree });
  const declared = createDeclaredLimit({
    onFree,
    providerLimit: (name) => providers.get(name)?.status?.concurrency,
  });
  const longHandlers = createLongHandlerLimit({ onFree, podsOf });
  const gate = createGate<Answer>({ longHandlers, suspects, declared, provider });
  const { hasSpare } = provider;
  const spare = createGate({
    provider: {
      enter: (request) => ({ enter: hasSpare(request.provider) ? 'free' : 'busy' }),
      leave: () => undefined,
    },
    declared: declared.beside,
  });
  const waiting = (name: Key) =>
    provider.waiting(name) +
    longHandlers.waiting(name) +
    suspects.waiting(name) +
    declared.waiting(name);
  return { endpoints, gate, spare, declared, waiting, podsOf, hasSpare };
}

interface Triggered {
  readonly waiters: Waiters;
  readonly processEnds: ProcessEnds;
  readonly endpointChanges: ReturnType<typeof createEndpointChanges>;
  readonly removals: Removals;
}

function triggers(
  caches: Caches,
  { waiters, processEnds, endpointChanges, removals }: Triggered,
): readonly TriggerSource[] {
  const { resources, dependencies, claimants } = caches;
  return [
    watchCache(resources, (key, before, after) => {
      removals.changed(before, after);
      // The later of two that got one object may have settled before the other.
      const isNew = before?.status?.identity !== after?.status?.identity;
      const others =
        after === undefined || !isNew ? [] : claimants.othersLike(namespacedTypeOf(after), key);
      return [
        key,
        ...others.map((each) => each.key),
        ...dependencies.usersOf(key),
        ...waiters.wake(topic.resource(key)),
      ];
    }),
    watchCache(caches.definitions, (key) => waiters.wake(topic.definition(key))),
    watchCache(caches.organizations, (key) => waiters.wake(topic.organization(key))),
    watchCache(
      caches.projects,
      either(({ metadata, spec }) =>
        waiters.wake(topic.project(metadata.namespace ?? '', spec.projectId)),
      ),
    ),
    // An object that waits in a namespace under deletion may wait for something that can no longer appear.
    watchCache(
      caches.namespaces,
      either(({ metadata: { name, deletionTimestamp } }) =>
        deletionTimestamp === undefined ? [] : keysIn(resources, name),
      ),
    ),
    watchCache(caches.providers, endpointChanges.ofProvider),
    watchCache(caches.pods, (key, before, after) => {
      processEnds.changed(key);
      return endpointChanges.ofPod(key, before, after);
    }),
  ];
}
