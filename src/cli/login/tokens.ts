// Chooses where the token of a command comes from: --token-file, FAIRLEAD_TOKEN, FAIRLEAD_TOKEN_FILE, or the store.
import { readFileSync } from 'node:fs';
import type { TokenSource } from '../api/client.ts';
import type { Context } from '../context/resolve.ts';
import { type Environment, variable } from '../environment.ts';
import { CliError, usageError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Flags } from '../flags.ts';
import type { Talk } from '../render/talk.ts';

export interface TokenDeps {
  readonly environment: Environment;
  readonly globals: Flags;
  readonly talk: Talk;
  readonly signal: AbortSignal;
}

/** @returns where the token for a context comes from */
export async function tokenSourceFor(context: Context, deps: TokenDeps): Promise<TokenSource> {
  const given = await givenToken(deps);
  if (given !== undefined) return fixedToken(given);
  const { storedTokens } = await import('./stored-tokens.ts');
  return storedTokens(context);
}

/** @returns the token of a flag or variable, undefined when there is none. @throws CliError for a file without one */
export async function givenToken({
  environment,
  globals,
}: Pick<TokenDeps, 'environment' | 'globals'>): Promise<string | undefined> {
  const flag = globals.text('token-file');
  if (flag !== undefined) return await readToken(flag, environment);
  const direct = variable(environment, 'FAIRLEAD_TOKEN');
  if (direct !== undefined) return checked(direct, 'FAIRLEAD_TOKEN');
  const file = variable(environment, 'FAIRLEAD_TOKEN_FILE');
  return file === undefined ? undefined : await readToken(file, environment);
}

/** @param file path, or `-` for standard input */
export async function readToken(file: string, { stdin }: Environment): Promise<string> {
  if (file !== '-') {
    try {
      return checked(readFileSync(file, 'utf8'), file);
    } catch (thrown) {
      if (thrown instanceof CliError) throw thrown;
      throw usageError(`The token cannot be read: ${(thrown as Error).message}.`);
    }
  }
  let text = '';
  for await (const chunk of stdin)
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  return checked(text, 'standard input');
}

function checked(text: string, source: string): string {
  const token = text.trim().replace(/^Bearer +/i, '');
  if (/^[\x21-\x7e]{1,16384}$/.test(token)) return token;
  throw new CliError(`There is no token in ${source}.`, { exit: ExitCode.usage });
}

function fixedToken(token: string): TokenSource {
  return { token: () => Promise.resolve(token), renewed: () => Promise.resolve(undefined) };
}
