// Pure. Rules about events whose result is larger than etcd stores. Repeating changes nothing about it, so they fail.

import { Reason } from '../../../crds/conditions.ts';
import type { FailureCode } from '../../../domain/failures/failure-codes.ts';
import { storedBytes } from '../../../domain/stored-size.ts';
import { refusalToStore } from '../../../store/resources/apply/storage-limit.ts';
import type { Observed } from '../observe.ts';
import type { Action, Decision, Failure, Situation } from '../situation.ts';

/** Before the event is sent: what the provider makes could not be recorded. An accepted operation is finished. */
export function failTooLarge({ resource, resolution }: Situation): Decision | undefined {
  const event = resource.status?.event;
  if (event === undefined || event.acceptedAt !== undefined) return undefined;
  const message = refusalToStore(resource, storedBytes(resolution.config));
  if (message === undefined) return undefined;
  return { do: 'fail', event, failure: tooLargeFailure(message), references: resolution.hash };
}

/** @returns what to do when the API server refuses a write as too large; undefined when only another release or config can help */
export function whenTooLarge(decision: Action, observed: TooLargeContent): Action | undefined {
  return insteadOf[decision.do](observed);
}

type TooLargeContent = Pick<Observed, 'resource' | 'resolution' | 'forced'>;

/**
 * For each action, one that stores less. What a provider said may have any size, and saying it again changes nothing: an action that
 * stores it fails its event, whose error and dead letter are small.
 */
const insteadOf: {
  readonly [Do in Action['do']]: (refused: TooLargeContent) => Action | undefined;
} = {
  recordSuccess: failTheEvent,
  recordImport: failTheEvent,
  deferOperation: failTheEvent,
  scheduleRetry: failTheEvent,
  hold: failTheEvent,
  giveUpCancellation: failTheEvent,
  nothing: endByForce,
  wait: endByForce,
  explain: endByForce,
  refuse: endByForce,
  protect: endByForce,
  claim: endByForce,
  acceptReadOnly: endByForce,
  createAnew: endByForce,
  forgetOld: endByForce,
  fail: endByForce,
  expire: endByForce,
  runAgain: endByForce,
  release: endByForce,
  abandon: () => undefined,
};

function failTheEvent(refused: TooLargeContent): Action | undefined {
  const { resource, resolution } = refused;
  const event = resource.status?.event;
  if (event === undefined) return endByForce(refused);
  const message =
    'The provider answered, and the result is too large to be stored beside the config. Have it return smaller outputs, or make the config smaller, and retry';
  return { do: 'fail', event, failure: tooLargeFailure(message), references: resolution.hash };
}

/** Removing a resource stores nothing in it. */
function endByForce({ resource, forced }: TooLargeContent): Action | undefined {
  const isDeleted = resource.metadata.deletionTimestamp !== undefined;
  return isDeleted && forced ? { do: 'abandon', why: 'Forced' } : undefined;
}

function tooLargeFailure(message: string): Failure {
  const code = 'TOO_LARGE_TO_STORE' satisfies FailureCode;
  return { code, message, reason: Reason.TooLarge };
}
