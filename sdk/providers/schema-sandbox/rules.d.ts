import type { JsonObject } from '../../lib/json.js';
import { type Walked } from './walk.js';
/** @returns the violations of the walk, or else those of keywords without an effect and of patterns; and all patterns */
export declare function inspectSchema(schema: JsonObject): Walked;
