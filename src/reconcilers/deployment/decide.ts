// Pure. Decides the next step of a provider. Read the list; that is the flow. First match wins.
import { findCondition, Reason } from '../../crds/conditions.ts';
import { providerFinalizer } from '../../crds/provider.ts';
import { endpointProblem } from '../../events/endpoint-url.ts';
import { firstMatch } from '../../lib/first-match.ts';
import { annotation } from '../../store/kinds.ts';
import { missingSettings } from '../../store/providers/setting-names.ts';
import { reachInWords } from '../reachability.ts';
import type { Observed } from './observe.ts';
import { isCurrent, type Progress, rolloutProgress } from './progress.ts';
import { type At, type RenewalDecision, renewRunning, renewServing } from './renewal.ts';
import { strangeSecret } from './settings.ts';
import { type TypeChange, typesToSettle, typesToStage } from './type-changes.ts';

export type Decision =
  | { readonly do: 'nothing' }
  /** Add the finalizer before creating anything that deletions of resources will need. */
  | { readonly do: 'protect' }
  /** Remove it: the provider's objects are deleted with it. */
  | { readonly do: 'release' }
  /** Apply the Deployment for the version and the number of replicas. */
  | { readonly do: 'apply' }
  /** It was applied a moment ago and then changed: applying it again at once would loop. */
  | { readonly do: 'wait'; readonly ms: number }
  /** Fairlead runs nothing of this provider (any more). */
  | { readonly do: 'remove' }
  /** Store definitions of the types of a version before it takes over, or put them in their place afterwards. */
  | { readonly do: 'changeTypes'; readonly changes: readonly TypeChange[] }
  | { readonly do: 'explain'; readonly progress: Progress }
  | RenewalDecision;

type Rule = (observed: Observed, given: DecisionInput) => Decision | undefined;

/** Why the wanted version may not be applied. The running one continues. */
const obstacles: readonly Rule[] = [
  explainWithoutBuild,
  explainMissingSettings,
  leaveWhileSuspended,
];

const rules: readonly Rule[] = [
  releaseWithoutResources,
  leaveToOthersOnceReleased,
  protectWhatIsHosted,
  removeWhatIsNotWanted,
  explainEndpoint,
  explainNotDeployed,
  explainWithoutOrganization,
  settleTypes,
  renewServing,
  continueWithRunning,
  startNothingWhileDeleted,
  stageTypes,
  waitForGuards,
  applyWhatDiffers,
  waitForKubernetes,
];

interface DecisionInput extends At {
  /** Fingerprint of the wanted Deployment. */
  readonly manifest: string;
}

export function decide(observed: Observed, given: DecisionInput): Decision {
  const decision = firstMatch(rules, observed, given);
  return decision ?? { do: 'explain', progress: rolloutProgress(observed, given.now) };
}

function releaseWithoutResources({ provider, hasResources }: Observed): Decision | undefined {
  const { deletionTimestamp } = provider.metadata;
  if (deletionTimestamp === undefined || !hasProviderFinalizer(provider)) return undefined;
  // An external provider may be gone already: its deletion does not wait for resources.
  const hosted = provider.spec.version !== undefined;
  return hosted && hasResources ? undefined : { do: 'release' };
}

function leaveToOthersOnceReleased({ provider }: Observed): Decision | undefined {
  const { deletionTimestamp } = provider.metadata;
  return deletionTimestamp !== undefined && !hasProviderFinalizer(provider)
    ? { do: 'nothing' }
    : undefined;
}

function protectWhatIsHosted({ provider }: Observed): Decision | undefined {
  const { metadata, spec } = provider;
  if (spec.version === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  return hasProviderFinalizer(provider) ? undefined : { do: 'protect' };
}

function hasProviderFinalizer({ metadata }: Observed['provider']): boolean {
  return metadata.finalizers?.includes(providerFinalizer) ?? false;
}

function removeWhatIsNotWanted({ provider, deployment }: Observed): Decision | undefined {
  if (provider.spec.version !== undefined || deployment === undefined) return undefined;
  return deployment.metadata.deletionTimestamp === undefined ? { do: 'remove' } : undefined;
}

function explainEndpoint({ provider, reach }: Observed): Decision | undefined {
  const { endpoint, caBundle } = provider.spec;
  if (endpoint === undefined) return undefined;
  const problem = endpointProblem(endpoint, caBundle);
  if (problem !== undefined) return explainAs('failed', Reason.InvalidEndpoint, problem);
  if (reach?.url === endpoint) {
    const words = reachInWords(reach);
    return reach.answers
      ? explainAs('available', Reason.ExternalEndpoint, words)
      : explainAs('failed', Reason.Unreachable, words);
  }
  // The finding of an earlier process holds until a new one; what else was found out may have changed.
  const found = findingOf(provider);
  if (found !== undefined) return found;
  const message = 'Events are sent to spec.endpoint';
  return explainAs('available', Reason.ExternalEndpoint, message);
}

function findingOf({ metadata, status }: Observed['provider']): Decision | undefined {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready === undefined || status?.observedGeneration !== metadata.generation) return undefined;
  switch (ready.reason) {
    case Reason.ExternalEndpoint:
      return explainAs('available', Reason.ExternalEndpoint, ready.message);
    case Reason.Unreachable:
      return explainAs('failed', Reason.Unreachable, ready.message);
    default:
      return undefined;
  }
}

