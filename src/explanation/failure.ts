// Classifies the failure of an event by its code: who can repair it, and what shows it. Pure.

import type { ClaimedEvent } from '../crds/claimed-event.ts';
import { Reason } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import { type FailureKind, finalReasons } from '../domain/explanation.ts';
import {
  type FailureCode,
  type FailureDescription,
  failureCodes,
} from '../domain/failures/failure-codes.ts';
import { failureIn } from '../domain/failures/failure-text.ts';
import { sdkFailureCodes } from '../domain/failures/sdk-failure-codes.ts';
import { resourceReason, resourceState, shownState, underWay } from '../store/resources/state.ts';

/** The codes of Fairlead and of the SDK. A map, as other codes are words of providers. */
const codes: ReadonlyMap<string, FailureDescription> = new Map(
  Object.entries({ ...failureCodes, ...sdkFailureCodes }),
);

const kindOfReason: { readonly [reason in Reason]?: FailureKind } = {
  ProviderFailed: 'refused',
  OperationTimedOut: 'unfinished',
  UnknownOutput: 'misfit',
  InvalidConfig: 'misfit',
  SchemaUnusable: 'misfit',
  TooLarge: 'misfit',
  ObjectTaken: 'taken',
};

const ended: ReadonlySet<string> = new Set(finalReasons satisfies readonly Reason[]);

export interface KnownFailure {
  readonly kind: FailureKind;
  /** As recorded: the code, and the message. */
  readonly text: string;
  /** Whether no further attempt follows. */
  readonly isFinal: boolean;
  readonly isDeletion: boolean;
  /** Whether the provider answered it, so that its pod lives on. */
  readonly isAnswered: boolean;
  /** Whether an import found no object. */
  readonly isNotFound: boolean;
  /** Whether the event was to delete the old object of a replacement. */
  readonly isOfOld: boolean;
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
  const { code = '' } = failureIn(error) ?? {};
  const kind = codes.get(code)?.kind ?? byReason;
  return {
    kind: isOtherwise(kind, { event, byReason }) ?? kind,
    text: error,
    isFinal,
    isDeletion: state === 'deleting',
    isAnswered: !Object.hasOwn(failureCodes, code),
    isNotFound: hasFoundNothing(event, code),
    isOfOld: state !== 'deleting' && event.type === 'DELETE',
  };
}

function hasFoundNothing({ type }: ClaimedEvent, code: string): boolean {
  return type === 'OBSERVE' && code === ('NOT_FOUND' satisfies FailureCode);
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
