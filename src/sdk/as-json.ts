// Values as events carry them.
import type { JsonObject } from '../lib/json.ts';

/**
 * Events are JSON, which omits undefined values.
 * @throws TypeError for values that JSON cannot represent: bigint, circular values
 */
export function asJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
