// An answer to a request before it is read, such as one that is not HTTP.
import type { ErrorCode, errors } from '../api/errors.ts';

/** A code, and the status line with the status of its row. */
export type EarlyRefusal = {
  readonly [Code in ErrorCode]: {
    readonly code: Code;
    readonly status: `${(typeof errors)[Code]['status']} ${string}`;
    readonly detail: string;
  };
}[ErrorCode];
