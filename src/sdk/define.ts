// Defines providers: a name and types, each with schemas and three handlers.
import { z } from 'zod';
import {
  type DeliveryOptionsBody,
  deliveryOptionsBody,
  maxConcurrency,
  type RetryOptions,
} from '../domain/delivery-options.ts';
import type { JsonObject } from '../lib/json.ts';
import { requireDeliveryOptions, requireWhole } from './delivery-options.ts';
import type { Later } from './outcome.ts';

/** Writes log lines of a handler with the event that they belong to. */
export interface HandlerLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The arguments of every handler. */
export interface Call<Config, Settings = AnyObject> {
  /** The configuration, parsed by the schema: its defaults are filled in. */
  readonly config: Config;
  /** The settings of the provider, parsed by their schema; an empty object when it declares none. */
  readonly settings: Settings;
  /**
   * The idempotency key: the same for every attempt of one event, different for every other event. Pass it to systems that
   * accept one. A handler may be called again after it did its work, if its answer was lost.
   */
  readonly key: string;
  /**
   * Aborted when the handler has run for `timeoutSeconds` of its type, when Fairlead closes the connection, when the provider
   * stops, or, with `cancellable`, when the resource is deleted. End soon then: no other attempt of this event begins here before
   * the handler has ended, or its limit has passed.
   */
  readonly signal: AbortSignal;
  readonly log: HandlerLog;
  readonly organization: string;
  readonly project: string;
  readonly resource: string;
  readonly name: string;
  /** Counts from 1. */
  readonly attempt: number;
  /**
   * Greater than in every earlier delivery for this resource and for deleted resources of the same name. Store it beside what
   * you create, and refuse a delivery with a lower one: it is a late delivery of a controller that no longer leads.
   */
  readonly sequence: number;
  /**
   * The context of the last `later`; null in the first call of an event. The first call of `delete` may have the context of a
   * create or update that had not ended when Fairlead stopped waiting for it.
   */
  readonly context: JsonObject | null;
  /**
   * The trace of the request that caused the event, as the header `traceparent` of W3C Trace Context; null without one. Pass it to
   * systems that the handler calls.
   */
  readonly traceparent: string | null;
}

export interface UpdateCall<Config, Outputs, Settings = AnyObject> extends Call<Config, Settings> {
  /** The configuration of the last success. */
  readonly previousConfig: Config;
  /** The outputs of the last success. */
  readonly outputs: Outputs;
}

export interface DeleteCall<Config, Outputs, Settings = AnyObject> extends Call<Config, Settings> {
  /** The outputs of the last success; empty when there was none, although something may exist. */
  readonly outputs: Partial<Outputs>;
}

export interface CancelCall<Config, Outputs, Settings = AnyObject>
  extends DeleteCall<Config, Outputs, Settings> {
  /** What `key` was in the calls that began the operation. */
  readonly operationKey: string;
}

type Awaitable<T> = T | Promise<T>;
type Removed = Promise<Later | undefined> | Promise<void> | Later | undefined;
export type AnyObject = Readonly<Record<string, unknown>>;
type ObjectSchema = z.ZodType<AnyObject>;

export interface TypeOptions<
  C extends ObjectSchema,
  O extends ObjectSchema,
  S extends ObjectSchema = ObjectSchema,
