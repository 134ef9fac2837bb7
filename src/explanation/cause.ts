// Maps the last resource of a path to what stops it: a provider, a type, a limit, a project, or nothing but itself. Pure. A state that is
// not wrong is no cause: no cause is available, ready or progressing.
import { Reason } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import { projectIdOf, slashed } from '../domain/identity.ts';
import { referencesIn } from '../domain/references/references.ts';
import type { JsonObject } from '../lib/json.ts';
import { reasonWhile } from '../store/resources/dependencies/unready-dependency.ts';
import { shownState } from '../store/resources/state.ts';
import { attemptOf } from './attempt.ts';
import { objectLinks } from './drift.ts';
import type { Facts, Link, Step } from './facts.ts';
import { type KnownFailure, knownFailure } from './failure.ts';
import { type Present, presentOf } from './present.ts';
import { providerLinks } from './provider-links.ts';

/** The knowledge about the last resource of a path. */
export interface Last {
  readonly step: Step;
  readonly present: Present;
  readonly failure: KnownFailure | undefined;
  /** Whether an attempt is due. */
  readonly isDue: boolean;
}

type CauseFacts = Pick<Facts, 'provider' | 'confined' | 'delivery' | 'culprit' | 'maxAttempts'>;

export function lastOf(step: Step, { delivery, maxAttempts }: CauseFacts, now: Date): Last {
  const at = { now, maxAttempts };
  return {
    step,
    present: presentOf(step, delivery, at),
    failure: knownFailure(step.resource, maxAttempts),
    isDue: attemptOf(step.resource, delivery, at)?.is === 'due',
  };
}

/** @param via field of the resource above through which it depends on this one */
export function resourceLink({ resource }: Step, present: Present, via: string | null): Link {
  return {
    kind: 'resource',
    ref: slashed(resource.spec),
    state: shownState(resource),
    ...present,
    via,
  };
}

/** @returns the field of a resource that names its dependency, such as `config.owner` */
export function viaOf({ resource: { spec }, waitsFor }: Step): string | null {
  if (waitsFor === undefined) return null;
  const reference = referencesIn(spec.config as JsonObject).find(
    ({ to }) => slashed(to) === waitsFor.name,
  );
  return reference === undefined ? 'dependencies' : ['config', ...reference.at].join('.');
}

/** Nothing about a resource of another project is shown, not even its state. */
function absentLink(step: Step): Link | undefined {
  const { waitsFor } = step;
  if (waitsFor?.is !== 'missing' && waitsFor?.is !== 'otherProject') return undefined;
  const state = waitsFor.is === 'missing' ? 'missing' : 'other_project';
  const nothing = { message: null, since: null };
  const reason = reasonWhile[waitsFor.is];
  return { kind: 'resource', ref: waitsFor.name, state, reason, ...nothing, via: viaOf(step) };
}

type Causes = (last: Last, facts: CauseFacts) => readonly Link[];

const ofProvider: Causes = ({ step }, facts) => providerLinks(step.resource.spec.provider, facts);

const ofType: Causes = ({ step, present }, facts) => {
  const { provider, resource: type } = step.resource.spec;
  const isMissing = !facts.confined && facts.provider?.state === 'missing';
  const link = { kind: 'type', ref: `${provider}/${type}`, state: 'missing' } as const;
  return [...(isMissing ? providerLinks(provider, facts) : []), { ...link, ...present, via: null }];
};

function ofItself(kind: Link['kind'], state: Link['state'], ref: (resource: Resource) => string) {
  const causes: Causes = ({ step, present }) => [
    { kind, ref: ref(step.resource), state, ...present, via: null },
  ];
  return causes;
}

const organization = () => 'organization';

/** Its object is observed as soon as the provider answers. */
const whileObserving: Causes = (last, facts) =>
  facts.delivery.isServed ? [] : ofProvider(last, facts);

/** Reasons that are missing here are explained by the failure of an attempt, or by the resource itself. */
const causesOf: { readonly [reason in Reason]?: Causes } = {
  WaitingForProvider: ofProvider,
  Observing: whileObserving,
  TypeNotRegistered: ofType,
  TypeRetired: ofType,
  VersionTooOld: ofType,
  QuotaExceeded: ofItself('quota', 'exhausted', organization),
  Suspended: ofItself('organization', 'suspended', organization),
  NoOrganization: ofItself('organization', 'missing', organization),
  NoProject: ofItself('project', 'missing', projectIdOf),
};

/** The failure is that of the provider, whatever its deployment is doing. A config that does not fit was never sent. */
function ofFailure({ step, present, failure }: Last, facts: CauseFacts): readonly Link[] {
  if (failure === undefined || (failure.kind === 'misfit' && failure.isFinal)) return [];
  if (failure.kind === 'skewed') return [ofClock(step.resource.spec.provider, failure, facts)];
  const { culprit } = facts;
  const reason = failure.isFinal ? present.reason : Reason.RetryScheduled;
  const message =
    culprit !== undefined
      ? `${failure.text}; the event of ${culprit} ended the process`
      : failure.text;
  const ref = step.resource.spec.provider;
  // When an attempt failed is not recorded unless it was the last one.
  const since = failure.isFinal ? present.since : null;
  const isRefusal = failure.kind === 'refused' || failure.kind === 'misfit';
  const state = isRefusal ? 'refused' : 'failed';
  return [{ kind: 'provider', ref, state, reason, message, since, via: null }];
}

/** The message has both times. The clock may be right again by now. */
function ofClock(ref: string, failure: KnownFailure, { provider }: CauseFacts): Link {
  const since = provider?.skewedSince ?? null;
  const reason = Reason.ClockSkew;
  return {
    kind: 'provider',
    ref,
    state: 'failed',
    reason,
    message: failure.text,
    since,
    via: null,
  };
}

/** @returns the causes below the last resource of a path, the deepest first */
export function causesBelow(last: Last, facts: CauseFacts): readonly Link[] {
  const ofObject = objectLinks(last.step.resource, facts.provider);
  if (ofObject.length > 0) return ofObject;
  const absent = absentLink(last.step);
  if (absent !== undefined) return [absent];
  const ofReason = causesOf[last.present.reason as Reason];
  if (ofReason !== undefined) return ofReason(last, facts);
  // An attempt that nobody can take waits for the provider, unless it began before.
  if (last.isDue && !facts.delivery.isServed) return ofProvider(last, facts);
  return ofFailure(last, facts);
}
