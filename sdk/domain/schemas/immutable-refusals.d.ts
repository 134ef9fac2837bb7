import { type FieldPath } from './immutable-fields.js';
/** @returns what to do instead of a mark under a keyword of the schema of the value at a path */
type RefusalText = (keyword: string, path: FieldPath) => string;
/** The keywords whose schemas need not apply to the same field of every config. */
export declare const refusals: Readonly<Record<string, RefusalText | undefined>>;
/** Why a schema can have no mark at all. */
export declare const refusalsOfAll: {
    readonly outputs: 'Outputs cannot be immutable: mark fields of the config';
    readonly settings: 'Settings cannot be immutable: leave the mark out';
    readonly adopt: 'The identity of an object never changes: leave the mark out';
};
/** Why the fields below a schema with marks are not visited. */
export declare const refusalsOfWalk: Readonly<Record<string, RefusalText | undefined>>;
export {};
