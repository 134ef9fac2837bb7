// The declarations of authors about a provider, with the types that follow from them for their handlers.
import type { z } from 'zod';
import type { AnyObject, Awaitable, Call, NotInCall, StartCall } from './call.ts';
import type { UsedOptions } from './compiler/members.ts';
import type { TypeName } from './compiler/texts.ts';
import type { Migration } from './migrations/from.ts';
import type { Adopted, AnyAdopt, ObjectSchema, OptionName, ResourceOptions } from './options.ts';
import type { Provider, ResourceType } from './provider.ts';

export interface DeclarationOptions<S extends z.ZodObject, Started> {
  /**
   * Values that the provider needs besides configurations: addresses, credentials. Administrators of an organization set them with
   * `fairlead provider settings set`. Mark secrets with `.meta({ sensitive: true })`: Fairlead never shows them.
   */
  readonly settings?: S;
  /**
   * How many events of all types Fairlead delivers at a time, from 1 to 1000, however many pods the provider has. Default: no
   * limit of the provider.
   */
  readonly concurrency?: number;
  /**
   * How long a handler may block the event loop, such as by a long computation without `await`, before its process is killed: from 2
   * seconds to the longest `timeoutSeconds` of a type. Default: 10. Only in pods.
   */
  readonly blockedLimitSeconds?: number;
  /**
   * Opens what handlers share, such as a client of the backing service: once for each process, before it is ready, and never in a
   * build. The members of what it returns are in the argument of every handler. When it throws, the process does not become ready,
   * and the deployment shows the message.
   */
  start?(call: StartCall<z.output<S>>): Awaitable<Started>;
  /** Closes what `start` returned, after the last handler. List it after `start`, whose result gives its argument the type. */
  stop?(started: StartedValues<Started>): Awaitable<void>;
  /**
   * Throws a sentence when the settings do not work, such as a wrong password. It runs before `start`, in `fairlead dev`, and when
   * the settings are about to change, and should take a few seconds. It must not quote a secret.
   */
  check?(call: StartCall<z.output<S>>): Awaitable<void>;
}

/** The part of the result of `start` that handlers receive. */
type StartedValues<Started> = [Started] extends [object] ? Started : unknown;

/** Results that `start` may return, so that no member of a call is hidden. */
// biome-ignore lint/suspicious/noConfusingVoidType: `start` may be a function without a result
export type Startable = (object & NotInCall) | void;

/** A type of a declared provider; `CallOf` is the argument of its handlers. */
export interface DeclaredType<
  HandlerCall,
  Name extends string = string,
  Config = object,
  Adopt = object,
> extends ResourceType {
  readonly name: Name;
  /** Only for the compiler: the values that people write. */
  readonly [written]?: { readonly config: Config; readonly adopt: Adopt };
  /** Only for the compiler. */
  readonly [handlerCall]?: HandlerCall;
}

declare const handlerCall: unique symbol;
declare const written: unique symbol;
declare const parts: unique symbol;

/** A provider whose types and settings the compiler knows: the test kit takes no others. */
export interface DeclaredProvider<Types extends readonly ResourceType[], Settings>
  extends Provider {
  /** Only for the compiler. */
  readonly [parts]?: { readonly types: Types; readonly settings: Settings };
}

/** The settings of a provider as people give them; any object where the compiler does not know them. */
export type SettingsOf<P extends Provider> = P extends {
  readonly [parts]?: { readonly settings: infer Settings };
}
  ? Settings
  : AnyObject;

/** The names of the types of a provider. */
export type TypeNameOf<P extends Provider> = DeclaredTypeOf<P>['name'];

/** The values that people write for a type of a provider. */
export type WrittenOf<P extends Provider, Name extends string> =
  Extract<DeclaredTypeOf<P>, { readonly name: Name }> extends {
    readonly [written]?: infer Written extends { config: unknown; adopt: unknown };
  }
    ? Written
    : { readonly config: object; readonly adopt: object };

type DeclaredTypeOf<P extends Provider> = P extends {
  readonly [parts]?: { readonly types: infer Types extends readonly ResourceType[] };
}
  ? Types[number]
  : ResourceType;

/**
 * The call that every handler of a type receives, for functions that handlers share. A handler that returns what such a function returned
 * needs a declared return type, because its type would otherwise depend on itself.
 *
 * @example
 * ```ts
 * export type DatabaseCall = CallOf<typeof database>;
 *
 * async function ensure({ client, config, name }: DatabaseCall): Promise<{ url: string }> { … }
 *
 * const database = redis.resource('database', {
 *   …,
 *   async create(call): Promise<{ url: string }> {
 *     return await ensure(call);
 *   },
 * });
 * ```
 */
export type CallOf<T extends DeclaredType<unknown>> = NonNullable<T[typeof handlerCall]>;

/** A provider without its types yet; made by `provider`. */
export interface Declaration<Settings, Started, GivenSettings = AnyObject> {
  readonly name: string;
  /**
   * Declares a type whose handlers receive the settings of the provider, and what its `start` returned.
   *
   * @param name the type in `provider/type/name`: lower-case letters, digits, `_` and `-`, beginning with a letter; at most 63
   * characters
   * @param options the description, the schemas of configuration and outputs, the handlers, and versions with their migrations
   * @returns the type, for `types`
   * @throws TypeError when Fairlead would reject the name, when an option is of another type, or when migrations have a gap
   * @throws RangeError when an option is a number outside of its bounds, or `observeEvery` no interval
   * @example
   * ```ts
   * const database = redis.resource('database', {
   *   description: 'A database with a user of its own.',
   *   config: z.strictObject({ prefix: z.string() }),
   *   outputs: z.object({ user: z.string() }),
   *   create: async ({ client, config, name }) => ({ user: await client.ensureUser(name, config.prefix) }),
   *   update: async ({ client, config, name }) => ({ user: await client.ensureUser(name, config.prefix) }),
   *   async delete({ client, name }) {
   *     await client.removeUser(name);
   *   },
   * });
   * ```
   */
  resource<
    C extends ObjectSchema,
    O extends ObjectSchema,
    const V extends number = 1,
    const M extends readonly Migration[] = readonly [],
    A extends ObjectSchema = AnyAdopt,
    I extends ObjectSchema = never,
    New = null,
    const Name extends string = string,
    Used extends OptionName = never,
    Created extends string = never,
    Updated extends string = never,
  >(
    name: TypeName<Name>,
    options: ResourceOptions<
      C,
      O,
      Settings,
      StartedValues<Started>,
      V,
      M,
      A,
      I,
      New,
      Created,
      Updated
    > &
      UsedOptions<Used>,
  ): DeclaredType<
    Call<z.output<C>, Settings> & StartedValues<Started>,
    Name,
    z.input<C>,
    z.input<Adopted<A, I>>
  >;
  /**
   * @param types made by `resource` of this declaration
   * @returns the provider, the default export of its package
   * @throws TypeError when a type belongs to another declaration
   * @throws RangeError when `blockedLimitSeconds` is more than the time of every type
   * @throws DuplicateType when two types have the same name
   * @example
   * ```ts
   * export default redis.types(database, cache);
   * ```
   */
  types<const Types extends readonly ResourceType[]>(
    ...types: Types
  ): DeclaredProvider<Types, GivenSettings>;
}
