import { type JsonObject } from '../../../lib/json.js';
/** @returns whether two values are the same as JSON */
export declare function same(one: unknown, other: unknown): boolean;
interface EarlierAnswers {
    /** The outputs of the event when it was in time. */
    readonly own: JsonObject;
    /** The outputs of the newest event. */
    readonly newest: JsonObject;
}
/** @param answer the outputs of the late delivery; undefined when it has none */
export declare function isChangedBy(answer: JsonObject | undefined, { own, newest }: EarlierAnswers): boolean | 'unknown';
export {};
