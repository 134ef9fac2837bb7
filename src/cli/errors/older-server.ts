// Recognises answers of a server that lacks what the client asks for, because it is older.
import { ExitCode } from '../exit-codes.ts';
import { ApiError } from './api-error.ts';
import { CliError } from './cli-error.ts';

/** Returns whether the server lacks a query parameter. It rejects the request, and does nothing. */
export function lacksParameter(thrown: unknown, name: string): boolean {
  return (
    thrown instanceof ApiError &&
    thrown.status === 422 &&
    thrown.violations.some(({ loc, type }) => {
      const [where, parameter] = loc;
      return where === 'query' && parameter === name && type === 'extra_forbidden';
    })
  );
}

/** Returns whether the server lacks the path of a request. */
export function lacksPath(thrown: unknown): boolean {
  return (
    thrown instanceof ApiError &&
    (thrown.code === 'not_found' ||
      // Older servers take the last segment for a part of a name.
      (thrown.status === 422 && thrown.violations.some(({ loc: [where] }) => where === 'path')))
  );
}

/** @param what such as `--dry-run` */
export function olderServer(what: string, next?: string): CliError {
  return new CliError(`The server is older than this client and has no ${what}.`, {
    exit: ExitCode.usage,
    next: next ?? 'The versions of both: fairlead version',
  });
}
