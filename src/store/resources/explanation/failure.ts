// Classifies the failure of an event by its code: who can repair it, and what shows it. Pure.
import { Reason } from '../../../crds/conditions.ts';
import type { ClaimedEvent, Resource } from '../../../crds/resource.ts';
import { failureIn } from '../../../domain/failure-text.ts';
import { resourceReason, resourceState, shownState, underWay } from '../state.ts';

/**
 * - `refused`: the provider rejects the config, or the deletion, by a rule of its own.
 * - `misfit`: the config fits neither the schema nor what can be sent; nothing was sent, or nothing was done.
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

/** Codes of Fairlead, and of the SDK. */
const kindOf: Readonly<Record<string, FailureKind | undefined>> = {
  CRASHED: 'crashed',
  crashed: 'crashed',
  CONNECTION_LOST: 'lost',
  TIMEOUT: 'unanswered',
  UNREACHABLE: 'unanswered',
  CERTIFICATE_REFUSED: 'unanswered',
  FORBIDDEN_ADDRESS: 'unanswered',
  clock_skew: 'skewed',
  REDIRECT: 'unusable',
  ANSWER_TOO_LARGE: 'unusable',
  INVALID_ANSWER: 'unusable',
  INVALID_OUTPUTS: 'unusable',
  OUTPUTS_TOO_LARGE: 'unusable',
  INVALID_CONTEXT: 'unusable',
  CONTEXT_TOO_LARGE: 'unusable',
  invalid_outputs: 'unusable',
  INVALID_CONFIG: 'misfit',
  UNKNOWN_OUTPUT: 'misfit',
  SCHEMA_UNUSABLE: 'misfit',
  TOO_LARGE_TO_STORE: 'misfit',
  invalid_config: 'misfit',
  too_large: 'misfit',
  unsigned: 'rejected',
  not_served: 'rejected',
  not_an_event: 'rejected',
  not_found: 'rejected',
  unknown_type: 'unknownType',
  TYPE_RETIRED: 'unknownType',
  OPERATION_TIMED_OUT: 'unfinished',
  PROVIDER_MISSING: 'unserved',
};

const kindOfReason: { readonly [reason in Reason]?: FailureKind } = {
  ProviderFailed: 'refused',
  OperationTimedOut: 'unfinished',
  UnknownOutput: 'misfit',
  InvalidConfig: 'misfit',
  SchemaUnusable: 'misfit',
  TooLarge: 'misfit',
};

/** Reasons of a failure that is for good. */
const ended: ReadonlySet<string> = new Set<Reason>([
  Reason.ProviderFailed,
  Reason.AttemptsExhausted,
  Reason.OperationTimedOut,
  Reason.DeleteFailed,
  Reason.UnknownOutput,
  Reason.TypeRetired,
  Reason.InvalidConfig,
  Reason.SchemaUnusable,
  Reason.TooLarge,
]);

export interface KnownFailure {
  readonly kind: FailureKind;
  /** As recorded: the code, and the message. */
  readonly text: string;
  /** Whether no further attempt follows. */
  readonly isFinal: boolean;
  readonly isDeletion: boolean;
}

/**
 * @param maxAttempts attempts of an event in all
 * @returns the failure of the last attempt of the event under way, or of the event that failed for good
 */
export function knownFailure(resource: Resource, maxAttempts: number): KnownFailure | undefined {
  const { error, event } = resource.status ?? {};
  if (error === undefined || event === undefined) return undefined;
  const state = resourceState(resource);
  const reason = resourceReason(resource, state);
  const isFinal = shownState(resource) === 'failed' && ended.has(reason);
  if (!isFinal && underWay(resource, state) === undefined) return undefined;
  // A deletion that failed for good has one reason for all; attempts are left only when the provider refused it.
  const isRefused = isFinal && reason === Reason.DeleteFailed && event.attempt < maxAttempts;
  const byReason = isRefused ? 'refused' : kindWith(reason);
  const kind = kindOf[failureIn(error)?.code ?? ''] ?? byReason;
  return {
    kind: isOtherwise(kind, { event, byReason }) ?? kind,
    text: error,
    isFinal,
    isDeletion: state === 'deleting',
  };
}

/** @returns what a code means for an event in another way than it does alone */
function isOtherwise(
  kind: FailureKind,
  { event, byReason }: { readonly event: ClaimedEvent; readonly byReason: FailureKind },
): FailureKind | undefined {
  if (kind === 'crashed' && event.crash === 'Suspect') return 'suspected';
  // A wrong clock is tried again: a failure for good with its code is the word of a handler.
  return kind === 'skewed' && byReason === 'refused' ? 'refused' : undefined;
}

function kindWith(reason: string): FailureKind {
  return kindOfReason[reason as Reason] ?? 'thrown';
}
