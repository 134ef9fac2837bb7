import { type Budget } from '../../lib/budget.js';
import { type JsonObject, type JsonValue } from '../../lib/json.js';
export interface ComparedValues {
    /** The config of the last success, with references resolved. Its defaults are not filled in: nobody declared them. */
    readonly declared: JsonObject;
    readonly actual: JsonObject;
    /** Schema of the type, in the version that both have; undefined: it has none. */
    readonly schema: JsonObject | undefined;
    /** JSON Pointers of what is secret in one of the two: it is not compared. */
    readonly secrets: readonly string[];
    /** JSON Pointers of values that are not compared, with everything below them. */
    readonly ignore: readonly string[];
}
export interface FoundChange {
    /** JSON Pointer of the value in the config. */
    readonly path: string;
    readonly declared: JsonValue;
    readonly actual: JsonValue;
    /** True when one of the values contains something that is marked as secret. */
    readonly isSecret: boolean;
}
export interface ValueComparison {
    /** In the order of the declared values. */
    readonly changes: readonly FoundChange[];
    /** Declared values that were compared, equal or not. Lists and objects without members count as one. */
    readonly compared: number;
    /** Declared values that the provider left out. */
    readonly unknown: number;
}
/**
 * @param budget when it is spent, lists that are sets have an order, and differ if their items are not the same in that order
 * @returns the differences; a value that the provider left out is unknown, and no difference
 */
export declare function compare({ declared, actual, schema, secrets, ignore }: ComparedValues, budget?: Budget): ValueComparison;
