import type { z } from 'zod';
/** @returns the path of the first schema that is none of zod 4; undefined when there is none */
export declare function zod3Place(schema: z.ZodType): readonly string[] | undefined;
