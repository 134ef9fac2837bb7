// Observes the objects of resources: asks their providers what is there, records what differs from the config, and begins corrections
// where they are wanted. Losing an observation costs nothing: the next one finds the same.

import { Reason } from '../../crds/conditions.ts';
import type { Organization } from '../../crds/organization.ts';
import type { Resource } from '../../crds/resource.ts';
import {
  allow,
  type Informer,
  type Key,
  type Outcome,
  type Reconciler,
  type ScopedRules,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { Clock } from '../../lib/clock.ts';
import { kinds } from '../../store/kinds.ts';
import type { ClaimStore } from '../../store/resources/claims.ts';
import { changed } from '../resource/status/status.ts';
import { knownType } from '../resource/type/known-type.ts';
import { intervalOf, isConfirmed, lookAt, nextCorrections } from './correction.ts';
import { type Decision, decide, lookAgainMs } from './decide.ts';
import type { MassGuard } from './mass-guard.ts';
import type { LastObservations } from './memory.ts';
import { type ObserveDeps, observe } from './observe.ts';
import type { ObservationSlots } from './slots.ts';
import { isOutdated, measuredSubject, requestOf, type Subject, subjectOf } from './subject.ts';
import { driftInWords } from './words.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    allow(['get', 'list', 'watch', 'patch'], 'fairlead.dev', ['resources']),
    allow(['update'], 'fairlead.dev', ['resources/status']),
    allow(['get', 'list', 'watch'], 'fairlead.dev', [
      'resourcedefinitions',
      'providers',
      'organizations',
    ]),
    allow(['list', 'watch'], '', ['pods']),
  ],
} satisfies ScopedRules;

export interface ObservationDeps extends ObserveDeps {
  readonly slots: Pick<ObservationSlots, 'arrived' | 'pending'>;
  readonly resources: Pick<Informer<Resource>, 'get' | 'items'>;
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly guard: Pick<MassGuard, 'gate' | 'released'>;
  readonly claims: Pick<ClaimStore, 'writeStatus' | 'runAgain'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly clock: Clock;
}

export function createObservationReconciler(deps: ObservationDeps): Reconciler {
  const { resources, organizations, memory, slots, guard, clock } = deps;
  // A controller is made for each term of a leader.
  const beganAt = clock.now().getTime();

  function situationOf(key: Key, subject: Subject, organization: Organization) {
    const now = clock.now().getTime();
    const { provider, resource } = subject;
    const { namespace = '' } = resource.metadata;
    const next = memory.next(key, subject, now);
    const last = memory.last(key);
    const released = guard.released(provider);
    return {
      subject,
      now,
      beganAt,
      next,
      failures: last?.failures ?? 0,
      isConfirmed: isConfirmed(subject, last, { now, released }),
      request: requestOf(resource),
      isSuspended: organization.spec.suspended ?? false,
      pending: slots.pending(provider),
      gate: () =>
        guard.gate(provider, intervalOf(subject), () =>
          lookAt(subjectsOf(namespace, provider), released),
        ),
    };
  }

  function* subjectsOf(
    namespace: string,
    provider: Key,
  ): Iterable<readonly [subject: Subject, last: LastObservations | undefined]> {
    for (const resource of resources.items(namespace)) {
      if (`${namespace}/${resource.spec.provider}` !== provider) continue;
      const subject = subjectOf(resource, knownType(resource, deps));
      if (subject === undefined) continue;
      yield [subject, memory.last(`${namespace}/${resource.metadata.name}`)];
    }
  }

  /** @returns undefined for what is not observed now */
  function present(key: Key) {
    const resource = resources.get(key);
    const organization = organizations.get(resource?.metadata.namespace ?? '');
    const subject = resource && subjectOf(resource, knownType(resource, deps));
    if (subject === undefined || organization === undefined) return undefined;
    const decision = decide(situationOf(key, subject, organization));
    return { subject, organizationId: organization.spec.externalId, decision };
  }

  async function follow(
    decision: Exclude<Decision, { readonly do: 'observe' }>,
    subject: Subject,
  ): Promise<Outcome> {
    switch (decision.do) {
      case 'nothing':
        return settled;
      case 'wait':
        return waitUntil(decision.until);
      case 'correct':
        return await correctDrift(subject, deps);
    }
  }

  /** Changes meanwhile wake it, so a pass that wrote nothing is not repeated at once. */
  async function afterwards(key: Key): Promise<Outcome> {
    const { subject, decision } = present(key) ?? {};
    if (subject === undefined || decision === undefined) return settled;
    if (decision.do !== 'observe') return await follow(decision, subject);
    return waitUntil(new Date(clock.now().getTime() + lookAgainMs));
  }

  return {
    name: 'observation',
    async reconcile(key, signal): Promise<Outcome> {
      // Nothing is awaited before it enters: between the two, it would not be counted.
      slots.arrived(key);
      const found = present(key);
      if (found === undefined) {
        memory.forget(key);
        return await forgetOutdated(resources.get(key), deps);
      }
      const { subject, organizationId, decision } = found;
      if (decision.do !== 'observe') return await follow(decision, subject);
      const { request } = decision;
      const outcome = await observe({ key, subject, organizationId, request }, deps, signal);
      return outcome ?? (await afterwards(key));
    },
  };
}

/** The provider may have a version now that does not observe objects of the type. */
async function forgetOutdated(
  resource: Resource | undefined,
  deps: ObservationDeps,
): Promise<Outcome> {
  if (resource !== undefined && isOutdated(resource, knownType(resource, deps))) {
    await forgetObject(resource, deps);
  }
  return settled;
}

async function forgetObject(resource: Resource, { claims, clock }: ObservationDeps): Promise<void> {
  const message = 'Objects of the type are not observed any more';
  const change = { state: 'ready', reason: Reason.Processed, message, notObserved: null } as const;
  const fields = { drift: undefined };
  await claims.writeStatus(resource, changed(resource, { ...change, fields }, clock.now()));
}

/** The count first, with the generation that the change of the spec makes: after a crash between the two, it is known what was begun. */
async function correctDrift(subject: Subject, deps: ObservationDeps): Promise<Outcome> {
  const { resource } = subject;
  const { status, metadata } = resource;
  if (status?.drift === undefined) return settled;
  const corrections = nextCorrections(subject, deps.clock.now());
  const written = await deps.claims.writeStatus(resource, { ...status, corrections });
  await deps.claims.runAgain(written);
  deps.meter.corrected(measuredSubject(resource));
  const message = `Correcting: ${driftInWords(status.drift)}`;
  const reason = status.drift.kind === 'Gone' ? Reason.Gone : Reason.Drifted;
  deps.recorder.record({ kind: kinds.resource, metadata }, { type: 'Normal', reason, message });
  return settled;
}
