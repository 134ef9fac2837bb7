// Calls the handler of an event once, through the code that serves events, and reads its answer.
import {
  type EventBody,
  type FailedBody,
  type LaterBody,
  maxContextBytes,
  type ObservedBody,
  type SucceededBody,
} from '../../domain/event.ts';
import type { Progress } from '../../domain/progress/value.ts';
import { type JsonObject, jsonBytes, withoutUndefined } from '../../lib/json.ts';
import type { AnyObject, HandlerLog } from '../call.ts';
import { noProgress, type ProgressReceiver } from '../progress.ts';
import type { Provider } from '../provider.ts';
import { runEvent } from '../serve/run.ts';

export type Ending = Succeeded | Failed | { readonly kind: 'unanswered'; readonly afterMs: number };

interface Succeeded {
  readonly kind: 'succeeded';
  readonly outputs: JsonObject;
  /** The body of the answer to an OBSERVE. */
  readonly observed?: ObservedBody;
}

export interface Failed {
  readonly kind: 'failed';
  /** Fairlead would not retry. */
  readonly terminal: boolean;
  readonly code: string;
  readonly message: string;
  /** The thrown error with its stack. */
  readonly thrown?: unknown;
}

/** The handler returned `later`, or called `retry`. */
export interface Later {
  readonly kind: 'later';
  readonly delayMs: number;
  readonly context: JsonObject | null;
  readonly progress: Progress | undefined;
}

/** The values that a handler receives besides the event. */
export interface Handling {
  readonly settings: AnyObject;
  readonly started: AnyObject;
  readonly log: HandlerLog;
  readonly signal: AbortSignal;
  /** Receives what the handler reports while it runs. */
  readonly onProgress?: ProgressReceiver['accept'];
}

const tooLarge: Failed = {
  kind: 'failed',
  terminal: true,
  code: 'CONTEXT_TOO_LARGE',
  message: `The context is larger than ${maxContextBytes} bytes`,
};

/** The statuses below 500 that Fairlead retries. */
const retried = [408, 425, 429];

export async function step(
  provider: Provider,
  event: EventBody,
  { log, onProgress, ...handling }: Handling,
): Promise<Exclude<Ending, { kind: 'unanswered' }> | Later> {
  let thrown: unknown;
  const listening: HandlerLog = {
    ...log,
    error(message, fields) {
      // The runtime reports a thrown error only to the log.
      thrown = fields?.['error'] ?? thrown;
      log.error(message, fields);
    },
  };
  const { accept, refuse } = noProgress;
  const { status, body, retryAfter } = await runEvent(provider, event, {
    ...handling,
    progress: { accept: onProgress ?? accept, refuse },
    log: listening,
  });
  if (status === 200) return succeededEnding(event, body);
  if (status === 202) {
    const { retry_after: seconds, context = null, message, progress: reported } = body as LaterBody;
    if (jsonBytes(context) > maxContextBytes) return tooLarge;
    const isSilent = message === undefined && reported === undefined;
    const progress = isSilent ? undefined : withoutUndefined({ ...reported, message });
    return { kind: 'later', delayMs: seconds * 1_000, context, progress };
  }
  const { code, message } = (body as FailedBody).error;
  if (retryAfter !== undefined) {
    const { context } = event;
    return { kind: 'later', delayMs: retryAfter * 1_000, context, progress: { message } };
  }
  const terminal = status < 500 && !retried.includes(status);
  const failed = { kind: 'failed', terminal, code, message } as const;
  return thrown === undefined ? failed : { ...failed, thrown };
}

function succeededEnding({ event_type }: EventBody, body: object): Succeeded {
  if (event_type !== 'OBSERVE') {
    return { kind: 'succeeded', outputs: (body as SucceededBody).outputs };
  }
  const observed = body as ObservedBody;
  return { kind: 'succeeded', outputs: observed.exists ? observed.outputs : {}, observed };
}
