// Delivers one event to its handler until a final answer. After `later`, the handler is called again, as by Fairlead, but sooner.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventBody, FailedBody, LaterBody, SucceededBody } from '../../domain/event.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { AnyObject, HandlerLog } from '../call.ts';
import type { Provider } from '../provider.ts';
import { runEvent } from '../run.ts';

export type Ending =
  | { readonly kind: 'succeeded'; readonly outputs: JsonObject }
  | {
      readonly kind: 'failed';
      /** Fairlead would not retry. */
      readonly terminal: boolean;
      readonly code: string;
      readonly message: string;
      /** The thrown error with its stack. */
      readonly thrown?: unknown;
    }
  | { readonly kind: 'unanswered'; readonly afterMs: number };

export interface Delivery {
  /** Time limit of one event, including `later`. */
  readonly timeoutMs: number;
  /** Longest pause before the next call, regardless of the requested delay. */
  readonly maximumDelayMs: number;
  readonly log: HandlerLog;
  readonly settings: AnyObject;
  /** @returns the `sequence` of the next call of a handler */
  readonly nextSequence: () => number;
  /** Aborts the handler's signal. */
  readonly signal?: AbortSignal;
}

/** The ending of an aborted event whose handler returned `later`: Fairlead would call the handler again. */
const postponed: Ending = {
  kind: 'failed',
  terminal: false,
  code: 'later',
  message: 'The handler requested another call',
};

/** Repeats the delivery with the same key while the handler returns `later`. */
export async function deliver(
  provider: Provider,
  event: Omit<EventBody, 'sequence'>,
  { timeoutMs, maximumDelayMs, log, settings, nextSequence, signal }: Delivery,
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
    const { ending, delayMs, next } = await askOnce(provider, asked, {
      log,
      settings,
      signal: whole,
    });
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
  { log, settings, signal }: { log: HandlerLog; settings: AnyObject; signal: AbortSignal },
): Promise<Step> {
  let thrown: unknown;
  const listening: HandlerLog = {
    ...log,
    error(message, fields) {
      // The runtime reports a thrown error only to the log.
      thrown = fields?.['error'] ?? thrown;
      log.error(message, fields);
    },
  };
  const { status, body } = await runEvent(provider, event, {
    signal,
    log: listening,
    settings,
  });
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
