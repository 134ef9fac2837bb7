// The options of a type: what `resource` of a provider takes.
import type { z } from 'zod';
import type { JsonObject } from '../lib/json.ts';
import type {
  AnyObject,
  Awaitable,
  Call,
  CancelCall,
  DeleteCall,
  ListCall,
  ObserveCall,
  PlanCall,
  UpdateCall,
  WithIdentity,
} from './call.ts';
import type { JsonOnly, OutputsNamed } from './compiler/members.ts';
import type { IdentityOptions } from './identity.ts';
import type { Migration, Migrations } from './migrations/from.ts';
import type { Gone, Listed, Observed } from './observation/results.ts';
import type { Later } from './outcome.ts';
import type { Planned } from './planning/results.ts';
import type { AuthorOptions } from './type-options.ts';

type Removed = Promise<Later | undefined> | Promise<void> | Later | undefined;
export type ObjectSchema = z.ZodType<AnyObject>;

/** The schema `adopt` of a type that declares none. */
export type AnyAdopt = z.ZodType<JsonObject, JsonObject>;

interface TypeSharedOptions<
  C extends ObjectSchema,
  O extends ObjectSchema,
  A extends ObjectSchema,
  I extends ObjectSchema,
  New,
> extends AuthorOptions {
  /** The purpose of the type, in one sentence. */
  readonly description: string;
  /** Schema of the configuration. Fairlead validates configurations with its JSON Schema before it sends events. */
  readonly config: C & JsonOnly<z.input<NoInfer<C>>, 'config'>;
  /** Schema of the outputs, which `create` and `update` return and users can read. */
  readonly outputs: O & JsonOnly<z.output<NoInfer<O>>, 'outputs'>;
  /**
   * Schema of what identifies an object that exists already, for imports: usually its id. `observe` receives it as `adopt`. When it
   * changes, keep accepting its earlier form: imported resources keep what they were imported with. Default: any object. It needs the
   * handler `observe`. The schema of `identity`, where there is one, takes its place.
   *
   * @example
   * ```ts
   * adopt: z.strictObject({ id: z.string().describe('Id in the cloud, such as bkt-1a2b') }),
   * ```
   */
  readonly adopt?: A;
  /**
   * Names of outputs that the backing service shows once, when it makes an object: the secret of a new key, and what changes with it.
   * A `create` that is called again after its answer was lost cannot return them; it removes what it finds of the resource, makes
   * another object, and returns that. `contract` of the test kit accepts it, and expects that nothing is left of the first.
   *
   * @example
   * ```ts
   * onceOnly: ['id', 'secret'],
   * ```
   */
  readonly onceOnly?: readonly (keyof z.output<O> & string)[];
  /**
   * The values that tell objects of the type apart, such as an id or a name: one object has one resource in an organization, whoever
   * made the object. Fairlead refuses an import of an object that a resource has, and outputs that name one; `fairlead import --list` shows whose
   * an object is. Handlers receive it as `identity`. It takes the place of `adopt`.
   *
   * @example
   * ```ts
   * identity: {
   *   schema: z.strictObject({ id: z.string().describe('Id in the cloud, such as bkt-1a2b') }),
   *   of: (outputs) => ({ id: outputs.id }),
   * },
   * ```
   */
  readonly identity?: IdentityOptions<I, z.output<O>, New>;
}

/** The arguments of the handlers of a type. */
interface Calls {
  readonly create: unknown;
  readonly update: unknown;
  readonly delete: unknown;
  readonly cancel: unknown;
  readonly observe: unknown;
  readonly list: unknown;
  readonly plan: unknown;
}

/** The results of handlers besides outputs. */
interface Results {
  readonly created: unknown;
  readonly updated: unknown;
  readonly observe: unknown;
  readonly list: unknown;
  readonly plan: unknown;
}

