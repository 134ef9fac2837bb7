// Observes the objects of resources: asks their providers what is there, records what differs from the config, and begins corrections
// where they are wanted. Losing an observation costs nothing: the next one says the same.

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
import { candidateOf, isConfirmed, lookAt, nextCorrections } from './correction.ts';
import { decide } from './decide.ts';
import type { MassGuard } from './mass-guard.ts';
import { type ObserveDeps, observe } from './observe.ts';
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
  readonly resources: Pick<Informer<Resource>, 'get' | 'items'>;
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly guard: Pick<MassGuard, 'isHeld' | 'releasedAt'>;
  readonly claims: Pick<ClaimStore, 'writeStatus' | 'runAgain'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly clock: Clock;
}

export function createObservationReconciler(deps: ObservationDeps): Reconciler {
  const { resources, organizations, memory, slots, guard, clock } = deps;

  function situationOf(key: Key, subject: Subject, organization: Organization) {
    const now = clock.now().getTime();
    const { provider, resource } = subject;
    const { namespace = '' } = resource.metadata;
    const next = memory.next(key, subject, now);
    const { observedAt = 0, failures = 0 } = memory.last(key) ?? {};
    return {
      subject,
      now,
      next,
      failures,
      isConfirmed: isConfirmed(subject, {
        observedAt,
        now,
        releasedAt: guard.releasedAt(provider),
      }),
      request: requestOf(resource),
      isSuspended: organization.spec.suspended ?? false,
      pending: slots.pending(provider),
      isHeld: () =>
        guard.isHeld(provider, candidateOf(subject), () => lookAt(subjectsOf(namespace, provider))),
    };
  }

  function* subjectsOf(
    namespace: string,
    provider: Key,
  ): Iterable<readonly [subject: Subject, observedAt: number | undefined]> {
    for (const resource of resources.items(namespace)) {
      if (`${namespace}/${resource.spec.provider}` !== provider) continue;
      const subject = subjectOf(resource, knownType(resource, deps));
      const last = memory.last(`${namespace}/${resource.metadata.name}`);
      if (subject !== undefined) yield [subject, last?.observedAt];
    }
  }

  return {
    name: 'observation',
    async reconcile(key, signal): Promise<Outcome> {
      // Nothing is awaited before it enters: between the two, it would not be counted.
      slots.arrived(key);
      const resource = resources.get(key);
      const organization = organizations.get(resource?.metadata.namespace ?? '');
      const known = resource && knownType(resource, deps);
      const subject = resource && known && subjectOf(resource, known);
      if (subject === undefined || organization === undefined) {
        memory.forget(key);
        if (resource && known && isOutdated(resource, known)) await forgetObject(resource, deps);
        return settled;
      }
      const decision = decide(situationOf(key, subject, organization));
      switch (decision.do) {
        case 'nothing':
          return settled;
        case 'wait':
          return waitUntil(decision.until);
        case 'correct':
          return await correct(subject, deps);
        case 'observe': {
          const { externalId: organizationId } = organization.spec;
          const asked = { key, subject, organizationId, request: decision.request };
          return await observe(asked, deps, signal);
        }
      }
    },
  };
}

/** The provider has a version now that does not observe objects of the type. */
async function forgetObject(resource: Resource, { claims, clock }: ObservationDeps): Promise<void> {
  const message = 'Objects of the type are not observed any more';
  const change = { state: 'ready', reason: Reason.Processed, message, notObserved: null } as const;
  const fields = { drift: undefined };
  await claims.writeStatus(resource, changed(resource, { ...change, fields }, clock.now()));
}

/** The count first, with the generation that the change of the spec makes: after a crash between the two, it is known what was begun. */
async function correct(subject: Subject, deps: ObservationDeps): Promise<Outcome> {
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
