// Lists the next steps for a resource that is not ready, the most useful one first: a rule per reason of its deepest cause.
// Pure.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import { slashed } from '../../../domain/identity.ts';
import { iso, reasonOf, stateOf } from '../state.ts';
import { type Facts, type Link, mostCounted, type NextStep, type ProviderFacts } from './facts.ts';

interface Situation {
  /** The resource that waits for no other. */
  readonly resource: Resource;
  readonly name: string;
  readonly facts: Facts;
}

type Steps = (situation: Situation) => readonly NextStep[];

/** @param chain the deepest cause first */
export function nextSteps(facts: Facts, [deepest]: readonly Link[]): readonly NextStep[] {
  const last = facts.path[facts.path.length - 1] ?? facts.path[0];
  const { resource } = last;
  if (deepest?.state === 'missing' && deepest.kind === 'resource') return create(deepest.ref);
  if (deepest?.state === 'other_project') return moveHere(deepest.ref, slashed(resource.spec));
  const reason = reasonOf(resource, stateOf(resource)) as Reason;
  const situation = { resource, name: slashed(resource.spec), facts };
  return (stepsFor[reason] ?? waitForIt)(situation);
}

function create(ref: string): readonly NextStep[] {
  return [{ do: 'apply', resource: ref, why: `${ref} does not exist; apply it as pending` }];
}

function moveHere(ref: string, user: string): readonly NextStep[] {
  const why = `${ref} belongs to another project; delete ${user}, and apply it in that project`;
  return [{ do: 'delete', resource: user, why }];
}

const waitForIt: Steps = ({ resource }) => {
  const state = stateOf(resource);
  if (state === 'ready') return [];
  return [{ do: 'wait', why: 'Fairlead goes on by itself' }];
};

const waitForAttempt: Steps = ({ resource, name }) => {
  const until = resource.status?.event?.nextAttemptAt;
  const why = 'The next attempt follows by itself';
  return [{ do: 'wait', why, ...(until && { until: iso(until) }) }, ...logsOf(resource, name)];
};

function logsOf({ spec: { provider } }: Resource, name: string): readonly NextStep[] {
  return [
    { do: 'read_logs', provider, resource: name, why: 'The log of the provider shows the failure' },
  ];
}

const retry: Steps = ({ resource, name, facts: { deadLetter, confined } }) => {
  const { provider } = resource.spec;
  if (deadLetter === undefined || confined) return applyAgain(name);
  const { cause, sameCause } = deadLetter;
  const why = `Retry after the cause is repaired${othersIn(sameCause)}`;
  return [{ do: 'retry_dead_letters', provider, cause, why }, ...logsOf(resource, name)];
};

function othersIn(sameCause: number | null): string {
  if (sameCause === null || sameCause === 0) return '';
  const count = sameCause === mostCounted ? `at least ${mostCounted}` : sameCause;
  return `; ${count} more have this cause`;
}

function applyAgain(resource: string): readonly NextStep[] {
  return [{ do: 'apply', resource, why: 'Apply it again after the cause is repaired' }];
}

const retryDeletion: Steps = (situation) => [
  ...retry(situation),
  {
    do: 'force_delete',
    resource: situation.name,
    why: 'Deletes it without its provider; what it created may remain',
  },
];

const applyCorrected: Steps = ({ name }) => [
  { do: 'apply', resource: name, why: 'Apply a corrected config' },
];

const commit: Steps = ({ name }) => [
  { do: 'apply', resource: name, why: `${name} is a draft; apply it as pending` },
];

const deploy: Steps = ({ resource, facts: { provider, confined } }) => {
  const name = resource.spec.provider;
  if (confined || provider === undefined) {
    const why = `Provider ${name} must be deployed by an admin of the organization`;
    return [{ do: 'ask_administrator', provider: name, why }];
  }
  return stepsForProvider(provider);
};

