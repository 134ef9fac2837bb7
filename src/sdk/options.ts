// The options of a type: what `resource` of this package and `resource` of a provider take.
import type { z } from 'zod';
import type { RetryOptions } from '../domain/delivery-options.ts';
import type { AnyObject, Awaitable, Call, CancelCall, DeleteCall, UpdateCall } from './call.ts';
import type { Migration, Migrations } from './migrations/from.ts';
import type { Later } from './outcome.ts';

type Removed = Promise<Later | undefined> | Promise<void> | Later | undefined;
export type ObjectSchema = z.ZodType<AnyObject>;

interface SharedOptions<C extends ObjectSchema, O extends ObjectSchema> {
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
}

/** The arguments of the handlers of a type. */
interface Calls {
  readonly create: unknown;
  readonly update: unknown;
  readonly delete: unknown;
  readonly cancel: unknown;
}

interface Handlers<HandlerCalls extends Calls, Outputs> {
  /** Creates the resource, or finds it when an earlier attempt created it. */
  create(call: HandlerCalls['create']): Awaitable<Outputs | Later>;
  /** Changes the resource according to `config`. */
  update(call: HandlerCalls['update']): Awaitable<Outputs | Later>;
  /** Removes the resource; succeeds if it does not exist. */
  delete(call: HandlerCalls['delete']): Removed;
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
  cancel?(call: HandlerCalls['cancel']): Removed;
}

interface CallsOf<C, O, S, PreviousConfig = C, PreviousOutputs = O> {
  readonly create: Call<C, S>;
  readonly update: UpdateCall<C, PreviousOutputs, S, PreviousConfig>;
  readonly delete: DeleteCall<C, PreviousOutputs, S, PreviousConfig>;
  readonly cancel: CancelCall<C, PreviousOutputs, S, PreviousConfig>;
}

/** The calls, with what `start` returned beside their members. */
type StartedCalls<All extends Calls, Started> = {
  readonly [Name in keyof All]: All[Name] & Started;
};

export interface TypeOptions<
  C extends ObjectSchema,
  O extends ObjectSchema,
  S extends ObjectSchema = ObjectSchema,
> extends SharedOptions<C, O>,
    Handlers<CallsOf<z.output<C>, z.output<O>, z.output<S>>, z.input<O>> {
  /** The settings of the provider, the same schema as in `provider`: it gives `settings` of the handlers its type. */
  readonly settings?: S;
}

/** Values of earlier versions have a known type when the version is the first one, or migrations lead to it. */
type Earlier<T, V extends number, M extends readonly Migration[]> = M extends readonly []
  ? V extends 1
    ? T
    : unknown
  : T;

/**
 * @typeParam S the settings of the provider, parsed
 * @typeParam Started what `start` of the provider returned
 */
export interface ResourceOptions<
  C extends ObjectSchema,
  O extends ObjectSchema,
  S,
  Started,
  V extends number,
  M extends readonly Migration[],
> extends SharedOptions<C, O>,
    Handlers<
      StartedCalls<
        CallsOf<
          z.output<C>,
          z.output<O>,
          S,
          Earlier<z.output<C>, V, M>,
          Earlier<z.output<O>, V, M>
        >,
        Started
      >,
      z.input<O>
    > {
  /**
   * The version of `config` and `outputs`: a whole number from 1 to 1000; default 1. Increase it when a schema changes so that
   * stored values no longer fit, and add a migration from the version before. Stored configs are not rewritten: Fairlead sends them
   * with their version.
   */
  readonly version?: V;
  /**
   * The steps from earlier versions, the oldest first and without a gap: `from(n, …)` leads to version n + 1, and the last one to
   * `version`. Handlers then see configs and outputs of the newest version only.
   *
   * @example
   * ```ts
   * migrations: [
   *   from(1, { config: ConfigV1, outputs: OutputsV1 }).to(
   *     (config) => ({ sizeGb: config.size }),
   *     (outputs) => ({ ...outputs, region: 'eu' }),
   *   ),
   * ],
   * ```
   */
  readonly migrations?: M & Migrations<NoInfer<M>, NoInfer<C>, NoInfer<O>>;
}
