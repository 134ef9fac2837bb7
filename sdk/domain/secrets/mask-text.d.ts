import { type JsonValue } from '../../lib/json.js';
export declare const maskedValue = "[masked]";
/** @returns the text with `[masked]` in place of each secret of four characters or more, however it is escaped */
export declare function maskText(text: string, secrets: readonly string[]): string;
/** @returns the value with `maskText` of each text, and `[masked]` in place of each number that contains a secret */
export declare function maskTexts(value: JsonValue, secrets: readonly string[]): JsonValue;
/** @returns whether a text contains a secret, as a URL contains a password in its encoded form */
export declare function hasSecret(text: string, secrets: readonly string[]): boolean;
