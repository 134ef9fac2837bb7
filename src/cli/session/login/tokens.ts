// Chooses where the token of a command comes from: --token-file, FAIRLEAD_TOKEN, FAIRLEAD_TOKEN_FILE, or the store.
import { readFileSync } from 'node:fs';
import { type Environment, readInput, variableIn } from '../../terminal/environment.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Flags } from '../../terminal/flags.ts';
import type { TokenSource } from '../api/client.ts';
import type { Context } from '../context/resolve.ts';

interface TokenDeps {
  readonly environment: Environment;
  readonly globals: Flags;
}

interface GivenToken {
  readonly token: string;
  /** Where it was found, for messages. */
  readonly source: string;
}

/** @returns where the token for a context comes from */
export async function tokenSourceFor(context: Context, deps: TokenDeps): Promise<TokenSource> {
  const given = await givenTokenFor(context, deps);
  if (given !== undefined) return fixedToken(given, context.url);
  const { StoredTokens } = await import('./stored-tokens.ts');
  return new StoredTokens(context, deps);
}

/**
 * @returns the token of a flag or variable that is sent to a context. Nothing ties such a token to an API as a login is, so a
 * checkout must not decide where it goes.
 * @throws CliError where only fairlead.yaml chooses the context
 */
export async function givenTokenFor(
  { name, url, chosenBy }: Context,
  deps: TokenDeps,
): Promise<GivenToken | undefined> {
  const given = await givenToken(deps);
  if (given === undefined || chosenBy === undefined) return given;
  throw usageError(
    `The token of ${given.source} is not sent to ${url.origin}, which ${chosenBy} chooses.`,
    `If it is for that API, set FAIRLEAD_URL, or pass --context ${name}`,
  );
}

/** @returns the token of a flag or variable, undefined when there is none. @throws CliError for a file without one */
export async function givenToken({
  environment,
  globals,
}: TokenDeps): Promise<GivenToken | undefined> {
  const flag = globals.text('token-file');
  if (flag !== undefined) return { token: await readToken(flag, environment), source: flag };
  const direct = variableIn(environment, 'FAIRLEAD_TOKEN');
  if (direct !== undefined) {
    const source = 'FAIRLEAD_TOKEN';
    return { token: checked(direct, source), source };
  }
  const file = variableIn(environment, 'FAIRLEAD_TOKEN_FILE');
  if (file === undefined) return undefined;
  return { token: await readToken(file, environment), source: `FAIRLEAD_TOKEN_FILE (${file})` };
}

/** @param file path, or `-` for standard input */
export async function readToken(file: string, environment: Environment): Promise<string> {
  if (file !== '-') {
    try {
      return checked(readFileSync(file, 'utf8'), file);
    } catch (thrown) {
      if (thrown instanceof CliError) throw thrown;
      throw usageError(`The token cannot be read: ${(thrown as Error).message}.`);
    }
  }
  const text = (await readInput(environment)).toString();
  return checked(text, 'standard input');
}

function checked(text: string, source: string): string {
  const token = text.trim().replace(/^Bearer +/i, '');
  if (/^[\x21-\x7e]{1,16384}$/.test(token)) return token;
  throw usageError(`There is no token in ${source}.`);
}

/** A token that is not refreshed. When the API rejects it, its claims show the reason. */
function fixedToken({ token, source }: GivenToken, url: URL): TokenSource {
  return {
    token: () => Promise.resolve(token),
    renewed: async () => {
      const { claimFacts } = await import('./token-set.ts');
      throw new CliError(`${url.origin} does not accept the token of ${source}.`, {
        exit: ExitCode.notAllowed,
        facts: claimFacts(token),
        next: 'Use a token of an issuer that it trusts, or: fairlead login',
      });
    },
  };
}

/** For requests that need no token, and for a token that is tried. */
export function onlyToken(token: string): TokenSource {
  return { token: () => Promise.resolve(token), renewed: () => Promise.resolve(undefined) };
}
