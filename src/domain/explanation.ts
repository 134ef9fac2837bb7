// The words of an explanation: what can be a cause, in which state, and what can be done about it.

export const linkKinds = [
  'provider',
  'resource',
  'build',
  'deployment',
  'type',
  'quota',
  'project',
  'organization',
] as const;
export type LinkKind = (typeof linkKinds)[number];

export const linkStates = [
  'draft',
  'pending',
  'processing',
  'ready',
  'failed',
  'refused',
  'missing',
  'other_project',
  'progressing',
  'available',
  'building',
  'success',
  'exhausted',
  'suspended',
] as const;
export type LinkState = (typeof linkStates)[number];

/** Reasons of an event that failed for good. */
export const finalReasons = [
  'ProviderFailed',
  'AttemptsExhausted',
  'OperationTimedOut',
  'DeleteFailed',
  'UnknownOutput',
  'TypeRetired',
  'InvalidConfig',
  'SchemaUnusable',
  'TooLarge',
  'ObjectTaken',
] as const;

/** Reasons whose message begins with the code of a failure. */
export const failureReasons = [...finalReasons, 'RetryScheduled', 'ClockSkew'] as const;

/** Before a message about one half of a replacement. */
export function halfPrefix(half: string): string {
  return `Replacement, ${half}: `;
}

/** Next steps. */
export const actions = [
  'apply',
  'apply_actual',
  'correct',
  'observe',
  'release_corrections',
  'edit',
  'explain',
  'create_project',
  'deploy',
  'delete_users',
  'delete',
  'force_delete',
  'orphan',
  'read_build_logs',
  'read_dead_letter',
  'read_logs',
  'push',
  'register_type',
  'set_settings',
  'replace',
  'resume',
  'retry_dead_letters',
  'rollback',
  'unprotect',
  'ask_administrator',
  'ask_editor',
  'wait',
] as const;
export type NextAction = (typeof actions)[number];

/**
 * The meaning of a failure for those who repair it.
 *
 * - `refused`: the provider rejects the config, or the deletion, by a rule of its own.
 * - `misfit`: the config fits neither the schema nor what can be sent; nothing was sent, or nothing was done.
 * - `taken`: another resource stands for the object of an import; nothing was sent.
 * - `crashed`: this event ended the process.
 * - `suspected`: the process ended during this event and others; each of them is tried alone.
 * - `lost`: the connection was lost, as when the process ends during another event.
 * - `unanswered`: no answer, or none in time.
 * - `skewed`: the clocks of the provider and of Fairlead differ, so that it took no event.
 * - `unusable`: an answer that Fairlead cannot use. The code of the provider is wrong.
 * - `rejected`: the provider takes no event of this kind or from this installation.
 * - `unknownType`: the code that serves lacks the type.
 * - `unfinished`: an operation that was accepted did not end in time.
 * - `unserved`: no provider was there.
 * - `thrown`: anything else: the handler failed.
 */
export type FailureKind =
  | 'refused'
  | 'misfit'
  | 'taken'
  | 'crashed'
  | 'suspected'
  | 'lost'
  | 'unanswered'
  | 'skewed'
  | 'unusable'
  | 'rejected'
  | 'unknownType'
  | 'unfinished'
  | 'unserved'
  | 'thrown';
