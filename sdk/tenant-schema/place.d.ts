import type { Budget } from '../lib/budget.js';
import { type JsonObject } from '../lib/json.js';
export interface Place {
    /** All that may apply to the value; none when nothing describes it. */
    readonly schemas: readonly JsonObject[];
    readonly isSecret: boolean;
    /** Whether the order of a list means nothing. */
    readonly isSet: boolean;
    /** The names in `properties`, in their order. */
    readonly properties: ReadonlySet<string>;
    member(name: string, budget: Budget): Place | undefined;
    item(index: number, budget: Budget): Place | undefined;
}
type Compile = (roots: readonly JsonObject[], budget: Budget) => Place | undefined;
/** @returns the place of a whole value to which each of the schemas applies */
export declare const compile: Compile;
export {};
