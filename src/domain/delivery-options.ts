// What a type declares about the delivery of its events, and its form in JSON: in `POST /resources/register`, in
// `GET /resources/types` and in the result of a build. For what a type does not declare, the default of Fairlead applies.
import { withoutUndefined } from '../lib/json.ts';

/** The most attempts of one event that a type may declare. */
export const maxAttemptsOfType = 20;
/** The longest wait between two attempts that a type may declare. */
export const maxDelaySecondsOfType = 600;
/** The most deliveries at a time that a type or a provider may declare. */
export const maxConcurrency = 1_000;
/** The longest wait until the next delivery that an answer may ask for, a 202 or a 429. More is cut to it. */
export const maxAskedSeconds = 3_600;
/** How long an operation of a type may take, in seconds. */
export const operationLimitRange = { min: 60, max: 86_400 } as const;

export interface RetryOptions {
  /** Attempts of one event in total, from 1 to 20. */
  readonly attempts?: number | undefined;
  /** The longest random wait between two attempts, in whole seconds from 1 to 600. */
  readonly maxDelaySeconds?: number | undefined;
}

export interface DeliveryOptions {
  /** How long a handler may run. */
  readonly timeoutSeconds?: number | undefined;
  /** How often, and after which waits, a failed event is tried again. */
  readonly retry?: RetryOptions | undefined;
  /** Whether a deletion ends the handler in flight. */
  readonly cancellable?: boolean | undefined;
  /** Whether a deletion asks the provider to end an operation under way. */
  readonly cancelsOperations?: boolean | undefined;
  /** How many events of the type are delivered at a time. */
  readonly concurrency?: number | undefined;
  /** How long an operation, or waits that the provider asks for, may take. */
  readonly operationLimitSeconds?: number | undefined;
  /** Whether the provider observes objects of the type. */
  readonly observe?: boolean | undefined;
  /** How often they are observed, such as `10m`. */
  readonly observeEvery?: string | undefined;
  /** Whether the provider lists the objects of the type that exist. */
  readonly listable?: boolean | undefined;
}

export interface DeliveryOptionsBody {
  readonly timeout_seconds?: number | undefined;
  readonly retry?: RetryBody | undefined;
  readonly cancellable?: boolean | undefined;
  readonly cancels_operations?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly operation_limit_seconds?: number | undefined;
  readonly observe?: boolean | undefined;
  readonly observe_every?: string | undefined;
  readonly listable?: boolean | undefined;
}

interface RetryBody {
  readonly attempts?: number | undefined;
  readonly max_delay_seconds?: number | undefined;
}

type Given = { readonly [Member in keyof DeliveryOptionsBody]: DeliveryOptionsBody[Member] | null };

/** @param body where null, false and an absent member mean the same */
export function deliveryOptionsIn({
  timeout_seconds,
  retry,
  cancellable,
  cancels_operations,
  concurrency,
  operation_limit_seconds,
  observe,
  observe_every,
  listable,
}: Given): DeliveryOptions {
  return withoutUndefined({
    timeoutSeconds: timeout_seconds ?? undefined,
    retry: retry
      ? withoutUndefined({ attempts: retry.attempts, maxDelaySeconds: retry.max_delay_seconds })
      : undefined,
    cancellable: cancellable || undefined,
    cancelsOperations: cancels_operations || undefined,
    concurrency: concurrency ?? undefined,
    operationLimitSeconds: operation_limit_seconds ?? undefined,
    observe: observe || undefined,
    observeEvery: observe_every ?? undefined,
    listable: listable || undefined,
  });
}

/** @returns only the members that the type declares */
export function deliveryOptionsBody({
  timeoutSeconds,
  retry,
  cancellable,
  cancelsOperations,
  concurrency,
  operationLimitSeconds,
  observe,
  observeEvery,
  listable,
}: DeliveryOptions): DeliveryOptionsBody {
  return withoutUndefined({
    timeout_seconds: timeoutSeconds,
    retry:
      retry &&
      withoutUndefined({ attempts: retry.attempts, max_delay_seconds: retry.maxDelaySeconds }),
    cancellable: cancellable || undefined,
    cancels_operations: cancelsOperations || undefined,
    concurrency,
    operation_limit_seconds: operationLimitSeconds,
    observe: observe || undefined,
    observe_every: observeEvery,
    listable: listable || undefined,
  });
}
