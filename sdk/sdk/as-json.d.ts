import type { JsonObject } from '../lib/json.js';
/**
 * Events are JSON, which omits undefined values.
 * @throws TypeError for values that JSON cannot represent: bigint, circular values
 */
export declare function asJson(value: object): JsonObject;
