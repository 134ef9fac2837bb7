import type { JsonObject } from '../../lib/json.js';
/** Events are JSON, which omits undefined values. */
export declare function asJson(value: object): JsonObject;
