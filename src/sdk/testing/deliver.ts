// Delivers one event to its handler until a final answer. After `later`, the handler is called again, as by Fairlead, but sooner.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventBody } from '../../domain/event.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Provider } from '../provider.ts';
import { type Ending, type Handling, step } from './step.ts';

export interface Delivery extends Omit<Handling, 'signal'> {
  /** Time limit of one event, including `later`. */
  readonly timeoutMs: number;
  /** Longest pause before the next call, regardless of the requested delay. */
  readonly maximumDelayMs: number;
  /** @returns the `sequence` of the next call of a handler, unless the event has one */
  readonly nextSequence: () => number;
  /** Aborts the handler's signal. */
  readonly signal?: AbortSignal;
  /** True: another call that the handler asks for is not made. */
  readonly once?: boolean;
}

/** The ending of an event whose handler returned `later` and is not called again here: Fairlead would do so. */
const postponed: Ending = {
  kind: 'failed',
  terminal: false,
  code: 'later',
  message: 'The handler requested another call',
};

/** An event; with a `sequence` only if it is a late delivery of an earlier one. */
export type SentEvent = Omit<EventBody, 'sequence'> & { readonly sequence?: number };

/** Repeats the delivery with the same key while the handler returns `later`. */
export async function deliver(
  provider: Provider,
  event: SentEvent,
  { timeoutMs, maximumDelayMs, nextSequence, signal, once = false, ...handling }: Delivery,
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
    const asked = { ...event, context, sequence: event.sequence ?? nextSequence() };
    const taken = await step(provider, asked, { ...handling, signal: whole });
    if (taken.kind !== 'later') return taken;
    if (once) return postponed;
    const delay = Math.min(taken.delayMs, maximumDelayMs);
    await pause(delay, undefined, { signal: whole }).catch(() => undefined);
    return whole.aborted ? postponed : await ask(taken.context);
  }

  try {
    return await Promise.race([ask(event.context), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
