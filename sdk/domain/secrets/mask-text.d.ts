import { type JsonValue } from '../../lib/json.js';
export declare const maskedValue = "[masked]";
/** Hides the secrets of one record in any number of texts; made once for the record, because that takes longer than a search. */
export interface SecretMask {
    /** @returns the text with `[masked]` in place of each secret of four characters or more, however it is escaped */
    text(text: string): string;
    /** @returns the value with each text so, and `[masked]` in place of each number that contains a secret */
    value(value: JsonValue): JsonValue;
    /** @returns whether a text contains a secret, as a URL contains a password in its encoded form */
    isIn(text: string): boolean;
}
/** Spells the secrets when the first text is masked. */
export declare function createSecretMask(secrets: readonly string[]): SecretMask;
