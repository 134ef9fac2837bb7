import type { HandlerLog } from '../call.js';
type HandlerLogFields = Readonly<Record<string, unknown>>;
/** A value that JSON cannot represent must not make the handler fail. */
export declare function entryJson(entry: HandlerLogFields): string;
export declare const jsonLines: HandlerLog;
export {};
