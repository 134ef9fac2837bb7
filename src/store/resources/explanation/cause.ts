// Maps the last resource of a path to what stops it: a provider, a type, a limit, a project, or nothing but itself. Pure.
import { findCondition, Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import { slashed } from '../../../domain/identity.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { referencesIn } from '../../../domain/references.ts';
import { iso, reasonOf, recordOf, shownState, stateOf } from '../state.ts';
import type { Facts, Link, ProviderFacts, Step } from './facts.ts';

/** @param via field of the resource above through which it depends on this one */
export function resourceLink(resource: Resource, via: string | null): Link {
  const { message } = recordOf(resource);
  const since = findCondition(resource.status?.conditions, 'Ready')?.lastTransitionTime;
  return {
    kind: 'resource',
    ref: slashed(resource.spec),
    state: shownState(resource),
    reason: reasonOf(resource, stateOf(resource)),
    message,
    since: since === undefined ? null : iso(since),
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
  const isMissing = waitsFor.is === 'missing';
  return {
    kind: 'resource',
    ref: waitsFor.name,
    state: isMissing ? 'missing' : 'other_project',
    reason: isMissing ? Reason.DependencyMissing : Reason.DependencyInOtherProject,
    message: null,
    since: null,
    via: viaOf(step),
  };
}

type Causes = (resource: Resource, facts: Facts) => readonly Link[];

const ofProvider: Causes = (resource, { provider, confined }) => {
  const { reason, message, since } = resourceLink(resource, null);
  const failed = { kind: 'provider', ref: resource.spec.provider, reason, message, since } as const;
  const state = confined || provider === undefined ? 'failed' : provider.state;
  return [{ ...failed, state, via: null }];
};

const ofMissingProvider: Causes = (resource, { provider, confined }) => {
  if (provider === undefined || confined) {
    const { reason, message, since } = resourceLink(resource, null);
    const ref = resource.spec.provider;
    return [{ kind: 'provider', ref, state: 'pending', reason, message, since, via: null }];
  }
  return [...belowProvider(provider), providerLink(provider)];
};

function providerLink({ provider, state, reason, message, since }: ProviderFacts): Link {
  return { kind: 'provider', ref: provider, state, reason, message, since, via: null };
}

function belowProvider({
  provider,
  state,
  reason,
  build,
  ...facts
}: ProviderFacts): readonly Link[] {
  const isOfBuild = state === 'missing' || reason === Reason.BuildMissing;
  if (isOfBuild && build !== undefined && build.phase !== 'success') {
    const { jobName, phase, error, since } = build;
    const why = phase === 'failed' ? Reason.BuildFailed : Reason.Building;
    return [
      { kind: 'build', ref: jobName, state: phase, reason: why, message: error, since, via: null },
    ];
  }
  if (state === 'missing' || facts.external || facts.version === null) return [];
  const ref = `${provider} ${facts.version}`;
  const { message, since } = facts;
  return [{ kind: 'deployment', ref, state, reason, message, since, via: null }];
}

const ofType: Causes = (resource, facts) => {
  const { reason, message, since } = resourceLink(resource, null);
  const { provider, resource: type } = resource.spec;
  const link = { kind: 'type', ref: `${provider}/${type}`, state: 'missing' } as const;
  const isDeployed = facts.provider !== undefined && facts.provider.state !== 'missing';
  const below = isDeployed ? [] : ofMissingProvider(resource, facts);
  return [...below, { ...link, reason, message, since, via: null }];
};

function ofItself(kind: Link['kind'], state: Link['state'], ref: (resource: Resource) => string) {
  const causes: Causes = (resource) => {
    const { reason, message, since } = resourceLink(resource, null);
    return [{ kind, ref: ref(resource), state, reason, message, since, via: null }];
  };
  return causes;
}

const organization = () => 'organization';

/** Reasons that are missing here are explained by the resource itself. */
const causesOf: { readonly [reason in Reason]?: Causes } = {
  WaitingForProvider: ofMissingProvider,
  TypeNotRegistered: ofType,
  TypeRetired: ofType,
  ProviderFailed: ofProvider,
  AttemptsExhausted: ofProvider,
  OperationTimedOut: ofProvider,
  RetryScheduled: ofProvider,
  DeleteFailed: ofProvider,
  QuotaExceeded: ofItself('quota', 'exhausted', organization),
  Suspended: ofItself('organization', 'suspended', organization),
  NoOrganization: ofItself('organization', 'missing', organization),
  NoProject: ofItself('project', 'missing', ({ spec }) => spec.project),
};

/** @returns the causes below the last resource of a path, the deepest first */
export function causesBelow(last: Step, facts: Facts): readonly Link[] {
  const absent = absentLink(last);
  if (absent !== undefined) return [absent];
  const reason = reasonOf(last.resource, stateOf(last.resource));
  return causesOf[reason as Reason]?.(last.resource, facts) ?? [];
}
