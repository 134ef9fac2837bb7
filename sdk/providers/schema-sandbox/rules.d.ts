import { type SchemaOf } from '../../domain/schemas/immutable.js';
import type { JsonObject } from '../../lib/json.js';
import { type Walked } from './walk.js';
/**
 * @param of what the schema describes
 * @returns the violations of the walk, or else those of keywords without an effect, of marks that cannot work and of patterns; and
 * all patterns
 */
export declare function inspectSchema(schema: JsonObject, of?: SchemaOf): Walked;
