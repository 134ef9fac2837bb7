import type { z } from 'zod';
/** @returns the fields that break a schema, and how */
export declare function issueText(error: z.ZodError): string;
/** A thrown value need not be an error, or convertible to text. */
export declare function thrownText(thrown: unknown, by?: string): string;
