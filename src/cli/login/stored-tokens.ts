// Takes tokens from the store.
import type { TokenSource } from '../api/client.ts';
import type { Context } from '../context/resolve.ts';
import { CliError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';

/** @returns the tokens of the login that a context has */
export function storedTokens({ url }: Context): TokenSource {
  return {
    token: () =>
      Promise.reject(
        new CliError(`Not signed in to ${url.origin}.`, {
          exit: ExitCode.notAllowed,
          next: 'fairlead login',
        }),
      ),
    renewed: () => Promise.resolve(undefined),
  };
}
