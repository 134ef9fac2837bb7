// The options that a type declares about the delivery of its events, and their form in JSON: in `POST /resources/register`, in `GET
// /resources/types` and in the result of a build. An option that a type does not declare has the default of Fairlead.
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

/** The names of the options in JSON. */
const namesInBodies = {
  timeoutSeconds: 'timeout_seconds',
  retry: 'retry',
  cancellable: 'cancellable',
  cancelsOperations: 'cancels_operations',
  concurrency: 'concurrency',
  operationLimitSeconds: 'operation_limit_seconds',
  observe: 'observe',
  observeEvery: 'observe_every',
  listable: 'listable',
} as const satisfies Readonly<Record<keyof DeliveryOptions, string>>;

export const deliveryOptionNames = Object.keys(namesInBodies) as readonly (keyof DeliveryOptions)[];

interface RetryBody {
  readonly attempts?: number | undefined;
  readonly max_delay_seconds?: number | undefined;
}

export type DeliveryOptionsBody = {
  readonly [Name in keyof DeliveryOptions as (typeof namesInBodies)[Name]]?: Name extends 'retry'
    ? RetryBody
    : NonNullable<DeliveryOptions[Name]>;
};

type GivenDeliveryOptions = {
  readonly [Name in keyof DeliveryOptionsBody]: DeliveryOptionsBody[Name] | null | undefined;
};

/** @param body where null, false and an absent member mean the same */
export function deliveryOptionsIn(body: GivenDeliveryOptions): DeliveryOptions {
  const named = deliveryOptionNames.map((name) => [name, body[namesInBodies[name]] || undefined]);
  const { attempts, max_delay_seconds: maxDelaySeconds } = body.retry ?? {};
  const retry = body.retry ? withoutUndefined({ attempts, maxDelaySeconds }) : undefined;
  return withoutUndefined({ ...Object.fromEntries(named), retry });
}

/** @returns only the members that the type declares */
export function deliveryOptionsBody(options: DeliveryOptions): DeliveryOptionsBody {
  const named = deliveryOptionNames.map((name) => [
    namesInBodies[name],
    options[name] || undefined,
  ]);
  const { attempts, maxDelaySeconds: max_delay_seconds } = options.retry ?? {};
  const retry = options.retry && withoutUndefined({ attempts, max_delay_seconds });
  return withoutUndefined({ ...Object.fromEntries(named), retry });
}
