// The links of a chain for a provider that takes no events: its build, its deployment, and the provider itself. Pure.
import { Reason } from '../crds/conditions.ts';
import type { Facts, Link, ProviderFacts } from './facts.ts';

/** @returns the deepest first */
export function providerLinks(
  ref: string,
  { provider, confined }: Pick<Facts, 'provider' | 'confined'>,
): readonly Link[] {
  if (confined || provider === undefined) {
    const unknown = { reason: Reason.WaitingForProvider, message: null, since: null, via: null };
    return [{ kind: 'provider', ref, state: 'pending', ...unknown }];
  }
  return [...belowProvider(provider), providerLink(provider)];
}

/** Reasons of a provider that is well. Another generation of it had them, or its pods were there a moment ago. */
const well: ReadonlySet<string | null> = new Set<string | null>([
  Reason.Available,
  Reason.ExternalEndpoint,
]);

/** One that starts, or whose pods take no events for the moment, is no failure: it is pending. */
function providerLink({ provider: ref, state, reason, message, since }: ProviderFacts): Link {
  if (state === 'failed' || state === 'missing') {
    return { kind: 'provider', ref, state, reason, message, since, via: null };
  }
  const shown = well.has(reason)
    ? { reason: Reason.WaitingForProvider, message: 'No pod of it takes events', since: null }
    : { reason, message, since };
  return { kind: 'provider', ref, state: 'pending', ...shown, via: null };
}

/** @returns the build or the deployment that a provider waits for, when that is what is wrong */
function belowProvider(facts: ProviderFacts): readonly Link[] {
  const { provider, state, reason, build } = facts;
  const isOfBuild = state === 'missing' || reason === Reason.BuildMissing;
  if (isOfBuild && build !== undefined && build.phase !== 'success') {
    const { jobName, phase, error, since } = build;
    const why = phase === 'failed' ? Reason.BuildFailed : Reason.Building;
    return [
      { kind: 'build', ref: jobName, state: phase, reason: why, message: error, since, via: null },
    ];
  }
  if (state !== 'failed' || facts.external || facts.version === null) return [];
  const ref = `${provider} ${facts.version}`;
  const { message, since } = facts;
  return [{ kind: 'deployment', ref, state, reason, message, since, via: null }];
}
