// Interface of the sandbox that compiles and runs JSON Schemas of tenants.
import { ErrorCode, FairleadError, type Violation } from './errors.ts';
import type { JsonObject, JsonValue } from './json.ts';

export interface SchemaSandbox {
  /**
   * Checks a schema that a tenant registers: allowed keywords, bounds, patterns, and one dry compile.
   * @param tenant for whom: tenants take turns, and none of them holds all workers
   * @returns what is wrong with it; `loc` is relative to the schema. Empty: it can be used.
   */
  checkSchema(schema: JsonObject, tenant?: string | undefined): Promise<readonly Violation[]>;
  /**
   * Checks a value against a schema that passed `checkSchema`.
   * @returns what is wrong with the value, at most 20 items; `loc` is relative to the value.
   * @throws FairleadError `unavailable` when no answer could be had in time: a caller must then refuse.
   * @throws UnusableSchema when trying again would not bring one either
   */
  validate(
    schema: JsonObject,
    value: JsonValue,
    tenant?: string | undefined,
  ): Promise<readonly Violation[]>;
  close(): Promise<void>;
}

/** A config cannot be judged: its schema is refused, or judging this value was cut off again and again. */
export class UnusableSchema extends FairleadError {
  /** For the author of the schema; without values of the config. */
  readonly why: string;

  constructor(why: string) {
    const message = 'The config could not be checked against the schema of its type';
    super(ErrorCode.unavailable, message, { retryAfter: 60 });
    this.name = 'UnusableSchema';
    this.why = why;
  }
}
