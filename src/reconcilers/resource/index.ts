// Moves one Resource along draft → pending → processing → ready | failed, and to its removal. It ignores the trigger of a
// pass: every pass observes everything it needs.
import type { Resource } from '../../crds/resource.ts';
import { definitionNameOf, projectIdOf } from '../../domain/identity.ts';
import {
  again,
  allow,
  type Key,
  keyFor,
  lookAgain,
  type Outcome,
  type Reconciler,
  type ScopedRules,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import { inSpan, noTracer, type Tracer } from '../../lib/tracer.ts';
import { kinds } from '../../store/kinds.ts';
import { isForced, isOrphaned, isReplacementDue } from '../../store/resources/state.ts';
import { traceparentFor } from '../../store/resources/trace.ts';
import { type ActDeps, act } from './act.ts';
import { decide } from './decide.ts';
import { type Removals, recordRemoval } from './deletion/removals.ts';
import { type DeliverDeps, deliver } from './delivery/deliver.ts';
import { ownNumber } from './delivery/own-number.ts';
import { expire, isExpired, untilExpiry } from './expiry/expiry.ts';
import { awaitedBy, rivalsOf } from './imports/rivals.ts';
import { type ObserveDeps, type Observed, observe } from './observe.ts';
import type { Decision } from './situation.ts';
import { goesOn, stalled } from './status/stalled-status.ts';
import { topic, type Waiters } from './waiters.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    allow(['get', 'list', 'watch', 'patch'], 'fairlead.dev', ['resources']),
    allow(['update'], 'fairlead.dev', ['resources/status']),
    allow(['get', 'list', 'watch'], 'fairlead.dev', [
      'resourcedefinitions',
      'providers',
      'organizations',
      'projects',
    ]),
    allow(['get', 'list', 'watch'], '', ['namespaces']),
    allow(['list', 'watch'], '', ['pods']),
  ],
  tenant: [
    allow(['get', 'create', 'delete'], '', ['configmaps']),
    // Expired resources are deleted.
    allow(['delete'], 'fairlead.dev', ['resources']),
  ],
} satisfies ScopedRules;

type ResourceReconcilerDeps = ObserveDeps &
  ActDeps &
  DeliverDeps & {
    readonly waiters: Waiters;
    readonly removals: Removals;
    readonly tracer: Tracer;
  };

export function createResourceReconciler(deps: ResourceReconcilerDeps): Reconciler {
  return {
    name: 'resource',
    async reconcile(key, signal) {
      await recordRemoval(key, deps);
      // Nothing else may happen to a resource during its delivery; the end of the delivery brings the key back.
      if (deps.underWay.has(key)) return whileUnderWay(key, deps);
      const first = await resourcePass(key, deps, signal);
      // A claim is followed by its event at once: back in the queue it would wait behind every other claim.
      return first.decision?.do === 'claim'
        ? (await resourcePass(key, deps, signal)).outcome
        : first.outcome;
    },
    async stalled(key, stall) {
      const resource = deps.resources.get(key);
      if (resource === undefined) return;
      const next = stalled(resource, stall, deps.clock.now());
      if (next === undefined) return;
      await deps.claims.writeStatus(resource, next);
      const { reason, message } = stall;
      const subject = { kind: kinds.resource, metadata: resource.metadata };
      deps.recorder.record(subject, { type: 'Warning', reason, message });
    },
    background: {
      size: () => deps.underWay.endings().length,
      async finish(signal) {
        const recorded = deps.underWay.endings().map(async ([key, ended]) => {
          if ((await ended) && !signal.aborted) await resourcePass(key, deps, signal);
        });
        // An answer that cannot be recorded now is lost with the process, and the event is sent again.
        await Promise.allSettled(recorded);
      },
    },
  };
}

async function whileUnderWay(key: Key, deps: ResourceReconcilerDeps): Promise<Outcome> {
  const resource = deps.resources.get(key);
  if (resource === undefined) return settled;
  if (resource.metadata.deletionTimestamp === undefined) return await expireInTime(resource, deps);
  // The delivery under way of an orphan deletion is finished.
  if (!isOrphaned(resource)) deps.underWay.cancel(key);
  if (!isForced(resource)) return settled;
  const left = deps.underWay.giveUpAfter(key, deps.eventTimeoutMs);
  return left === 0 ? settled : waitUntil(new Date(deps.clock.now().getTime() + left));
}

/** A resource expires although its delivery runs for an hour, as it can be deleted then. */
async function expireInTime(resource: Resource, deps: ResourceReconcilerDeps): Promise<Outcome> {
  const { namespace = '' } = resource.metadata;
  const suspended = deps.organizations.get(namespace)?.spec.suspended ?? false;
  const expiring = { resource, suspended };
  const now = deps.clock.now();
  if (isExpired(expiring, now)) return await expire(expiring, deps);
  return untilExpiry(settled, expiring, now);
}

interface ResourcePass {
  readonly decision?: Decision;
  readonly outcome: Outcome;
}

