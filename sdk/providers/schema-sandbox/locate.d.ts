import { type JsonValue } from '../../lib/json.js';
import type { Loc } from '../../tenant-schema/structure.js';
/** @returns the place of a part of a value, and the part; undefined when the value has none there */
export declare function locate(pointer: string, whole: JsonValue): {
    loc: Loc;
    input: JsonValue | undefined;
};
