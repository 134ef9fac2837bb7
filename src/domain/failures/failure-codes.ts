// Codes of failed deliveries that Fairlead itself puts into the status of a resource and into dead letters, with what they
// mean, for docs/errors.md. Other codes come from providers.

import type { FailureKind } from '../explanation.ts';

export interface FailureDescription {
  /** Null: the reason of the status has it. */
  readonly kind: FailureKind | null;
  readonly meaning: string;
  /** The remedy, for the reader. */
  readonly action: string;
  /** Whether other attempts follow; a dead letter is written after the last one. */
  readonly retried: boolean;
}

export const failureCodes = {
  TIMEOUT: {
    kind: 'unanswered',
    retried: true,
    meaning:
      'The provider did not answer within the limit of the type, or sent nothing at all for the time of one delivery.',
    action:
      'Have the handler answer sooner, give its type a longer `timeoutSeconds`, or answer 202 and finish later. `FAIRLEAD_EVENT_TIMEOUT_MS` sets the time of one delivery.',
  },
  UNREACHABLE: {
    kind: 'unanswered',
    retried: true,
    meaning:
      'No connection to the provider: connection refused, unknown host, no route, or no connection in time.',
    action: 'Check that the provider runs, and check its endpoint and network policies.',
  },
  CONNECTION_LOST: {
    kind: 'lost',
    retried: true,
    meaning:
      'The connection broke before the answer was complete, or the provider does not support the required version of TLS.',
    action: 'Read the log of the provider.',
  },
  CRASHED: {
    kind: 'crashed',
    retried: true,
    meaning:
      'The pod of the provider ended during the attempt, such as by its memory. The message has its last words. When other events were in the pod, the first attempt that ends so is not counted, and the event is sent again to run in a process of its own.',
    action: 'Correct the handler. `fairlead logs PROVIDER --previous` shows what it wrote.',
  },
  CERTIFICATE_REFUSED: {
    kind: 'unanswered',
    retried: true,
    meaning:
      'The certificate at the address has expired, is for another name, or is not signed by an authority that Fairlead trusts. Nothing of the event was sent.',
    action:
      'For a provider that runs elsewhere, check its certificate and `caBundle`. For a pod, see "Certificates of providers" in operations.md.',
  },
  FORBIDDEN_ADDRESS: {
    kind: 'unanswered',
    retried: true,
    meaning:
      'The endpoint resolves to an address to which Fairlead sends no events, such as a link-local or metadata address, the API server, an address of the cluster, or outside development a loopback address.',
    action: 'Change the endpoint of the provider, or correct the name in DNS.',
  },
  REDIRECT: {
    kind: 'unusable',
    retried: true,
    meaning: 'The provider answered with a redirect. Fairlead does not follow redirects.',
    action: 'Set the endpoint to the final address.',
  },
  ANSWER_TOO_LARGE: {
    kind: 'unusable',
    retried: true,
    meaning: 'The answer is larger than 512 KiB.',
    action: 'Have the provider send a smaller answer.',
  },
  INVALID_ANSWER: {
    kind: 'unusable',
    retried: true,
    meaning:
      'The provider answered with success but without `outputs`, or with outputs or a context that is not an object.',
    action: 'Correct the answer of the provider; see provider-protocol.md.',
  },
  INVALID_OUTPUTS: {
    kind: 'unusable',
    retried: false,
    meaning:
      'The outputs contain a number that JSON cannot represent exactly, or are nested deeper than 64 levels.',
    action: 'Have the provider send large numbers as text, and flatter outputs.',
  },
  OUTPUTS_TOO_LARGE: {
    kind: 'unusable',
    retried: false,
    meaning: 'The outputs are larger than 256 KiB.',
    action: 'Have the provider return references instead of contents.',
  },
  INVALID_CONTEXT: {
    kind: 'unusable',
    retried: false,
    meaning:
      'The context of a 202 contains a number that JSON cannot represent exactly, or is nested deeper than 64 levels.',
    action: 'Have the provider send large numbers as text, and a flatter context.',
  },
  CONTEXT_TOO_LARGE: {
    kind: 'unusable',
    retried: false,
    meaning: 'The context of a 202 is larger than 16 KiB.',
    action: 'Have the provider keep its state elsewhere, and put an identifier into the context.',
  },
  INVALID_CONFIG: {
    kind: 'misfit',
    retried: false,
    meaning:
      'The config does not fit the schema of its type after its references are resolved. Nothing was sent.',
    action: 'Apply a config that fits the schema.',
  },
  TYPE_RETIRED: {
    kind: 'unknownType',
    retried: false,
    meaning:
      'The version of the provider that serves lacks the type, although the version before had it. Nothing was sent.',
    action: 'Deploy a version that has the type, and retry.',
  },
  UNKNOWN_OUTPUT: {
    kind: 'misfit',
    retried: false,
    meaning:
      'The config refers to an output that the other resource does not have. Nothing was sent.',
    action: 'Correct the reference, or have the other provider return the output; then retry.',
  },
  SCHEMA_UNUSABLE: {
    kind: 'misfit',
    retried: false,
    meaning:
      'The config cannot be checked: the schema of the type is not supported, or the check takes too much time or memory. Nothing was sent.',
    action: 'Register another schema or apply another config, and retry.',
  },
  TOO_LARGE_TO_STORE: {
    kind: 'misfit',
    retried: false,
    meaning:
      'The config, its copy with resolved references and the outputs are together larger than etcd stores, 1.5 MiB. Nothing was sent, unless the message says that the provider answered: then its answer is lost, and a retry sends the event again.',
    action:
      'Apply a smaller config, refer to smaller outputs, or have the provider return smaller ones; then retry.',
  },
  PROVIDER_MISSING: {
    kind: 'unserved',
    retried: false,
    meaning:
      'A resource is being deleted, and no provider was ready to clean up within the limit for one operation.',
    action: 'Deploy the provider and retry, or delete the resource with `force=true`.',
  },
  OPERATION_TIMED_OUT: {
    kind: 'unfinished',
    retried: false,
    meaning:
      'The provider answered 202, and the operation did not end within the limit for one operation.',
    action:
      'Look at the operation in the system of the provider, then retry. `operationLimitSeconds` of the type sets the limit, or `FAIRLEAD_OPERATION_LIMIT_MS` for all types without it.',
  },
  WAIT_TIMED_OUT: {
    kind: 'unfinished',
    retried: false,
    meaning:
      'The provider asked to wait (429 with `Retry-After`) again and again, longer than an operation of the type may take. The message has its last answer.',
    action:
      'Repair or raise what the provider waits for, then retry. `operationLimitSeconds` of the type sets the limit, or `FAIRLEAD_OPERATION_LIMIT_MS` for all types without it.',
  },
  NOT_FOUND: {
    kind: 'refused',
    retried: false,
    meaning: 'An import found no object for `adopt`. Nothing was created.',
    action: 'Correct `adopt`, or apply without it (`adopt: null`) to create a new object.',
  },
  OBJECT_TAKEN: {
    kind: 'taken',
    retried: false,
    meaning:
      'An import of an object for which another resource of the project stands. Nothing was changed.',
    action: 'Correct `adopt`, or delete the resource that the message names and retry.',
  },
  ALREADY_EXISTS: {
    kind: 'taken',
    retried: false,
    meaning:
      'The provider answered a CREATE or an UPDATE with an object for which another resource of the organization stands. Nothing of it was recorded.',
    action:
      'Choose another name, or delete the resource that the message names and retry. The provider should refuse what it did not create.',
  },
} as const satisfies Readonly<Record<string, FailureDescription>>;

export type FailureCode = keyof typeof failureCodes;