interface TypeHandlers<HandlerCalls extends Calls, Returned extends Results> {
  /**
   * Creates the resource, or finds it when an earlier attempt created it. It takes over nothing that something else created: store
   * `organization`, `project` and `name` with what it creates, such as in a tag, and call `fail('already_exists', …)` for another tag.
   */
  create(call: HandlerCalls['create']): Awaitable<Returned['created'] | Later>;
  /** Changes the resource according to `config`. */
  update(call: HandlerCalls['update']): Awaitable<Returned['updated'] | Later>;
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
  /**
   * Returns what exists, or `gone()`, and changes nothing. With this handler, Fairlead shows where objects differ from what resources
   * declare, imports objects that exist, and has read-only resources.
   *
   * Return values in the form of the config, with the units that people write. Leave out what cannot be read, such as a password:
   * it counts as unknown. Only values that people declared are compared, so defaults and what the backing service adds do no harm.
   * Throw an error when the backing service does not answer, or refuses to: only `gone()` means that nothing exists.
   *
   * `config` and `outputs` of the argument are those of the last success, as far as there are any; an object that is about to be
   * imported is found by `adopt`. It must not return `later`.
   *
   * @example
   * ```ts
   * async observe({ adopt, outputs, organization, name, signal }) {
   *   const found = await cloud.find(adopt?.id ?? outputs.id ?? tagOf(organization, name), { signal });
   *   if (found === undefined) return gone();
   *   return { config: { size: found.bytes / 2 ** 30 }, outputs: { id: found.id, url: found.url } };
   * },
   * ```
   */
  observe?(call: HandlerCalls['observe']): Awaitable<Returned['observe'] | Gone>;
  /**
   * Returns the objects of the type that exist, whoever created them, page by page, for `fairlead import --list`. It changes nothing.
   * A page takes at most 30 seconds, or `timeoutSeconds` of the type if that is less.
   *
   * @example
   * ```ts
   * async list({ cursor, signal }) {
   *   const page = await cloud.list({ after: cursor, signal });
   *   const items = page.objects.map(({ id, label }) => ({ adopt: { id }, name: label }));
   *   return { items, cursor: page.next };
   * },
   * ```
   */
  list?(call: HandlerCalls['list']): Awaitable<Returned['list']>;
  /**
   * Rules about a config that no schema can express: two fields together, a size that cannot shrink, a quota of the account. Fairlead
   * calls it before an apply stores a new config, and for plans and `fairlead diff`. Return `refuse(path, sentence)`, `replace(path)`,
   * outputs that are known before the event, a list of these, or nothing.
   *
   * It changes nothing, and takes at most two seconds. It never takes the place of a schema, nor of checks in `create` and `update`: an
   * apply is accepted without it when no process of the provider is ready, when it throws or takes longer, and by kubectl.
   *
   * @example
   * ```ts
   * plan({ config, previous }) {
   *   if (config.replicas === 1 && config.backups === 'replica') {
   *     return refuse('/backups', 'Backups of a replica need two replicas; set replicas to 2 or more');
   *   }
   *   if (previous !== null && config.sizeGb !== undefined && config.sizeGb < previous.sizeGb) {
   *     return refuse('/sizeGb', `A disk cannot shrink; it has ${previous.sizeGb} GiB`);
   *   }
   * },
   * ```
   */
  plan?(call: HandlerCalls['plan']): Awaitable<Returned['plan']>;
}

interface ResultsOf<C, O, A, Created extends string, Updated extends string> {
  readonly created: OutputsNamed<O, Created>;
  readonly updated: OutputsNamed<O, Updated>;
  readonly observe: Observed<C, O>;
  readonly list: Listed<A, C>;
  readonly plan: Planned<O>;
}

interface CallsOf<C, O, S, A, PreviousConfig = C, PreviousOutputs = O> {
  readonly create: Call<C, S>;
  readonly update: UpdateCall<C, PreviousOutputs, S, PreviousConfig>;
  readonly delete: DeleteCall<C, PreviousOutputs, S, PreviousConfig>;
  readonly cancel: CancelCall<C, PreviousOutputs, S, PreviousConfig>;
  readonly observe: ObserveCall<PreviousConfig, PreviousOutputs, S, A>;
  readonly list: ListCall<S>;
  readonly plan: PlanCall<C, PreviousOutputs, S, PreviousConfig>;
}

/** The calls of a type with an identity; those of another one are as they are. */
type IdentifiedCalls<All extends Calls, I extends ObjectSchema, New> = [I] extends [never]
  ? All
  : {
      readonly create: All['create'] & WithIdentity<New>;
      readonly update: All['update'] & WithIdentity<z.output<I>>;
      readonly delete: All['delete'] & WithIdentity<z.output<I> | New>;
      readonly cancel: All['cancel'] & WithIdentity<z.output<I> | New>;
      readonly observe: All['observe'] & WithIdentity<z.output<I> | New>;
      readonly list: All['list'];
      readonly plan: All['plan'];
    };

/** The schema of `adopt`: that of the identity, where there is one. */
export type Adopted<A extends ObjectSchema, I extends ObjectSchema> = [I] extends [never] ? A : I;

/** The calls, with what `start` returned beside their members. */
type StartedCalls<All extends Calls, Started> = {
  readonly [Name in keyof All]: All[Name] & Started;
};

/** Values of earlier versions have a known type when the version is the first one, or migrations lead to it. */
type Earlier<T, V extends number, M extends readonly Migration[]> = M extends readonly []
  ? V extends 1
    ? T
    : unknown
  : T;

/**
 * @typeParam S the settings of the provider, parsed
 * @typeParam Started what `start` of the provider returned
 * @typeParam New what `forNew` of the identity returns
 * @typeParam Created the names of the outputs that `create` returns
 * @typeParam Updated the names of the outputs that `update` returns
 */
export interface ResourceOptions<
  C extends ObjectSchema,
  O extends ObjectSchema,
  S,
  Started,
  V extends number,
  M extends readonly Migration[],
  A extends ObjectSchema = AnyAdopt,
  I extends ObjectSchema = never,
  New = null,
  Created extends string = never,
  Updated extends string = never,
> extends TypeSharedOptions<C, O, A, I, New>,
    TypeHandlers<
      StartedCalls<
        IdentifiedCalls<
          CallsOf<
            z.output<C>,
            z.output<O>,
            S,
            z.output<Adopted<A, I>>,
            Earlier<z.output<C>, V, M>,
            Earlier<z.output<O>, V, M>
          >,
          I,
          New
        >,
        Started
      >,
      ResultsOf<z.input<C>, z.input<O>, z.input<Adopted<A, I>>, Created, Updated>
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
  readonly migrations?: M & Migrations<NoInfer<M>, NoInfer<C>, NoInfer<O>, NoInfer<V>>;
}

/** The names of all options. */
export type OptionName = keyof ResourceOptions<ObjectSchema, ObjectSchema, unknown, unknown, 1, []>;
