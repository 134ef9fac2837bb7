import { z } from 'zod';
import type { JsonObject } from '../lib/json.js';
export interface Conversion {
    /** `input`: what people write. `output`: what handlers return, parsed. */
    readonly io: 'input' | 'output';
    /** How a message names the schema, such as `its config`. */
    readonly what: string;
}
/** @throws TypeError when the schema cannot be converted; the message names it and the place */
export declare function jsonSchemaOf(schema: z.ZodType, { io, what }: Conversion): JsonObject;
