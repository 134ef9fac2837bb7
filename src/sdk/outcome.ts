// Results of a handler besides outputs: `fail` for permanent failures, `retry` for a wait that costs no attempt, `later` for operations
// in progress. Any other error leads to a retry that costs one.
import type { RetryScope } from '../domain/event.ts';
import type { Progress } from '../domain/progress/value.ts';
import type { JsonObject } from '../lib/json.ts';
import type { CodeText, Delay } from './compiler/texts.ts';

// A provider may have a bundled copy of this file, so its classes differ from these.
const failureMark = Symbol.for('fairlead.failure');

/** A permanent failure, which is not retried. */
export class TerminalFailure extends Error {
  override readonly name = 'TerminalFailure';
  readonly [failureMark] = true;
  /** For programs, such as `quota_exceeded`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const waitMark = Symbol.for('fairlead.retry');

/** A failure that passes by itself. The event is sent again after the wait, and has spent no attempt. */
export class TemporaryFailure extends Error {
  override readonly name = 'TemporaryFailure';
  readonly [waitMark] = true;
  /** For programs, such as `rate_limited`. */
  readonly code: string;
  readonly seconds: number;
  readonly scope: RetryScope;

  constructor({ after, code, message, scope = 'resource' }: RetryRequest) {
    super(message);
    this.code = code;
    // A time that was computed may have just passed.
    this.seconds = Math.max(0, secondsOf('retry', after, -Infinity));
    this.scope = scope;
  }
}

/** @typeParam Code only for the compiler, which checks a code that is a literal */
export interface RetryRequest<Code extends string = string> {
  /**
   * Seconds, or a string such as `"90s"`, `"5m"`. Fairlead waits at least a second and at most an hour; after that, it sends the event
   * again, and the handler may ask for more.
   */
  readonly after: number | Delay;
  /** A machine-readable code, such as `rate_limited`: letters, digits, `_`, `-` and `.`. */
  readonly code: CodeText<Code>;
  /** For the user who declared the resource, without secrets. */
  readonly message: string;
  /**
   * `resource`, the default: only this event waits. `provider`: nothing is sent to the provider in this organization until then,
   * deletions included; afterwards one event tries first.
   */
  readonly scope?: RetryScope;
}

// Outputs may have fields of any name, so a symbol identifies a `Later`.
const mark = Symbol.for('fairlead.later');

/** The operation is not finished; the handler is called again with the same key and with `context`. */
export interface Later {
  readonly [mark]: true;
  readonly seconds: number;
  readonly message: string | undefined;
  readonly context: JsonObject | undefined;
  readonly progress?: LaterOptions['progress'];
}

export interface LaterOptions {
  /** The step that the operation has reached, for the user who declared the resource. */
  readonly message?: string;
  /** The `context` of the next call, such as the id of an operation; at most 16 KiB of JSON. */
  readonly context?: JsonObject;
  /** How far the operation is; numbers of at least 0. */
  readonly progress?: Omit<Progress, 'message'> | undefined;
}

export function isTerminalFailure(thrown: unknown): thrown is TerminalFailure {
  return thrown instanceof Error && failureMark in thrown;
}

/**
 * Ends the event as failed. Fairlead makes no further attempt, and keeps a dead letter. Any other error that a handler throws
 * leads to another attempt.
 *
 * @param code a machine-readable code, such as `quota_exceeded`: letters, digits, `_`, `-` and `.`
 * @param message a human-readable message for the user who declared the resource, without secrets
 * @returns never: it always throws
 * @throws TerminalFailure always; do not catch it
 * @example
 * ```ts
 * if (config.size > available) fail('quota_exceeded', `Only ${available} GiB are left`);
 * ```
 */
export function fail<const Code extends string>(code: CodeText<Code>, message: string): never {
  throw new TerminalFailure(code, message);
}

/**
 * Has the event sent again after a wait, because something outside has no room now: a rate limit, a quota that refills, a
 * maintenance window. It spends no attempt. All waits of an event together take no longer than an operation may
 * (`operationLimitSeconds` of the type); then the event fails for good.
 *
 * @returns never: like `fail`, it always throws, so that it also works in a helper that a handler calls
 * @throws TemporaryFailure always; do not catch it
 * @throws RangeError when `after` is no number and no delay
 * @throws TypeError when `scope` is neither `resource` nor `provider`
 * @example
 * ```ts
 * const response = await fetch(url, { signal });
 * if (response.status === 429) {
 *   const after = Number(response.headers.get('retry-after') ?? 60);
 *   retry({ after, code: 'rate_limited', message: 'The cloud allows 10 calls a minute', scope: 'provider' });
 * }
 * ```
 */
export function retry<const Code extends string>(request: RetryRequest<Code>): never {
  const { scope } = request;
  if (scope !== undefined && scope !== 'resource' && scope !== 'provider') {
    throw new TypeError(`retry: scope is ${String(scope)}; it must be "resource" or "provider"`);
  }
  throw new TemporaryFailure(request);
}

export function isTemporaryFailure(thrown: unknown): thrown is TemporaryFailure {
  return thrown instanceof Error && waitMark in thrown;
}

/**
 * Postpones the end of an event: the operation continues elsewhere, and Fairlead calls the handler again with the same key. This
 * call spends no attempt.
 *
 * @param delay seconds, or a string such as `"500ms"`, `"5s"`, `"2m"`, `"1h"`; Fairlead waits at least a second and at most an
 * hour, and then calls the handler
 * @param options what the operation is at and how far, and the `context` of the next call
 * @returns what the handler returns
 * @throws RangeError when the delay is negative, not finite or not a delay
 * @example
 * ```ts
 * async create({ config, key, context }) {
 *   const id = String(context?.operation ?? (await cloud.begin(config, key)));
 *   const operation = await cloud.look(id);
 *   const { percent: done } = operation;
 *   if (!operation.ended) {
 *     return later('10s', { message: 'Creating', progress: { done, total: 100 }, context: { operation: id } });
 *   }
 *   return { url: operation.url };
 * }
 * ```
 */
export function later(delay: number | Delay, options: LaterOptions = {}): Later {
  return {
    [mark]: true,
    seconds: secondsOf('later', delay, 0),
    message: options.message,
    context: options.context,
    progress: options.progress,
  };
}

export function isLater(value: unknown): value is Later {
  return typeof value === 'object' && value !== null && mark in value;
}

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** @throws RangeError */
function secondsOf(name: 'later' | 'retry', delay: number | string, min: number): number {
  const [, figure = '', unit = ''] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/.exec(`${delay}`) ?? [];
  const seconds = typeof delay === 'number' ? delay : Number(figure) * (units[unit] ?? Number.NaN);
  if (Number.isFinite(seconds) && seconds >= min) return seconds;
  throw new RangeError(
    `${name}: ${delay} is not a valid delay; use seconds, or a string such as "5s"`,
  );
}
