// Codes of failures in answers of the SDK, with what they mean, for docs/errors.md.
import type { FailureDescription } from './failure-codes.ts';

/** Codes in answers of the SDK. */
export const sdkFailureCodes: Readonly<Record<string, FailureDescription>> = {
  unknown_type: {
    kind: 'unknownType',
    retried: false,
    meaning: 'The provider has no such type.',
    action: 'Deploy a version with the type, and retry.',
  },
  invalid_config: {
    kind: 'misfit',
    retried: false,
    meaning: 'The config does not fit the schema in the code of the provider.',
    action: 'Correct the config, or deploy a version whose schema fits the registered one.',
  },
  invalid_outputs: {
    kind: 'unusable',
    retried: false,
    meaning:
      'The handler returned outputs that do not fit their schema or cannot be represented in JSON.',
    action: 'Correct the handler or the schema of the outputs.',
  },
  not_observable: {
    kind: 'rejected',
    retried: false,
    meaning: 'The type has no handler `observe`, and was asked to observe an object.',
    action: 'Deploy a version of the provider that observes objects of the type.',
  },
  invalid_adopt: {
    kind: 'refused',
    retried: false,
    meaning: 'The identity of the object of an import does not fit the schema `adopt` of the type.',
    action: 'Correct `adopt` of the resource.',
  },
  invalid_identity: {
    kind: 'unusable',
    retried: false,
    meaning: '`forNew` of the identity of the type returned what its schema does not accept.',
    action: 'Correct the function.',
  },
  invalid_observation: {
    kind: 'unusable',
    retried: false,
    meaning:
      'The handler `observe` returned neither `gone()` nor a config and outputs, or something that JSON cannot represent.',
    action: 'Correct the handler.',
  },
  not_listable: {
    kind: 'rejected',
    retried: false,
    meaning: 'The type has no handler `list`, and was asked for its objects.',
    action: 'Name the object of an import by what identifies it.',
  },
  not_plannable: {
    kind: 'rejected',
    retried: false,
    meaning: 'The type has no handler `plan`, and was asked for its rules.',
    action: 'Register the type without `plan`, or deploy a version with the handler.',
  },
  invalid_list: {
    kind: 'unusable',
    retried: false,
    meaning: 'The handler `list` returned no items, or some without what identifies them.',
    action: 'Correct the handler.',
  },
  outputs_too_large: {
    kind: 'unusable',
    retried: false,
    meaning: 'The handler returned outputs of more than 256 KiB.',
    action: 'Have the handler return less, such as the address of what is large.',
  },
  migration_failed: {
    kind: 'misfit',
    retried: false,
    meaning:
      'A stored config or stored outputs could not be led to the newest version of the type: a migration failed, or its result does not fit. The message names step and field. No handler was called.',
    action:
      'Deploy a version with a corrected migration, and retry. After a rollback, deploy a version that has the version of the type again.',
  },
  handler_error: {
    kind: null,
    retried: true,
    meaning: 'The handler threw an error. The message is that of the error.',
    action: 'Read the log of the provider, which holds the stack.',
  },
  settings_refused: {
    kind: null,
    retried: true,
    meaning:
      'Three resources failed with the same error, and `check` of the provider refuses the settings that it runs with. The message is its sentence. Nothing is sent to the provider meanwhile, and no attempt is spent.',
    action: 'Set settings that work, such as a new credential. The events go on by themselves.',
  },
  crashed: {
    kind: 'crashed',
    retried: true,
    meaning:
      'The code of the handler ended the process: an error that nobody caught, a rejection that nobody handled, `process.exit`, a full memory, a signal, or a loop without end. The message is that of the error, with its place in the code. In a pod, other events go on in another process.',
    action: 'Correct the handler. The log of the provider holds the stack.',
  },
  interrupted: {
    kind: null,
    retried: true,
    meaning:
      'The process in which the handler ran, or was about to run, ended or was blocked because of another event, or its pod ends. From a pod, this spends no attempt.',
    action: 'No action is needed; the event is sent again.',
  },
  terminating: {
    kind: null,
    retried: true,
    meaning:
      'The process ends soon, because the handler of another event crashed it, and accepts no new events. No handler was called. Only providers that run elsewhere answer so.',
    action: 'No action is needed; the event is sent again after five seconds or more.',
  },
  cancelled: {
    kind: null,
    retried: false,
    meaning:
      'The handler of a `cancellable` type ended with an error after its signal was aborted, because its resource is being deleted.',
    action: 'No action is needed; the DELETE follows.',
  },
  not_running: {
    kind: null,
    retried: true,
    meaning:
      'A CANCEL arrived, and no handler runs in this process for its event: it has not begun, has ended, or runs in another process.',
    action:
      'No action is needed; Fairlead asks again every two seconds until the delivery has ended.',
  },
  not_cancellable: {
    kind: null,
    retried: false,
    meaning:
      'A deletion asked to cancel an operation, and the type has no handler `cancel`. The operation is polled to its end.',
    action: 'Deploy a version with the handler, or set `cancels_operations` of the type to false.',
  },
  unsigned: {
    kind: 'rejected',
    retried: false,
    meaning:
      'The signature does not match: the event is for another provider or comes from another installation of Fairlead.',
    action: 'Check the option `fairlead` of `serve`, and the name of the provider.',
  },
  not_served: {
    kind: 'rejected',
    retried: false,
    meaning: 'The organization is not among the `organizations` of `serve`.',
    action: 'Add the organization, or use another provider.',
  },
  not_an_event: {
    kind: 'rejected',
    retried: false,
    meaning: 'The body is signed, but is not an event that this release of the SDK supports.',
    action: 'Update the SDK of the provider.',
  },
  too_large: {
    kind: 'misfit',
    retried: false,
    meaning: 'The event is larger than 4 MiB.',
    action: 'Make the config smaller.',
  },
  clock_skew: {
    kind: 'skewed',
    retried: true,
    meaning:
      'The clocks of the provider and of Fairlead differ by more than the tolerance of 30 seconds. The message has the difference and both times. Attempts of the first ten minutes are not counted.',
    action:
      'Synchronize the clocks of the machines, of the provider and of the controller of Fairlead.',
  },
  keys_unavailable: {
    kind: null,
    retried: true,
    meaning:
      'The provider cannot fetch the public keys of Fairlead. Of a hosted provider, attempts of the first ten minutes of an event are not counted.',
    action: 'Check the option `fairlead` of `serve`, and the network of the provider.',
  },
  gone: {
    kind: null,
    retried: true,
    meaning: 'Fairlead closed the connection before the handler began.',
    action: 'No action is needed; the next attempt follows.',
  },
  not_found: {
    kind: 'rejected',
    retried: false,
    meaning: 'The endpoint has a path. The SDK takes events at `/` only.',
    action: 'Set the endpoint to the address without a path.',
  },
  runtime_error: {
    kind: null,
    retried: true,
    meaning: 'The SDK failed outside the handler.',
    action: 'Read the log of the provider, and report the defect.',
  },
};