> {
  /** The purpose of the type, in one sentence. */
  readonly description: string;
  /** Schema of the configuration. Fairlead validates configurations with its JSON Schema before it sends events. */
  readonly config: C;
  /** Schema of the outputs, which `create` and `update` return and users can read. */
  readonly outputs: O;
  /**
   * How long a handler may run, in whole seconds from 1 to 3600; default 30. `serve` reports every few seconds that it still
   * runs. Work that something else does, such as a cloud, needs no long limit: return `later`.
   */
  readonly timeoutSeconds?: number;
  /**
   * How often, and after which waits, Fairlead tries a failed event again: `attempts` in total, from 1 to 20, and random waits
   * of up to 1, 2, 4, … seconds, each at most `maxDelaySeconds`, from 1 to 600. One of the two is enough. The defaults are
   * those of the installation: 8 attempts and 60 seconds, unless its administrator has changed them. `fail` and answers that no
   * retry can change end the event at once.
   */
  readonly retry?: RetryOptions;
  /**
   * True: a deletion aborts `signal` of a `create` or `update` that runs for the resource, with an Error as its `reason`, and calls
   * `delete` when that call has ended. Default false: the deletion waits for the call, and `signal` stays as it is. What an aborted
   * call returns or throws is no failure: outputs are passed to `delete`, and with `later` the operation goes on.
   *
   * @example
   * ```ts
   * cancellable: true,
   * async create({ config, signal }) {
   *   return { url: await render(config, { signal }) };   // rejects when the signal is aborted
   * },
   * ```
   */
  readonly cancellable?: boolean;
  /**
   * How many events of the type Fairlead delivers at a time, from 1 to 1000, however many pods the provider has. Others wait for
   * their turn, and are not charged for it. Default: no limit of the type.
   */
  readonly concurrency?: number;
  /**
   * How long work may take that the handlers report with `later` or `retry`, in whole seconds from 60 to 86400: from the first of
   * them until the event fails for good. Default: the limit of the installation, two hours unless its administrator has changed it.
   */
  readonly operationLimitSeconds?: number;
  /** The settings of the provider, the same schema as in `provider`: it gives `settings` of the handlers its type. */
  readonly settings?: S;
  /** Creates the resource, or finds it when an earlier attempt created it. */
  create(call: Call<z.output<C>, z.output<S>>): Awaitable<z.input<O> | Later>;
  /** Changes the resource according to `config`. */
  update(call: UpdateCall<z.output<C>, z.output<O>, z.output<S>>): Awaitable<z.input<O> | Later>;
  /** Removes the resource; succeeds if it does not exist. */
  delete(call: DeleteCall<z.output<C>, z.output<O>, z.output<S>>): Removed;
  /**
   * Ends an operation, begun by `create` or `update` with `later`, because the resource is being deleted. When it has returned
   * nothing, `delete` is called with the same `context`. Without this handler, a deletion polls the operation to its end first, for
   * at most ten minutes.
   *
   * It must be repeatable, and succeed when the operation has ended. It may return `later` while the operation is ending: it is
   * called again, and a `context` given with it replaces that of the operation. An error is retried; after the last attempt, and
   * after `fail`, the operation is polled to its end.
   *
   * @example
   * ```ts
   * async cancel({ context }) {
   *   const operation = await cloud.cancel(String(context?.operation));
   *   if (!operation.ended) return later('5s');
   * },
   * ```
   */
  cancel?(call: CancelCall<z.output<C>, z.output<O>, z.output<S>>): Removed;
}

/** A type with its schemas and handlers; made by `resource`. */
export interface ResourceType {
  readonly name: string;
  readonly description: string;
  readonly config: z.ZodType;
  readonly outputs: z.ZodType;
  readonly settings?: z.ZodType;
  readonly timeoutSeconds?: number;
  readonly retry?: RetryOptions;
  readonly cancellable?: boolean;
  readonly concurrency?: number;
  readonly operationLimitSeconds?: number;
  readonly create: (call: Call<AnyObject>) => Awaitable<unknown>;
  readonly update: (call: UpdateCall<AnyObject, AnyObject>) => Awaitable<unknown>;
  readonly delete: (call: DeleteCall<AnyObject, AnyObject>) => Awaitable<unknown>;
  readonly cancel?: (call: CancelCall<AnyObject, AnyObject>) => Awaitable<unknown>;
}

export interface Provider {
  readonly name: string;
  readonly types: ReadonlyMap<string, ResourceType>;
  /** Undefined when the provider has no settings. */
  readonly settings?: z.ZodType;
  /** Undefined when the provider declares no limit. */
  readonly concurrency?: number;
}

export interface ProviderOptions {
  /**
   * What the provider needs besides configurations: addresses, credentials. Administrators of an organization set them with
   * `fairlead provider settings set`. Mark secrets with `.meta({ sensitive: true })`: Fairlead never shows them.
   */
  readonly settings?: z.ZodObject;
  /**
   * How many events of all types Fairlead delivers at a time, from 1 to 1000, however many pods the provider has. Default: no
   * limit of the provider.
   */
  readonly concurrency?: number;
  /** The types of the provider, made by `resource`. */
  readonly types: readonly ResourceType[];
}

/** Two types have the same name. `code` identifies the error to programs that imported another copy of this class. */
export class DuplicateType extends TypeError {
  readonly code = 'FAIRLEAD_DUPLICATE_TYPE';
}

