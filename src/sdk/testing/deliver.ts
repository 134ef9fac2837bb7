// One event to its handler and to the answer that ends it: what is `later` is asked again, as Fairlead does, only sooner.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventBody, FailedBody, LaterBody, SucceededBody } from '../../domain/event.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { HandlerLog, Provider } from '../define.ts';
import { runEvent } from '../run.ts';

export type Ending =
  | { readonly kind: 'succeeded'; readonly outputs: JsonObject }
  | {
      readonly kind: 'failed';
      /** Fairlead would not try again. */
      readonly terminal: boolean;
      readonly code: string;
      readonly message: string;
      /** What the handler threw, with its stack. */
      readonly thrown?: unknown;
    }
  | { readonly kind: 'unanswered'; readonly afterMs: number };

export interface Delivery {
  /** All that one event may take, `later` included. */
  readonly timeoutMs: number;
  /** Longest pause before asking again, whatever the handler wished for. */
  readonly maximumDelayMs: number;
  readonly log: HandlerLog;
  /** @returns the `sequence` of the next call of a handler */
  readonly nextSequence: () => number;
  /** Aborts the handler's signal. */
  readonly signal?: AbortSignal;
}

/** Whoever is cut off need not be asked again to know that Fairlead would. */
const postponed: Ending = {
  kind: 'failed',
  terminal: false,
  code: 'later',
  message: 'The handler requested another call',
};

/** Delivers an event as often as its handler says `later`, with the same key. */
export async function deliver(
  provider: Provider,
  event: Omit<EventBody, 'sequence'>,
  { timeoutMs, maximumDelayMs, log, nextSequence, signal }: Delivery,
): Promise<Ending> {
  const deadline = new AbortController();
  const late = Promise.withResolvers<Ending>();
  const timer = setTimeout(() => {
    late.resolve({ kind: 'unanswered', afterMs: timeoutMs });
    deadline.abort(new Error('The client closed the connection'));
  }, timeoutMs);
  const whole = AbortSignal.any(
    signal === undefined ? [deadline.signal] : [deadline.signal, signal],
  );

  async function ask(context: JsonObject | null): Promise<Ending> {
    const asked = { ...event, context, sequence: nextSequence() };
    const { ending, delayMs, next } = await askOnce(provider, asked, { log, signal: whole });
    if (ending !== undefined) return ending;
    const delay = Math.min(delayMs, maximumDelayMs);
    await pause(delay, undefined, { signal: whole }).catch(() => undefined);
    return whole.aborted ? postponed : await ask(next);
  }

  try {
    return await Promise.race([ask(event.context), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface Step {
  readonly ending?: Ending;
  readonly delayMs: number;
  readonly next: JsonObject | null;
}

async function askOnce(
  provider: Provider,
  event: EventBody,
  { log, signal }: { log: HandlerLog; signal: AbortSignal },
): Promise<Step> {
  let thrown: unknown;
  const listening: HandlerLog = {
    ...log,
    error(message, fields) {
      // The runtime tells the log alone what a handler threw.
      thrown = fields?.['error'] ?? thrown;
      log.error(message, fields);
    },
  };
  const { status, body } = await runEvent(provider, event, { signal, log: listening });
  if (status === 200) {
    const { outputs } = body as SucceededBody;
    return { ending: { kind: 'succeeded', outputs }, delayMs: 0, next: null };
  }
  if (status === 202) {
    const { retry_after: seconds, context = null } = body as LaterBody;
    return { delayMs: seconds * 1_000, next: context };
  }
  const { code, message } = (body as FailedBody).error;
  const terminal = status < 500;
  return {
    ending: {
      kind: 'failed',
      terminal,
      code,
      message,
      ...(thrown === undefined ? {} : { thrown }),
    },
    delayMs: 0,
    next: null,
  };
}