function stepsForProvider(facts: ProviderFacts): readonly NextStep[] {
  const { provider, state, build, external } = facts;
  if (external) {
    const why = `Provider ${provider} runs elsewhere; its endpoint must answer`;
    return [{ do: 'ask_administrator', provider, why }];
  }
  if (state === 'progressing' || state === 'pending') {
    return [{ do: 'wait', provider, why: `Provider ${provider} is starting` }, ...outputOf(facts)];
  }
  if (state === 'failed' && facts.reason !== Reason.BuildMissing) return stepsForFailure(facts);
  if (build?.phase === 'failed') {
    const { jobName, version } = build;
    const why = `The build of version ${version} failed; push corrected code`;
    return [{ do: 'read_build_logs', provider, jobName, version, why }];
  }
  if (build?.phase === 'pending' || build?.phase === 'building') {
    return [{ do: 'wait', provider, why: `Version ${build.version} is being built` }];
  }
  const why = `Provider ${provider} is not deployed; push its code if there is no version`;
  return [{ do: 'deploy', provider, ...(build && { version: build.version }), why }];
}

function stepsForFailure(facts: ProviderFacts): readonly NextStep[] {
  const { provider, reason, previousVersion } = facts;
  const back = { do: 'rollback', provider, why: 'The previous version may work' } as const;
  return [
    ...(reason === Reason.SettingsMissing ? settingsOf(facts) : outputOf(facts)),
    ...(previousVersion === null ? [] : [{ ...back, version: previousVersion }]),
  ];
}

function settingsOf({ provider }: ProviderFacts): readonly NextStep[] {
  const why = `An admin of the organization sets what is missing: fairlead provider settings set --provider ${provider} NAME`;
  return [{ do: 'ask_administrator', provider, why }];
}

function outputOf({ provider }: ProviderFacts): readonly NextStep[] {
  return [{ do: 'read_logs', provider, why: 'The log of the pods shows why they do not start' }];
}

const registerType: Steps = (situation) => {
  const { provider, resource: type } = situation.resource.spec;
  const found = situation.facts.provider;
  if (situation.facts.confined || found === undefined) return deploy(situation);
  const why = `Register type ${provider}/${type}, or deploy a version that has it`;
  const register = { do: 'register_type', provider, type, why } as const;
  return found.state === 'missing' ? [...stepsForProvider(found), register] : [register];
};

const deleteUsers: Steps = ({ name, facts: { users } }) => [
  { do: 'delete_users', resource: name, why: `Delete the ${users.length} resources that use it` },
  { do: 'force_delete', resource: name, why: 'Deletes it although other resources use it' },
];

const createProject: Steps = ({ resource: { spec }, name }) => [
  { do: 'create_project', projectId: spec.project, why: `Project ${spec.project} does not exist` },
  { do: 'delete', resource: name, why: 'Or delete it, and apply it in another project' },
];

function ask(why: string): Steps {
  return () => [{ do: 'ask_administrator', why }];
}

/** Reasons that are missing here pass by themselves. */
const stepsFor: { readonly [reason in Reason]?: Steps } = {
  Draft: commit,
  WaitingForProvider: deploy,
  TypeNotRegistered: registerType,
  RetryScheduled: waitForAttempt,
  InProgress: waitForAttempt,
  ProviderFailed: retry,
  AttemptsExhausted: retry,
  OperationTimedOut: retry,
  UnknownOutput: applyCorrected,
  InvalidConfig: applyCorrected,
  SchemaUnusable: applyCorrected,
  TooLarge: applyCorrected,
  DependencyCycle: ({ name }) => [
    { do: 'apply', resource: name, why: 'Apply it without one dependency of the cycle' },
  ],
  DeleteFailed: retryDeletion,
  InUse: deleteUsers,
  NoProject: createProject,
  QuotaExceeded: ask('Delete resources, or ask for a higher limit of the organization'),
  Suspended: ask('The organization is suspended'),
  Paused: ask('The resource is paused; spec.paused must become false'),
  NoOrganization: ask('The namespace does not belong to an organization'),
  InvalidName: ask('The object must be created again under the name in the message'),
  Forbidden: ask('The API server denies a write that Fairlead needs'),
  Invalid: ask('The log of the controller shows why the API server rejects a write'),
  ReconcileFailed: ask('The log of the controller shows the failure'),
  NamespaceTerminating: ask('The namespace of the organization is being deleted'),
};
