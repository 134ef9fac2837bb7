// Interface of the sandbox that compiles and runs JSON Schemas of tenants.

import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { FairleadError, type Violation } from '../errors.ts';
import type { SchemaOf } from './immutable.ts';

export interface SchemaSandbox {
  /**
   * Checks a schema that a tenant registers: allowed keywords, bounds, patterns, and one dry compile.
   * @param tenant workers are shared fairly between tenants
   * @param of what the schema describes; a config when absent
   * @returns the violations; `loc` is relative to the schema. Empty: the schema is usable.
   */
  checkSchema(
    schema: JsonObject,
    tenant?: string | undefined,
    of?: SchemaOf,
  ): Promise<readonly Violation[]>;
  /**
   * Checks a value against a schema that passed `checkSchema`.
   * @returns at most 20 violations; `loc` is relative to the value.
   * @throws FairleadError `unavailable` when there is no result in time: the caller must then refuse.
   * @throws UnusableSchema when a retry would not help either
   */
  validate(
    schema: JsonObject,
    value: JsonValue,
    tenant?: string | undefined,
  ): Promise<readonly Violation[]>;
  close(): Promise<void>;
}

/** A config cannot be validated: its schema is rejected, or validating this value timed out repeatedly. */
export class UnusableSchema extends FairleadError {
  /** For the author of the schema; contains no values of the config. */
  readonly why: string;

  constructor(why: string) {
    const message = 'The config could not be checked against the schema of its type';
    super('unavailable', message, { retryAfter: 60 });
    this.name = 'UnusableSchema';
    this.why = why;
  }
}
