import { z } from 'zod';
import type { JsonObject } from '../domain/json.js';
import type { Later } from './outcome.js';
/** Lines of a handler, with the event they belong to. */
export interface HandlerLog {
    debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
    info(message: string, fields?: Readonly<Record<string, unknown>>): void;
    warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
    error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
/** What every handler is told. */
export interface Call<Config> {
    /** The configuration, parsed by the schema: its defaults are filled in. */
    readonly config: Config;
    /**
     * The idempotency key: the same for every attempt of one event, different for every other event. Hand it to systems that
     * take one. A handler may be called again after it did its work, when its answer was lost.
     */
    readonly key: string;
    /** Aborted when nobody waits for the answer any more, or the provider stops. */
    readonly signal: AbortSignal;
    readonly log: HandlerLog;
    readonly organization: string;
    readonly project: string;
    readonly resource: string;
    readonly name: string;
    /** Counts from 1. */
    readonly attempt: number;
    /**
     * Greater than in every earlier delivery for this resource, and for those of its name that were deleted before it. Store it
     * beside what you make, and refuse a delivery with a lower one: it comes late, from a Fairlead that no longer leads.
     */
    readonly sequence: number;
    /**
     * What the last `later` gave; null in the first call of an event. Only the first call of `delete` may have that of a create
     * or update which had not ended when Fairlead stopped waiting for it.
     */
    readonly context: JsonObject | null;
}
export interface UpdateCall<Config, Outputs> extends Call<Config> {
    /** The configuration of the last success. */
    readonly previousConfig: Config;
    /** The outputs of the last success. */
    readonly outputs: Outputs;
}
export interface DeleteCall<Config, Outputs> extends Call<Config> {
    /** The outputs of the last success; empty when there was none, and something may exist all the same. */
    readonly outputs: Partial<Outputs>;
}
type Awaitable<T> = T | Promise<T>;
type Removed = Promise<Later | undefined> | Promise<void> | Later | undefined;
type AnyObject = Readonly<Record<string, unknown>>;
type ObjectSchema = z.ZodType<AnyObject>;
export interface TypeOptions<C extends ObjectSchema, O extends ObjectSchema> {
    /** What the type is for, in a sentence. */
    readonly description: string;
    /** Schema of the configuration. Its JSON Schema is what Fairlead checks before anything is processed. */
    readonly config: C;
    /** Schema of what `create` and `update` return, and users see. */
    readonly outputs: O;
    /** Makes it, or finds that an earlier attempt made it. */
    create(call: Call<z.output<C>>): Awaitable<z.input<O> | Later>;
    /** Changes it to what `config` says. */
    update(call: UpdateCall<z.output<C>, z.output<O>>): Awaitable<z.input<O> | Later>;
    /** Removes it, or finds it gone. */
    delete(call: DeleteCall<z.output<C>, z.output<O>>): Removed;
}
/** A type with its schemas and handlers; made by `resource`. */
export interface ResourceType {
    readonly name: string;
    readonly description: string;
    readonly config: z.ZodType;
    readonly outputs: z.ZodType;
    readonly create: (call: Call<AnyObject>) => Awaitable<unknown>;
    readonly update: (call: UpdateCall<AnyObject, AnyObject>) => Awaitable<unknown>;
    readonly delete: (call: DeleteCall<AnyObject, AnyObject>) => Awaitable<unknown>;
}
export interface Provider {
    readonly name: string;
    readonly types: ReadonlyMap<string, ResourceType>;
}
/** Two types have the same name. `code` identifies the error to programs that imported another copy of this class. */
export declare class DuplicateType extends TypeError {
    readonly code = "FAIRLEAD_DUPLICATE_TYPE";
}
/**
 * Declares a type of resources: two schemas and three handlers.
 *
 * @param name the type in `provider/type/name`: lower-case letters, digits, `_` and `-`, beginning with a letter; at most
 * 63 characters
 * @param options the description, the schemas of configuration and outputs, and the handlers
 * @returns the type, for `provider`
 * @throws TypeError when Fairlead would refuse the name
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
export declare function resource<C extends ObjectSchema, O extends ObjectSchema>(name: string, options: TypeOptions<C, O>): ResourceType;
/**
 * Declares a provider. Its package has it as default export.
 *
 * @param name a DNS label of at most 40 characters
 * @param types the types of the provider, made by `resource`
 * @returns the provider, for `serve`, for `testProvider` and for the runtime of Fairlead
 * @throws TypeError when Fairlead would refuse the name
 * @throws DuplicateType when two types have the same name
 * @example
 * ```ts
 * export default provider('storage', [bucket]);
 * ```
 */
export declare function provider(name: string, types: readonly ResourceType[]): Provider;
/** What `POST /resources/register` takes. */
export interface Registration {
    readonly provider: string;
    readonly resource: string;
    readonly description: string;
    readonly schema: JsonObject;
}
/** @returns the registrations of a provider's types, with the JSON Schemas of their configurations */
export declare function registrationsOf({ name, types }: Provider): readonly Registration[];
export {};
