import { type JsonObject } from '../../lib/json.js';
interface ImmutableProblem {
    /** The JSON Pointer of the mark in the schema. */
    readonly at: string;
    /** A sentence for the author of the schema, without its full stop. */
    readonly problem: string;
}
/** The role of the values of a schema. Only configs are declared, so only they can be kept from changing. */
export type SchemaOf = 'config' | 'outputs' | 'settings' | 'adopt';
/**
 * @param of what the schema describes: only one of a config can have a mark
 * @returns the first mark that cannot work, with what to do instead; undefined when all of them work, and without any
 * @example
 * ```ts
 * immutableProblem({ properties: { tags: { items: { immutable: true } } } });
 * // { at: '/properties/tags/items/immutable', problem: 'Items of a list cannot be immutable: mark tags itself' }
 * ```
 */
export declare function immutableProblem(schema: JsonObject, of?: SchemaOf): ImmutableProblem | undefined;
export {};
