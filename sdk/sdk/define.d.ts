import type { z } from 'zod';
import type { Declaration, DeclarationOptions, ProviderOptions, Startable } from './declaration.js';
import type { AnyAdopt, ObjectSchema, TypeOptions } from './options.js';
import type { Provider, ResourceType } from './provider.js';
/** Two types have the same name. `code` identifies the error to programs that imported another copy of this class. */
export declare class DuplicateType extends TypeError {
    readonly code = "FAIRLEAD_DUPLICATE_TYPE";
}
/**
 * Declares a type of resources: two schemas, three handlers and, as far as it can, `cancel`, `observe` and `list`.
 *
 * @param name the type in `provider/type/name`: lower-case letters, digits, `_` and `-`, beginning with a letter; at most
 * 63 characters
 * @param options the description, the schemas of configuration and outputs, and the handlers
 * @returns the type, for `provider`
 * @throws TypeError when Fairlead would reject the name, or an option is of another type
 * @throws RangeError when Fairlead would reject a number: `timeoutSeconds`, `concurrency`, `operationLimitSeconds`, or one of `retry`;
 * or the interval `observeEvery`
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
export declare function resource<C extends ObjectSchema, O extends ObjectSchema, S extends ObjectSchema = ObjectSchema, A extends ObjectSchema = AnyAdopt>(name: string, options: TypeOptions<C, O, S, A>): ResourceType;
/**
 * Declares a provider. It, or the result of its `types`, must be the default export of its package.
 *
 * @param name a DNS label of at most 40 characters
 * @param declared settings, `start`, `stop` and `check` of the provider, whose types follow; or all of its types, made by the
 * function `resource`
 * @returns the declaration; with types the provider, for `serve`, for `testProvider` and for the runtime of Fairlead
 * @throws TypeError when Fairlead would reject the name, or when a type has other settings than the provider
 * @throws RangeError when Fairlead would reject `concurrency`
 * @throws DuplicateType when two types have the same name
 * @example
 * ```ts
 * const redis = provider('redis', {
 *   settings: z.object({ url: z.url(), password: z.string().meta({ sensitive: true }) }),
 *   async start({ settings }) {
 *     return { client: await connect(settings) };
 *   },
 *   async stop({ client }) {
 *     await client.close();
 *   },
 *   async check({ settings, signal }) {
 *     await ping(settings, signal);
 *   },
 * });
 * const database = redis.resource('database', { … });
 * export default redis.types(database);
 * ```
 * @example
 * ```ts
 * export default provider('storage', [bucket]);
 * ```
 */
export declare function provider(name: string, declared: readonly ResourceType[] | ProviderOptions): Provider;
export declare function provider<S extends z.ZodObject = z.ZodObject, Started extends Startable = void>(name: string, declared?: DeclarationOptions<S, Started>): Declaration<z.output<S>, Started>;
