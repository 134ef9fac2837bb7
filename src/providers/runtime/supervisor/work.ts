// One event, or one request besides events, in the pool of a supervisor.
import type { Progress } from '../../../domain/progress/value.ts';
import type { HandlerTime } from '../../../sdk/serve/handler-time.ts';
import { failure } from '../../../sdk/serve/reply.ts';
import { type ChildAnswer, monotonicMs } from '../messages.ts';
import { knownSuspicion, type Suspicion } from './quarantine.ts';

export interface Task {
  /** JSON whose signature was verified. */
  readonly body: Uint8Array;
  readonly traceparent: string | undefined;
  readonly eventId: string;
  /** Deliveries of the same handler to the same resource have the same one: they are suspected together. */
  readonly subject: string;
  /** It is not repeated here: its sender does without an answer. */
  readonly isRequest: boolean;
  /** The sender asks for the quarantine. */
  readonly isSuspect: boolean;
  readonly signal: AbortSignal;
  readonly time: HandlerTime;
  readonly report: (progress: Progress) => void;
}

export interface Work extends Omit<Task, 'isSuspect'> {
  readonly id: number;
  /** Why it runs in the quarantine. */
  suspicion: Suspicion | undefined;
  /** When it began to wait for a child, by `monotonicMs`. */
  queuedAt: number;
  sentAt: number;
  /** When its handler was called, in the child that has it now. */
  begunAt: number | undefined;
  /** When its signal was aborted. */
  abortedAt: number | undefined;
  readonly answer: (answer: ChildAnswer) => void;
}

interface NumberedWork {
  readonly id: number;
  /** How long the handler of its subject had run when its process ended here. */
  readonly ranMs: number | undefined;
}

export function createWork(
  { isSuspect, ...task }: Task,
  { id, ranMs }: NumberedWork,
  answer: Work['answer'],
): Work {
  const times = { queuedAt: 0, sentAt: 0, begunAt: undefined, abortedAt: undefined };
  const isKnown = isSuspect || ranMs !== undefined;
  const suspicion = isKnown ? knownSuspicion(monotonicMs(), ranMs) : undefined;
  return { ...task, ...times, id, suspicion, answer };
}

export function isSuspect(work: Work): work is Work & { readonly suspicion: Suspicion } {
  return work.suspicion !== undefined;
}

/** Before the answer to an event whose handler did not fail: it is sent again, and has spent no attempt. */
export function interrupted(work: Work): ChildAnswer {
  const message = 'The process of the provider ended before the handler, which is not to blame';
  const { status, body } = failure(503, 'interrupted', message);
  return {
    status,
    body: JSON.stringify(isSuspect(work) ? { ...body, suspect: true } : body),
    retryAfter: 1,
  };
}

export function cancelled(): ChildAnswer {
  const { status, body } = failure(500, 'cancelled', 'The resource is being deleted');
  return { status, body: JSON.stringify(body) };
}
