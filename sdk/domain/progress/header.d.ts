import { type Progress } from './value.js';
export declare const progressHeader = "fairlead-progress";
/** @param progress as `parseProgress` returns it */
export declare function progressField({ done, total, message }: Progress): string;
/**
 * @param field from any provider
 * @returns undefined for what is no such dictionary, and for values that do not fit; members of other names are ignored
 */
export declare function progressInField(field: string): Progress | undefined;
