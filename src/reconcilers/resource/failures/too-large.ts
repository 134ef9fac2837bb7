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
  return { do: 'fail', event, failure: failureOf(message), references: resolution.hash };
}

/** @returns what to do when the API server refuses a write as too large; undefined when only another release or config can help */
export function whenTooLarge(
  decision: Action,
  { resource, resolution, forced }: Pick<Observed, 'resource' | 'resolution' | 'forced'>,
): Action | undefined {
  const { event } = resource.status ?? {};
  if (event !== undefined && recordsAnswer(decision)) {
    const message =
      'The provider answered, and the result is too large to be stored beside the config. Have it return smaller outputs, or make the config smaller, and retry';
    return { do: 'fail', event, failure: failureOf(message), references: resolution.hash };
  }
  const isDeleted = resource.metadata.deletionTimestamp !== undefined;
  const mayAbandon = isDeleted && forced && decision.do !== 'abandon';
  return mayAbandon ? { do: 'abandon', why: 'Forced' } : undefined;
}

const recording: readonly Action['do'][] = [
  'recordSuccess',
  'deferOperation',
  'scheduleRetry',
  'hold',
];

function recordsAnswer({ do: what }: Action): boolean {
  return recording.includes(what);
}

function failureOf(message: string): Failure {
  const code = 'TOO_LARGE_TO_STORE' satisfies FailureCode;
  return { code, message, reason: Reason.TooLarge };
}
