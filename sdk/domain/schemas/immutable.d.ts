import { type JsonObject } from '../../lib/json.js';
import { type FieldPath } from './immutable-refusals.js';
export interface ImmutableProblem {
    /** The JSON Pointer of the mark in the schema. */
    readonly at: string;
    /** A sentence for the author of the schema, without its full stop. */
    readonly problem: string;
}
/**
 * @returns the paths of the fields that a schema marks, in its order, without those below another one; computed once for each
 * schema, which is never mutated
 * @example
 * ```ts
 * immutableFields({ properties: { place: { properties: { zone: { immutable: true } } } } }); // [['place', 'zone']]
 * ```
 */
export declare function immutableFields(schema: JsonObject | undefined): readonly FieldPath[];
/**
 * @param fields what `immutableFields` returned
 * @returns those whose values differ. A field that only one of the configs has is different, too.
 * @example
 * ```ts
 * changedFields([['zone'], ['size']], { zone: 'a' }, { zone: 'a', size: 1 }); // [['size']]
 * ```
 */
export declare function changedFields(fields: readonly FieldPath[], before: JsonObject, after: JsonObject): readonly FieldPath[];
/** What the values of a schema are. Only configs are declared, so only they can be kept from changing. */
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
