// Delivers an event until it has ended, by the rules of Fairlead: which failures are retried, how often and after which waits, and
// how long an operation may take.
import { defaultTimeoutSeconds, type EventBody } from '../../../domain/event.ts';
import type { Progress } from '../../../domain/progress/value.ts';
import { defaultRetryPolicy, policyOfType, retryDelay } from '../../../domain/retry.ts';
import type { HandlerLog } from '../../call.ts';
import type { Provider, ResourceType } from '../../provider.ts';
import { type Ending, type Failed, type Later, step } from '../step.ts';
import { type Clock, pauseOn } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Processes } from './process.ts';

export interface Delivering {
  readonly provider: Provider;
  readonly type: ResourceType;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly log: HandlerLog;
  readonly faults: Faults;
  /** @returns the `sequence` of the next delivery */
  readonly nextSequence: () => number;
  /** Receives each delivery before it is made. */
  readonly onDelivery: (event: EventBody) => void;
  /** Receives what a handler reports, also with `later`. */
  readonly onProgress: (progress: Progress) => void;
}

/** An event without what differs between its deliveries. */
export type KitEvent = Omit<EventBody, 'attempt' | 'sequence' | 'context'>;

type EndedCourse = Exclude<Ending, { kind: 'unanswered' }>;

/** The knowledge about an event between two deliveries. */
interface Course {
  readonly attempt: number;
  readonly context: EventBody['context'];
  /** Time of an operation, from its first `later`. */
  readonly operationMs: number;
}

export async function deliverToEnd(event: KitEvent, delivering: Delivering): Promise<EndedCourse> {
  let course: Course = { attempt: 1, context: null, operationMs: 0 };
  for (;;) {
    const { attempt, context } = course;
    const delivery = { ...event, attempt, context, sequence: delivering.nextSequence() };
    delivering.onDelivery(delivery);
    const taken = await deliverOnce(delivery, delivering);
    const isLost = await delivering.faults.take(delivery, taken.kind === 'succeeded');
    const next = isLost
      ? retried(course, lost, delivering.type)
      : after(course, taken, delivering.type);
    if ('kind' in next) return next;
    if (taken.kind === 'later' && taken.progress) delivering.onProgress(taken.progress);
    await pauseOn(delivering.clock, next.delayMs);
    course = next;
  }
}

/** @returns the answer to one delivery; `TIMEOUT` when the handler runs beyond the limit of its type, which takes real time */
export async function deliverOnce(
  event: EventBody,
  { provider, type, processes, log, onProgress }: Delivering,
): Promise<EndedCourse | Later> {
  const { timeoutSeconds = defaultTimeoutSeconds } = type;
  const abort = new AbortController();
  const late = Promise.withResolvers<Failed>();
  const timer = setTimeout(() => {
    const message = `The handler has run for ${timeoutSeconds} s, the limit of its type`;
    abort.abort(new Error(message));
    late.resolve({ kind: 'failed', terminal: true, code: 'TIMEOUT', message });
  }, timeoutSeconds * 1_000);
  const handling = { ...processes.current(), log, onProgress, signal: abort.signal };
  try {
    return await Promise.race([step(provider, event, handling), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type NextDelivery = Course & { readonly delayMs: number };

function after(
  course: Course,
  taken: EndedCourse | Later,
  type: ResourceType,
): EndedCourse | NextDelivery {
  if (taken.kind === 'later') return postponed(course, taken, type);
  return taken.kind === 'succeeded' || taken.terminal ? taken : retried(course, taken, type);
}

const lost: Failed = {
  kind: 'failed',
  terminal: false,
  code: 'CONNECTION_LOST',
  message: 'The answer was lost',
};

/** Waits are random: this is their mean. */
const random = 0.5;

function retried(course: Course, failed: Failed, type: ResourceType): Failed | NextDelivery {
  const policy = policyOfType(defaultRetryPolicy, type);
  const { attempt } = course;
  if (attempt >= policy.maxAttempts) return failed;
  return { ...course, attempt: attempt + 1, delayMs: retryDelay(policy, { attempt, random }) };
}

function postponed(
  { attempt, operationMs }: Course,
  { delayMs, context }: Later,
  type: ResourceType,
): Failed | NextDelivery {
  const limitMs = policyOfType(defaultRetryPolicy, type).operationLimitMs;
  const total = operationMs + Math.max(delayMs, minimumDelayMs);
  if (total <= limitMs) return { attempt, context, operationMs: total, delayMs };
  const message = `The operation has not ended after ${limitMs / 60_000} minutes`;
  return { kind: 'failed', terminal: true, code: 'OPERATION_TIMED_OUT', message };
}

/** Fairlead waits so long at least. */
const minimumDelayMs = 1_000;
