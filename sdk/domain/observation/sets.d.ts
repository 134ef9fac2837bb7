import { type JsonObject } from '../../lib/json.js';
/** A place in a value. */
export interface SetPlace {
    /** Whether a list at this place is a set. */
    readonly isSet: boolean;
    member(name: string): SetPlace;
    item(index: number): SetPlace;
}
/** @returns the place of the whole value; what is below is computed once for each name, and once for all items of a list */
export declare function setsIn(schema: JsonObject | undefined): SetPlace;