async function resourcePass(
  key: Key,
  deps: ResourceReconcilerDeps,
  signal: AbortSignal,
): Promise<ResourcePass> {
  try {
    const passed = await onePass(key, deps, signal);
    // The place at the gate that a key was handed may not be wanted any more.
    if (passed.decision?.do !== 'send') deps.gate.forget(key);
    return passed;
  } catch (thrown) {
    deps.gate.forget(key);
    throw thrown;
  }
}

async function onePass(
  key: Key,
  deps: ResourceReconcilerDeps,
  signal: AbortSignal,
): Promise<ResourcePass> {
  deps.waiters.park(key, topicsOf(key, deps));
  const observed = await observe(key, deps);
  const decision =
    observed === undefined ? undefined : decide(observed, deps.clock.now(), deps.policy);
  if (decision?.do !== 'explain') deps.waiters.leave(key);
  if (observed === undefined || decision === undefined) return { outcome: settled };
  const until = (outcome: Outcome) => untilExpiry(outcome, observed, deps.clock.now());
  if (decision.do === 'send') {
    const outcome = await send(decision, observed, { deps, signal });
    return { decision, outcome: until(outcome) };
  }
  const outcome =
    decision.do === 'claim'
      ? await claim(decision, observed, deps)
      : await act(decision, observed, deps);
  // Any other decision writes the status anew.
  const next = isQuiet(decision) ? goesOn(observed.resource, deps.clock.now()) : undefined;
  if (next !== undefined) await deps.claims.writeStatus(observed.resource, next);
  return { decision, outcome: until(outcome) };
}

/** Claims of content without a trace would each begin one of their own. */
function claim(
  decision: Extract<Decision, { do: 'claim' }>,
  observed: Observed,
  deps: ResourceReconcilerDeps,
): Promise<Outcome> {
  const { event } = decision;
  const parent = traceparentFor(observed.resource, event);
  const tracer = parent === undefined ? noTracer : deps.tracer;
  const attributes = { 'cloudevents.event_id': event.id };
  return inSpan(tracer.start('claim', { kind: 'internal', parent, attributes }), () =>
    act(decision, observed, deps),
  );
}

/** The answer is recorded against the version that the delivery was decided on. */
async function send(
  decision: Extract<Decision, { do: 'send' }>,
  observed: Observed,
  { deps, signal }: { deps: ResourceReconcilerDeps; signal: AbortSignal },
): Promise<Outcome> {
  const { resource } = observed;
  const number = await ownNumber(resource, decision.event, deps);
  // The watch brings what has changed; one that is behind is not waited for with one read after the other.
  if (number === 'stale') return lookAgain(deps.clock);
  if (number === 'raised') return again;
  // Another version took over since: its schema decides about a first delivery.
  if (isServedByAnother(observed, deps)) return lookAgain(deps.clock);
  const unrecorded = await deliver(decision, observed, { deps, signal });
  if (unrecorded === undefined) return settled;
  // Its progress was written, for one, or another version took over meanwhile, whose types decide what a refusal means. The answer
  // is kept, and is recorded on what is there now.
  const key = keyFor(resource.metadata);
  const version = deps.resources.get(key)?.metadata.resourceVersion;
  if (version !== resource.metadata.resourceVersion || isServedByAnother(observed, deps)) {
    return (await resourcePass(key, deps, signal)).outcome;
  }
  // Another import may have succeeded during the delivery.
  const rivals = rivalsOf(observed.resource, observed.content, unrecorded, deps);
  const next = decide({ ...observed, rivals, unrecorded }, deps.clock.now(), deps.policy);
  return next.do === 'send' ? lookAgain(deps.clock) : await act(next, observed, deps);
}

/** Returns whether another version of the provider serves by now. */
function isServedByAnother({ resource, servedBy }: Observed, { endpoints }: DeliverDeps): boolean {
  const { namespace = '' } = resource.metadata;
  return endpoints.servingVersion(namespace, resource.spec.provider) !== servedBy?.version;
}

function isQuiet(decision: Decision): boolean {
  return decision.do === 'nothing' || decision.do === 'wait';
}

function topicsOf(
  key: Key,
  { resources, dependencies, ...deps }: ResourceReconcilerDeps,
): readonly string[] {
  const resource = resources.get(key);
  if (resource === undefined) return [];
  const { metadata, spec } = resource;
  const { namespace = '' } = metadata;
  const definition = definitionNameOf(spec.provider, spec.resource);
  // Dependencies trigger passes of their users without parking; a resource being deleted or replaced waits for its users.
  const waitsForUsers = metadata.deletionTimestamp !== undefined || isReplacementDue(resource);
  const users = waitsForUsers ? dependencies.usersOf(key) : [];
  return [
    topic.provider(namespace, spec.provider),
    topic.definition(keyFor({ namespace, name: definition })),
    topic.organization(namespace),
    topic.project(namespace, projectIdOf(resource)),
    ...Array.from(users, topic.resource),
    ...awaitedBy(resource, deps).map(topic.resource),
  ];
}
