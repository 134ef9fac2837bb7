// The next steps for a provider that takes no events, and for a type that is not registered. Pure.
import { Reason } from '../../crds/conditions.ts';
import { blamesSettings } from '../../domain/providers/settings-trouble.ts';
import { newestStoredVersion } from '../../store/resources/type-version.ts';
import type { NextStep, ProviderFacts } from '../facts.ts';
import type { Situation, Steps } from './situation.ts';

/** Brings up the provider of the resource. */
export const bringUp: Steps = ({ resource, facts: { provider, confined } }) => {
  const name = resource.spec.provider;
  if (confined || provider === undefined) {
    const why = `Provider ${name} is not ready; an admin of the organization deploys it`;
    return [{ do: 'ask_administrator', provider: name, why }];
  }
  return stepsFor(provider);
};

function stepsFor(facts: ProviderFacts): readonly NextStep[] {
  const { provider, state, reason, build, external } = facts;
  if (external) {
    const why = `Provider ${provider} runs elsewhere; its endpoint must answer`;
    return [{ do: 'ask_administrator', provider, why }];
  }
  if (reason === Reason.Suspended || reason === Reason.NoOrganization) {
    return [{ do: 'ask_administrator', provider, why: 'The organization is suspended or missing' }];
  }
  if (state === 'failed' && reason !== Reason.BuildMissing) return afterFailure(facts);
  if (state !== 'failed' && state !== 'missing') return whileStarting(facts);
  if (build?.phase === 'failed') {
    const { jobName, version } = build;
    const why = `The build of version ${version} failed; push corrected code`;
    return [{ do: 'read_build_logs', provider, jobName, version, why }];
  }
  if (build?.phase === 'pending' || build?.phase === 'building') {
    return [{ do: 'wait', provider, why: `Version ${build.version} is being built` }];
  }
  if (build === undefined) {
    return [{ do: 'push', provider, why: `Provider ${provider} has no version; push its code` }];
  }
  const { version } = build;
  return [{ do: 'deploy', provider, version, why: `Version ${version} is built and not deployed` }];
}

function whileStarting(facts: ProviderFacts): readonly NextStep[] {
  const { provider, state } = facts;
  const why = `Provider ${provider} is starting`;
  // Pods that were available a moment ago have nothing to say about their start.
  return [{ do: 'wait', provider, why }, ...(state === 'available' ? [] : outputOf(facts))];
}

function afterFailure(facts: ProviderFacts): readonly NextStep[] {
  const { provider, reason, message, previousVersion, newSettings } = facts;
  if (reason === Reason.SettingsMissing) return setMissing(facts);
  if (newSettings.length > 0) return [...outputOf(facts), correctSettings(facts)];
  if (blamesSettings(message ?? '')) return [...outputOf(facts), setSettings(facts)];
  const why = 'The previous version may work';
  return [
    ...outputOf(facts),
    ...(previousVersion === null
      ? []
      : [{ do: 'rollback', provider, version: previousVersion, why } as const]),
  ];
}

function setMissing({ provider, missingSettings }: ProviderFacts): readonly NextStep[] {
  if (missingSettings.length === 0) {
    const why = `The settings of provider ${provider} are in a Secret that is not its own; an administrator of the cluster corrects spec.settings`;
    return [{ do: 'ask_administrator', provider, why }];
  }
  const why = `Provider ${provider} needs ${missingSettings.join(', ')}`;
  return [{ do: 'set_settings', provider, settings: missingSettings, why }];
}

/** Code that has served is not rolled back for a setting. */
function correctSettings({ provider, newSettings }: ProviderFacts): NextStep {
  const why = `It was ready before ${newSettings.join(', ')} ${newSettings.length === 1 ? 'was' : 'were'} set`;
  return { do: 'set_settings', provider, settings: newSettings, why };
}

/** It cannot run with them, and another version would get the same values. */
function setSettings({ provider }: ProviderFacts): NextStep {
  const why = 'It cannot run with its settings, whatever its version';
  return { do: 'set_settings', provider, settings: [], why };
}

function outputOf({ provider }: ProviderFacts): readonly NextStep[] {
  return [{ do: 'read_logs', provider, why: 'The log of the pods shows why they do not start' }];
}

/** A credential was revoked, for one. The events that wait for it go on by themselves. */
export const renewSettings: Steps = ({ resource, facts: { provider: found, confined } }) => {
  const { provider } = resource.spec;
  const problem = `The settings of provider ${provider} do not work any more`;
  if (confined || found === undefined) {
    const why = `${problem}; an admin of the organization sets others`;
    return [{ do: 'ask_administrator', provider, why }];
  }
  if (found.external) {
    const why = `${problem}; it runs elsewhere, where others are set`;
    return [{ do: 'ask_administrator', provider, why }];
  }
  const why = `${problem}, such as a revoked credential: set others, and what waits goes on by itself`;
  return [{ do: 'set_settings', provider, settings: [], why }];
};

export const registerMissingType: Steps = (situation) => {
  const { provider, resource: type } = situation.resource.spec;
  const found = situation.facts.provider;
  if (situation.facts.confined || found === undefined) {
    const why = `An admin of the organization registers type ${provider}/${type}, or deploys a version that has it`;
    return [{ do: 'ask_administrator', provider, why }];
  }
  const why = `Register type ${provider}/${type}, or push a version that has it`;
  const register = { do: 'register_type', provider, type, why } as const;
  return found.state === 'missing' ? [...stepsFor(found), register] : [register];
};

/** A version that has the type: the one before, or new code. */
export const bringBackType: Steps = ({ resource, facts }) => {
  const { provider, resource: type } = resource.spec;
  const previous = facts.provider?.previousVersion ?? null;
  const push = { do: 'push', provider, why: `Push code that has the type ${type}` } as const;
  if (previous === null) return [push];
  const why = `Version ${previous} of the provider may have the type ${type}`;
  return [push, { do: 'rollback', provider, version: previous, why }];
};

/** The type came with the code of the provider, which has lost it: an ordinary deletion waits for the type. */
export const outliveType: Steps = (situation) => [
  ...bringBackType(situation),
  leaveObject(situation),
];

/** Only code that has the version of the content can delete the object by it. */
export const deployNewer: Steps = (situation) => {
  const { provider, resource: type } = situation.resource.spec;
  const { provider: found, confined } = situation.facts;
  const has = `a version of provider ${provider} that has version ${newestStoredVersion(situation.resource)} of type ${type}`;
  return [bringNewer(found, { provider, has, confined }), leaveObject(situation)];
};

function bringNewer(
  found: ProviderFacts | undefined,
  { provider, has, confined }: { provider: string; has: string; confined: boolean },
): NextStep {
  if (confined || found === undefined || found.external) {
    const why = `Somebody who runs provider ${provider} deploys ${has}`;
    return { do: 'ask_administrator', provider, why };
  }
  const { readingVersion: version } = found;
  return version === undefined
    ? { do: 'push', provider, why: `Push ${has}; the deletion goes on by itself` }
    : { do: 'deploy', provider, version, why: `Deploy ${has}; the deletion goes on by itself` };
}

export function leaveObject({ name }: Situation): NextStep {
  const why = 'Or delete it without its provider, and leave what it created';
  return { do: 'orphan', resource: name, why };
}
