// The reasons of conditions that Resources alone carry, and Builds for one of them.
import type { ConditionType } from './condition-types.ts';
import type { KindName } from './kind-names.ts';

export interface ReasonDescription {
  /** Conditions that have this reason, for each kind; none for a reason of events. */
  readonly carriedBy: { readonly [kind in KindName]?: readonly ConditionType[] };
  readonly meaning: string;
  readonly action: string;
  /** Why a resource with the reason waits, in the summary of its explanation. Default: the reason itself. */
  readonly clause?: string;
}

export const wait = 'No action is needed.';
export const waits = { Resource: ['Ready', 'Reconciling'] } as const;
export const stays = { Resource: ['Ready', 'Stalled'] } as const;
const fails = { Resource: ['Ready', 'Stalled', 'DeadLettered'] } as const;

export const resourceReasons = {
  Draft: {
    carriedBy: { Resource: ['Draft'] },
    meaning: 'The resource is stored only. Its provider gets no event.',
    action: 'Apply it as `pending`, or set `spec.lifecycle` to `Committed`.',
  },
  Queued: {
    carriedBy: { ...waits, Build: ['Ready', 'Reconciling'] },
    meaning: 'The resource waits for its next event, or the build for other builds to finish.',
    action: wait,
  },
  WaitingForProvider: {
    carriedBy: waits,
    meaning: 'No provider of this name is ready to receive events.',
    action: 'Deploy the provider, or look at the conditions of the Provider.',
  },
  DependenciesNotReady: {
    carriedBy: waits,
    meaning: 'Resources that this one depends on are not ready yet.',
    action: wait,
  },
  DependencyMissing: {
    carriedBy: waits,
    meaning: 'A resource that this one depends on does not exist in the project.',
    action: 'Apply the missing resource, or correct the reference.',
  },
  DependencyFailed: {
    carriedBy: waits,
    meaning: 'A resource that this one depends on has failed.',
    action: 'Repair or retry that resource.',
  },
  DependencyDraft: {
    carriedBy: waits,
    meaning: 'A resource that this one depends on is a draft.',
    action: 'Commit that resource.',
  },
  DependencyInOtherProject: {
    carriedBy: stays,
    meaning: 'A resource that this one depends on belongs to another project.',
    action: 'Delete one of the two, and apply it again in the project of the other.',
  },
  DependencyCycle: {
    carriedBy: stays,
    meaning: 'The dependencies form a cycle, which the message shows.',
    action: 'Remove one dependency of the cycle.',
  },
  UnknownOutput: {
    carriedBy: fails,
    meaning: 'The config refers to an output that the other resource does not have.',
    action: 'Correct the reference, or have the other provider return the output; then retry.',
  },
  InUse: {
    carriedBy: waits,
    meaning:
      'The resource is being deleted or is to be replaced, and other resources still use it.',
    action:
      'Delete the resources that use it, or delete the resource with `force=true`. To replace it, apply its users with `replace` in one batch or set.',
  },
  TypeNotRegistered: {
    carriedBy: waits,
    meaning: 'The type of the resource is not registered.',
    action: 'Deploy the provider, or register the type.',
  },
  TypeRetired: {
    carriedBy: { Resource: ['Ready', 'Reconciling', 'Stalled', 'DeadLettered'] },
    meaning:
      'The version of the provider that serves lacks the type of the resource. Nothing is sent, deletions included.',
    action:
      'Deploy a version that has the type, or delete the resource with force, which leaves what its provider created.',
  },
  VersionTooOld: {
    carriedBy: waits,
    meaning:
      'The resource is being deleted or replaced, and the version of its type that serves cannot read what a newer one stored, such as after a rollback of the provider. No attempt is spent, and the deletion goes on by itself.',
    action:
      'Deploy a version of the provider that has the version of the type in the message, or delete the resource with `orphan=true`, which leaves what its provider created.',
    clause: 'the version of its type that serves is older than its content',
  },
  InvalidConfig: {
    carriedBy: fails,
    meaning: 'The config, with its references resolved, does not fit the schema of the type.',
    action: 'Apply a config that fits.',
  },
  SchemaUnusable: {
    carriedBy: fails,
    meaning: 'The config cannot be checked against the schema of the type.',
    action: 'Register another schema or apply another config, and retry.',
  },
  TooLarge: {
    carriedBy: fails,
    meaning: 'The config, its resolved copy and the outputs are together too large to be stored.',
    action: 'Apply a smaller config, or have the provider return smaller outputs; then retry.',
  },
  Paused: {
    carriedBy: waits,
    meaning: '`spec.paused` is true. No new event is sent.',
    action: 'Set `spec.paused` to false.',
    clause: 'it is paused',
  },
  ImmutableField: {
    carriedBy: stays,
    meaning:
      'The config, or an output that it refers to, changes a field that the type marks as immutable. Nothing was sent.',
    action:
      'Restore the value that the message names, or request a replacement with `replace=true`.',
    clause: 'a field that cannot change has another value',
  },
  Protected: {
    carriedBy: waits,
    meaning: 'A deletion or replacement is requested of a resource that is protected.',
    action: 'Set `spec.protected` to false, if the resource may be deleted or replaced.',
    clause: 'it is protected',
  },
  Replacing: {
    carriedBy: waits,
    meaning:
      'The provider deletes what it created and then creates it again, because a replacement was requested.',
    action: wait,
  },
  Processing: {
    carriedBy: waits,
    meaning: 'A create or update event is claimed and sent to the provider.',
    action: wait,
  },
  InProgress: {
    carriedBy: waits,
    meaning: 'The provider answered 202. Fairlead asks again until the operation ends.',
    action: wait,
  },
  RetryScheduled: {
    carriedBy: waits,
    meaning: 'An attempt failed, and another one follows.',
    action: 'Read the message if the failure repeats.',
  },
  RateLimited: {
    carriedBy: waits,
    meaning:
      'The provider asked to wait (429 with `Retry-After`), and gets the event again after that. No attempt is spent.',
    action: wait,
  },
  SettingsRefused: {
    carriedBy: waits,
    meaning:
      'The settings of the provider do not work any more, such as a revoked credential: equal events failed, and its `check` refuses. Nothing is sent to it meanwhile but one event now and then, no attempt is spent, and no limit ends the wait.',
    action: 'Set settings of the provider that work. The events go on by themselves.',
  },
  Processed: {
    carriedBy: { Resource: ['Ready'] },
    meaning: 'The provider processed the event successfully.',
    action: wait,
  },
  ProviderFailed: {
    carriedBy: fails,
    meaning:
      'The provider answered with a failure that is not retried. A dead letter holds the event.',
    action: 'Correct the cause in the message, and retry or apply again.',
  },
  AttemptsExhausted: {
    carriedBy: fails,
    meaning: 'Every attempt failed. A dead letter holds the event.',
    action: 'Repair the provider, and retry the dead letter.',
  },
  OperationTimedOut: {
    carriedBy: fails,
    meaning: 'An operation, or the waits that the provider asked for, did not end in time.',
    action: 'Look at the operation in the system of the provider, and retry.',
  },
  Deleting: {
    carriedBy: waits,
    meaning: 'A delete event is claimed and sent to the provider.',
    action: wait,
  },
  DeleteFailed: {
    carriedBy: stays,
    meaning: 'The deletion failed permanently. A dead letter holds the event; the resource stays.',
    action: 'Retry the dead letter, or delete the resource with `force=true`.',
  },
  NoProject: {
    carriedBy: stays,
    meaning: 'The project of the resource does not exist.',
    action: 'Create a project with this id, or apply the resource again in another project.',
  },
  Drifted: {
    carriedBy: { Resource: ['Ready', 'Drifted'] },
    meaning: 'The object differs from the config. `status.drift` has the values.',
    action:
      'Have Fairlead correct it (`fairlead correct`), declare what is there (`fairlead apply --from-actual`), or leave the values out of the comparison (`spec.observe.ignore`).',
  },
  Gone: {
    carriedBy: { Resource: ['Ready', 'Drifted'] },
    meaning: 'The provider says that the object does not exist any more.',
    action: 'Have it created again (`fairlead correct`), or delete the resource.',
  },
  CorrectionLoop: {
    carriedBy: { Resource: ['Ready', 'Drifted'] },
    meaning:
      'The object differed again after each of three corrections: somebody else manages it as well. Fairlead only reports now.',
    action:
      'Find out who changes it. A change of the spec, or `fairlead correct`, begins again; `spec.observe.ignore` leaves a value to others.',
  },
  NotObservable: {
    carriedBy: stays,
    meaning:
      'An import or a read-only resource is requested of a type whose provider does not observe objects. Nothing was sent.',
    action:
      'Deploy a version of the provider that observes objects, remove `spec.adopt`, or set `spec.management` to `Managed`.',
  },
  ObjectTaken: {
    carriedBy: fails,
    meaning:
      'Another resource stands for the object, by the identity that the type declares, or by an equal `spec.adopt`. Nothing is sent.',
    action:
      'Delete one of the two resources: deleting this one leaves the object. For an import, correct `spec.adopt`, or delete the other one and retry.',
  },
  ObserveFailed: {
    carriedBy: { Resource: ['Observed'] },
    meaning: 'The provider could not say what the object is like. Nothing follows from that.',
    action: 'Read the message and the log of the provider.',
  },
  Found: {
    carriedBy: { Resource: ['Ready'] },
    meaning:
      'The object of a resource that is only observed exists. The outputs are what was observed.',
    action: wait,
  },
  Observing: {
    carriedBy: waits,
    meaning: 'The resource is only observed, and its object has not been observed yet.',
    action: wait,
    clause: 'its object has not been observed yet',
  },
  NotFound: {
    carriedBy: waits,
    meaning: 'The resource is only observed, and its object does not exist.',
    action: 'Create the object, or correct the config by which the provider finds it.',
    clause: 'its object does not exist',
  },
  Importing: {
    carriedBy: waits,
    meaning:
      'The provider is asked for the object that `spec.adopt` identifies. Nothing is changed.',
    action: wait,
  },
  Imported: {
    carriedBy: { Resource: ['Ready'] },
    meaning:
      'The object that `spec.adopt` identifies exists, and equals the config as far as it was compared.',
    action: wait,
  },
} as const satisfies Readonly<Record<string, ReasonDescription>>;
