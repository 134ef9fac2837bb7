import { type JsonObject, type JsonValue } from '../../lib/json.js';
/** Also a legal key of a Secret, and the name of a file. */
export declare const settingNamePattern: RegExp;
export declare const maxSettings = 100;
/** How the runtime of a provider begins to say that it cannot run with its settings; the controller recognises it. */
export declare const settingsProblems: {
    readonly invalid: 'the settings are invalid';
    readonly refused: 'the settings do not work';
};
export interface Setting {
    readonly name: string;
    readonly schema: JsonObject;
    readonly description: string;
    /** The schema marks it or a part of it. */
    readonly isSensitive: boolean;
    /** It has no default. */
    readonly isRequired: boolean;
    /** Every valid value is a text. */
    readonly isText: boolean;
}
/** @returns why a schema cannot be that of settings; undefined when it can */
export declare function settingsProblem(schema: JsonObject): string | undefined;
/** @returns the settings sorted by name: a stored schema has no order */
export declare function settingsIn(schema: JsonObject | undefined): readonly Setting[];
/** @returns a schema of the same settings for an object with some of them */
export declare function partialSettings(schema: JsonObject): JsonObject;
/** @returns the stored form of a value */
export declare function settingText({ isText: raw }: Pick<Setting, 'isText'>, value: JsonValue): string;
/** @returns the value of a stored form. Others than Fairlead write plain text where a text or something else may stand. */
export declare function settingValue({ isText: raw }: Pick<Setting, 'isText'>, text: string): JsonValue;
