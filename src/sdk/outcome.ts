// Results of a handler besides outputs: `fail` for permanent failures, `later` for operations in progress. Any other error leads to
// a retry.
import type { Progress } from '../domain/progress/value.ts';
import type { JsonObject } from '../lib/json.ts';

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
  /** What the operation is at, for the user who declared the resource. */
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
 * @param code a machine-readable code, such as `quota_exceeded`
 * @param message a human-readable message for the user who declared the resource, without secrets
 * @returns never: it always throws
 * @throws TerminalFailure always; do not catch it
 * @example
 * ```ts
 * if (config.size > available) fail('quota_exceeded', `Only ${available} GiB are left`);
 * ```
 */
export function fail(code: string, message: string): never {
  throw new TerminalFailure(code, message);
}

/**
 * Postpones the end of an event: the operation continues elsewhere, and Fairlead calls the handler again with the same key. This
 * call spends no attempt.
 *
 * @param delay seconds, or a string such as `"500ms"`, `"5s"`, `"2m"`, `"1h"`
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
export function later(delay: number | string, options: LaterOptions = {}): Later {
  return {
    [mark]: true,
    seconds: typeof delay === 'number' ? checked(delay, delay) : secondsIn(delay),
    message: options.message,
    context: options.context,
    progress: options.progress,
  };
}

export function isLater(value: unknown): value is Later {
  return typeof value === 'object' && value !== null && mark in value;
}

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

function secondsIn(text: string): number {
  const [, figure = '', unit = ''] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/.exec(text) ?? [];
  return checked(Number(figure) * (units[unit] ?? Number.NaN), text);
}

function checked(seconds: number, given: number | string): number {
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new RangeError(
    `later: ${given} is not a valid delay; use seconds, or a string such as "5s"`,
  );
}
