import type { JsonObject } from '../../lib/json.js';
import { type Life } from './life.js';
/** @returns the outputs of the first create, unless it failed */
export declare function checkLife(life: Life): Promise<JsonObject | undefined>;