const providerPattern = /^[a-z0-9](?:[-a-z0-9]{0,38}[a-z0-9])?$/;
const typePattern = /^[a-z][a-z0-9_-]{0,62}$/;

/**
 * Declares a type of resources: two schemas and three handlers.
 *
 * @param name the type in `provider/type/name`: lower-case letters, digits, `_` and `-`, beginning with a letter; at most
 * 63 characters
 * @param options the description, the schemas of configuration and outputs, and the handlers
 * @returns the type, for `provider`
 * @throws TypeError when Fairlead would reject the name, or an option is of another type
 * @throws RangeError when Fairlead would reject a number: `timeoutSeconds`, `concurrency`, `operationLimitSeconds`, or one of `retry`
 * @example
 * ```ts
 * const bucket = resource('bucket', {
 *   description: 'A bucket in the object store.',
 *   config: z.object({ region: z.string().default('eu-central-1') }),
 *   outputs: z.object({ url: z.string() }),
 *   async create({ name, config, key }) {
 *     return { url: await store.ensureBucket(name, config.region, key) };
 *   },
 *   update({ outputs }) {
 *     return outputs;
 *   },
 *   async delete({ name }) {
 *     await store.removeBucket(name);
 *   },
 * });
 * ```
 */
export function resource<
  C extends ObjectSchema,
  O extends ObjectSchema,
  S extends ObjectSchema = ObjectSchema,
>(name: string, options: TypeOptions<C, O, S>): ResourceType {
  if (!typePattern.test(name)) throw new TypeError(`"${name}" is not a valid type name`);
  requireDeliveryOptions(name, options);
  // The types of arguments and outputs are erased here; the runtime parses them with the schemas before every call.
  return { ...options, name } as unknown as ResourceType;
}

/**
 * Declares a provider. It must be the default export of its package.
 *
 * @param name a DNS label of at most 40 characters
 * @param declared the types of the provider, made by `resource`; or its settings and its types
 * @returns the provider, for `serve`, for `testProvider` and for the runtime of Fairlead
 * @throws TypeError when Fairlead would reject the name, or when a type has other settings than the provider
 * @throws RangeError when Fairlead would reject `concurrency`
 * @throws DuplicateType when two types have the same name
 * @example
 * ```ts
 * export default provider('storage', [bucket]);
 * ```
 * @example
 * ```ts
 * const settings = z.object({ url: z.url(), token: z.string().meta({ sensitive: true }) });
 * const bucket = resource('bucket', { settings, … });
 * export default provider('storage', { settings, types: [bucket] });
 * ```
 */
export function provider(
  name: string,
  declared: readonly ResourceType[] | ProviderOptions,
): Provider {
  if (!providerPattern.test(name)) throw new TypeError(`"${name}" is not a valid provider name`);
  const { types, settings, concurrency }: ProviderOptions =
    'types' in declared ? declared : { types: declared };
  requireWhole(`Provider ${name}: concurrency`, concurrency, { max: maxConcurrency });
  const byName = new Map(types.map((each) => [each.name, each]));
  const second = types.find((each, at) => types.findIndex(({ name: n }) => n === each.name) < at);
  if (second !== undefined) {
    throw new DuplicateType(`Provider ${name} has two types with the same name: ${second.name}`);
  }
  const other = types.find((each) => each.settings !== undefined && each.settings !== settings);
  if (other !== undefined) {
    throw new TypeError(
      `Type ${other.name} has other settings than provider ${name}; pass the same schema to both`,
    );
  }
  return {
    name,
    types: byName,
    ...(settings === undefined ? {} : { settings }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}

/** The body of `POST /resources/register`; of the options of delivery only those that the type declares. */
export interface Registration extends DeliveryOptionsBody {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** @returns the registrations of a provider's types, with the JSON Schemas of their configurations */
export function registrationsOf({ name, types }: Provider): readonly Registration[] {
  return [...types.values()].map((type) => ({
    provider: name,
    resource: type.name,
    description: type.description,
    // The input form, in which fields with defaults are optional.
    schema: z.toJSONSchema(type.config, { io: 'input' }) as unknown as JsonObject,
    ...deliveryOptionsBody({ ...type, cancelsOperations: type.cancel !== undefined }),
  }));
}
