// Lists the next steps for a resource that is not ready, the most useful one first: a rule for each present reason of its deepest
// cause, and for each kind of failure. Pure.
import { Reason } from '../../crds/conditions.ts';
import { projectIdOf, slashed } from '../../domain/identity.ts';
import { iso, resourceState } from '../../store/resources/state.ts';
import type { Last } from '../cause.ts';
import type { Facts, Link, NextStep } from '../facts.ts';
import { aboutObject, resume } from './drift.ts';
import { correctClock, showing, stepsForFailure } from './failure.ts';
import {
  bringUp,
  deployNewer,
  outliveType,
  registerMissingType,
  renewSettings,
} from './provider.ts';
import type { Situation, Steps } from './situation.ts';

/** @param chain the deepest cause first */
export function nextSteps(
  facts: Facts,
  last: Last,
  [deepest]: readonly Link[],
): readonly NextStep[] {
  const { resource } = last.step;
  const situation = { resource, name: slashed(resource.spec), last, facts };
  if (deepest?.kind === 'resource' && deepest.state === 'missing') {
    return applyMissing(deepest.ref, situation);
  }
  if (deepest?.state === 'other_project') return moveHere(deepest.ref, situation);
  if (resourceState(resource) === 'ready') return aboutObject(situation);
  const { present, failure } = last;
  if (failure?.isFinal === true) return stepsForFailure(failure, situation);
  const clock = deepest?.reason === Reason.ClockSkew ? correctClock(situation) : [];
  return [...clock, ...(stepsFor[present.reason as Reason] ?? waitForIt)(situation)];
}

/** The resource that waits cannot be changed: its user is deleted and applied again with the name that was meant. */
function applyMissing(ref: string, { name, facts: { meant } }: Situation): readonly NextStep[] {
  if (meant === undefined) {
    return [{ do: 'apply', resource: ref, why: `${ref} does not exist; apply it as pending` }];
  }
  const why = `${ref} does not exist; did you mean ${meant}? A resource that waits cannot be changed: delete ${name}, and apply it with that name`;
  return [
    { do: 'delete', resource: name, why },
    { do: 'apply', resource: ref, why: `Or apply ${ref} as pending` },
  ];
}

function moveHere(ref: string, { name }: Situation): readonly NextStep[] {
  const why = `${ref} belongs to another project; delete ${name}, and apply it in that project`;
  return [{ do: 'delete', resource: name, why }];
}

const waitForIt: Steps = ({ resource }) => {
  if (resourceState(resource) === 'ready') return [];
  return [{ do: 'wait', why: 'Fairlead goes on by itself' }];
};

/** An earlier attempt may have failed. */
const waitForAttempt: Steps = (situation) => {
  const { last, facts } = situation;
  if (last.isDue && !facts.delivery.isServed) return bringUp(situation);
  if (facts.delivery.areSettingsRefused === true) return renewSettings(situation);
  const shown = last.failure === undefined ? [] : showing(last.failure, situation);
  if (last.isDue) return [...waitForIt(situation), ...shown];
  const until = situation.resource.status?.event?.nextAttemptAt;
  const why = 'The next attempt follows by itself';
  return [{ do: 'wait', why, ...(until && { until: iso(until) }) }, ...shown];
};

const waitForObservation: Steps = (situation) =>
  situation.facts.delivery.isServed ? waitForIt(situation) : bringUp(situation);

const findObject: Steps = ({ name, resource: { spec } }) => {
  const by = spec.adopt === undefined ? 'the config' : 'adopt';
  return [
    { do: 'edit', resource: name, why: `Correct ${by} by which the provider finds the object` },
    { do: 'observe', resource: name, why: 'Or create the object, and have it observed now' },
  ];
};

const commit: Steps = ({ name }) => [
  { do: 'apply', resource: name, why: `${name} is a draft; apply it as pending` },
];

const breakCycle: Steps = ({ name }) => [
  {
    do: 'delete',
    resource: name,
    why: `A resource that waits cannot be changed: delete ${name}, and apply it without one dependency of the cycle`,
  },
];

/** The counter is only raised, so a replacement that was requested cannot be taken back. */
const deleteUsers: Steps = (situation) => {
  const { name, facts, resource } = situation;
  const force = 'Deletes it although other resources use it';
  const isLeaving = resource.metadata.deletionTimestamp !== undefined;
  const { length } = facts.users;
  return [
    ...(length === 0
      ? waitForIt(situation)
      : [{ do: 'delete_users', resource: name, why: usersInWords(length) } as const]),
    ...(isLeaving ? [{ do: 'force_delete', resource: name, why: force } as const] : []),
  ];
};

function usersInWords(count: number): string {
  return count === 1
    ? 'Delete the resource that uses it'
    : `Delete the ${count} resources that use it`;
}

const createProject: Steps = ({ resource, name }) => {
  const projectId = projectIdOf(resource);
  return [
    { do: 'create_project', projectId, why: `Project ${projectId} does not exist` },
    { do: 'delete', resource: name, why: 'Or delete it, and apply it in another project' },
  ];
};

const unprotect: Steps = ({ name }) => [
  { do: 'unprotect', resource: name, why: 'It is protected; lift the protection, if it may go' },
];

const restoreOrReplace: Steps = ({ name }) => [
  { do: 'edit', resource: name, why: 'Restore the value that what exists was created with' },
  {
    do: 'replace',
    resource: name,
    why: 'Or have it deleted and created again with the new value; what it holds is lost',
  },
];

const makeRoom: Steps = ({ resource: { metadata } }) => [
  {
    do: 'ask_administrator',
    why: `The organization has reached a limit: delete resources that are not needed, or have an administrator of the cluster raise it: kubectl edit organizations.fairlead.dev ${metadata.namespace ?? ''}`,
  },
];

function askAdministrator(why: string): Steps {
  return () => [{ do: 'ask_administrator', why }];
}

/** Reasons that are missing here pass by themselves. Failures for good are in `failure.ts`. */
const stepsFor: { readonly [reason in Reason]?: Steps } = {
  Draft: commit,
  WaitingForProvider: bringUp,
  TypeNotRegistered: registerMissingType,
  TypeRetired: outliveType,
  VersionTooOld: deployNewer,
  Processing: waitForAttempt,
  Deleting: waitForAttempt,
  RetryScheduled: waitForAttempt,
  InProgress: waitForAttempt,
  Importing: waitForAttempt,
  Observing: waitForObservation,
  NotFound: findObject,
  RateLimited: waitForAttempt,
  SettingsRefused: renewSettings,
  DependencyCycle: breakCycle,
  InUse: deleteUsers,
  NoProject: createProject,
  QuotaExceeded: makeRoom,
  Suspended: askAdministrator('The organization is suspended'),
  Paused: resume,
  Protected: unprotect,
  ImmutableField: restoreOrReplace,
  Replacing: waitForAttempt,
  NoOrganization: askAdministrator('The namespace does not belong to an organization'),
  InvalidName: askAdministrator('The object must be created again under the name in the message'),
  Forbidden: askAdministrator('The API server denies a write that Fairlead needs'),
  Invalid: askAdministrator('The log of the controller shows why the API server rejects a write'),
  ReconcileFailed: askAdministrator('The log of the controller shows the failure'),
  NamespaceTerminating: askAdministrator('The namespace of the organization is being deleted'),
};