function explainNotDeployed({ provider }: Observed): Decision | undefined {
  if (provider.spec.version !== undefined) return undefined;
  const message = 'No endpoint is set and no version is deployed';
  return explainAs('progressing', Reason.NotDeployed, message);
}

function explainWithoutOrganization({ organization }: Observed): Decision | undefined {
  if (organization !== undefined) return undefined;
  const message = 'The namespace does not belong to an organization';
  return explainAs('failed', Reason.NoOrganization, message);
}

/** Not in a deletion: what serves is in force without it, and the types go with the Provider. */
function settleTypes(observed: Observed): Decision | undefined {
  if (observed.provider.metadata.deletionTimestamp !== undefined) return undefined;
  return changeTypes(typesToSettle(observed));
}

/** A version whose types are not stored yet does not take over any more; the one that serves ends the resources. */
function startNothingWhileDeleted(observed: Observed, given: DecisionInput): Decision | undefined {
  const { deletionTimestamp } = observed.provider.metadata;
  if (deletionTimestamp === undefined || typesToStage(observed).length === 0) return undefined;
  return { do: 'explain', progress: rolloutProgress(observed, given.now) };
}

/** Before anything of the version runs: what takes over must be complete. */
function stageTypes(observed: Observed): Decision | undefined {
  return changeTypes(typesToStage(observed));
}

function changeTypes(changes: readonly TypeChange[]): Decision | undefined {
  return changes.length === 0 ? undefined : { do: 'changeTypes', changes };
}

function continueWithRunning(observed: Observed, given: DecisionInput): Decision | undefined {
  const obstacle = firstMatch(obstacles, observed, given);
  return obstacle === undefined ? undefined : (renewRunning(observed, given) ?? obstacle);
}

function explainWithoutBuild({ provider, build }: Observed): Decision | undefined {
  if (build?.status?.phase === 'success' && build.status.artifact !== undefined) return undefined;
  const message = `There is no successful build of version ${provider.spec.version ?? ''}`;
  return explainAs('failed', Reason.BuildMissing, message);
}

/** Setting them is a write of the Provider, which triggers the next pass. */
function explainMissingSettings(observed: Observed): Decision | undefined {
  const strange = strangeSecret(observed);
  if (strange !== undefined) {
    const message = `spec.settings.secret names ${strange}, which is not a Secret of the settings of this provider; set the settings again, or name the Secret in spec.settingsSecret`;
    return explainAs('failed', Reason.SettingsMissing, message);
  }
  const missing = missingSettings(observed);
  if (missing.length === 0) return undefined;
  const { provider, version = '' } = observed.provider.spec;
  const list = missing.join(', ');
  const command = `fairlead provider settings set --provider ${provider} ${missing.join(' ')}`;
  const message = `Version ${version} requires settings that are not set: ${list}; set them with: ${command}`;
  return explainAs('failed', Reason.SettingsMissing, message);
}

/** The running version stays unchanged and its progress is recorded; nothing new starts. */
function leaveWhileSuspended(observed: Observed, given: DecisionInput): Decision | undefined {
  if (observed.organization?.spec.suspended !== true) return undefined;
  if (applyWhatDiffers(observed, given) === undefined) return undefined;
  return explainAs('progressing', Reason.Suspended, 'The organization is suspended');
}

/** The running version continues; nothing is created or changed in a namespace with missing guards. */
function waitForGuards(observed: Observed, given: DecisionInput): Decision | undefined {
  if (observed.unguarded === undefined) return undefined;
  if (applyWhatDiffers(observed, given) === undefined) return undefined;
  return explainAs('progressing', Reason.GuardsMissing, observed.unguarded);
}

function applyWhatDiffers(observed: Observed, { manifest }: DecisionInput): Decision | undefined {
  if (isAsApplied(observed, manifest)) return undefined;
  const { applied } = observed;
  const isRepeated = applied?.manifest === manifest && applied.waitMs > 0;
  return isRepeated ? { do: 'wait', ms: applied.waitMs } : { do: 'apply' };
}

function isAsApplied({ provider, deployment, applied: last }: Observed, manifest: string): boolean {
  if (deployment === undefined) return false;
  const { annotations, uid, generation } = deployment.metadata;
  // Another write would only give the same result of the webhook.
  const isAnswer = last?.uid === uid && last?.generation === generation;
  if (last?.manifest === manifest && isAnswer) return true;
  const isOurs = annotations?.[annotation.manifest] === manifest;
  return isOurs && deployment.spec?.replicas === (provider.spec.replicas ?? 1);
}

/** A version that serves would otherwise be reported as starting for a moment whenever its number of pods changes. */
function waitForKubernetes({ provider, deployment }: Observed): Decision | undefined {
  const { deployedVersion } = provider.status ?? {};
  if (deployment === undefined || deployedVersion !== provider.spec.version) return undefined;
  return isCurrent(deployment) ? undefined : { do: 'nothing' };
}

function explainAs(
  state: Progress['state'],
  reason: Progress['reason'],
  message: string,
): Decision {
  return { do: 'explain', progress: { state, reason, message } };
}
