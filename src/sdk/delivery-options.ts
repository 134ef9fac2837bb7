// Checks what a type declares about the delivery of its events, with the limits of Fairlead.
import {
  type DeliveryOptions,
  maxAttemptsOfType,
  maxConcurrency,
  maxDelaySecondsOfType,
  operationLimitRange,
} from '../domain/delivery-options.ts';
import { maxTimeoutSeconds } from '../domain/event.ts';

/** The options of `retry` and their largest values. */
const retryOptions = new Map<string, number>([
  ['attempts', maxAttemptsOfType],
  ['maxDelaySeconds', maxDelaySecondsOfType],
]);

interface DeclaredDelivery extends Omit<DeliveryOptions, 'observe'> {
  readonly cancel?: unknown;
}

/**
 * @throws RangeError when Fairlead would reject a number
 * @throws TypeError when `retry` is no object, has an option that Fairlead does not know, or none; when `cancellable` is no
 * boolean, or `cancel` no function
 */
export function requireDeliveryOptions(type: string, options: DeclaredDelivery): void {
  const { timeoutSeconds, retry, cancellable, cancel, concurrency, operationLimitSeconds } =
    options;
  requireWhole(`Type ${type}: timeoutSeconds`, timeoutSeconds, { max: maxTimeoutSeconds });
  requireWhole(`Type ${type}: concurrency`, concurrency, { max: maxConcurrency });
  requireWhole(`Type ${type}: operationLimitSeconds`, operationLimitSeconds, operationLimitRange);
  requireRetry(type, retry);
  if (cancellable !== undefined && typeof cancellable !== 'boolean') {
    throw new TypeError(`Type ${type}: cancellable must be true or false`);
  }
  if (cancel !== undefined && typeof cancel !== 'function') {
    throw new TypeError(`Type ${type}: cancel must be a function; omit it if nothing can be ended`);
  }
}

function requireRetry(type: string, retry: DeliveryOptions['retry']): void {
  if (retry === undefined) return;
  const known = [...retryOptions.keys()].join(' and ');
  if (typeof retry !== 'object' || retry === null) {
    throw new TypeError(`Type ${type}: retry must be an object with ${known}, or one of them`);
  }
  const given = Object.entries(retry).filter(([, value]) => value !== undefined);
  if (given.length === 0) {
    throw new TypeError(`Type ${type}: retry is empty; set ${known}, or one of them`);
  }
  for (const [name, value] of given) {
    const maximum = retryOptions.get(name);
    if (maximum === undefined) {
      throw new TypeError(`Type ${type}: retry has no option ${name}; its options are ${known}`);
    }
    requireWhole(`Type ${type}: retry.${name}`, value, { max: maximum });
  }
}

interface DeliveryOptionRange {
  /** 1 when absent. */
  readonly min?: number;
  readonly max: number;
}

/** @throws RangeError */
export function requireWhole(
  option: string,
  value: unknown,
  { min = 1, max }: DeliveryOptionRange,
): void {
  if (value === undefined) return;
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (isWhole && value >= min && value <= max) return;
  throw new RangeError(
    `${option} is ${String(value)}; it must be a whole number from ${min} to ${max}`,
  );
}
