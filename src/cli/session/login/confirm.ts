// Asks before the first sign-in at an API. The operator of the API gets a token of the issuer that its metadata names, which may be
// the issuer of another API as well.

import { safeLine } from '../../../client/width.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { isLoopback } from '../../../lib/loopback.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { apiKey, type Login, readLogins } from './credentials.ts';
import type { SignInClient } from './discovery.ts';
import type { LoginTarget } from './target.ts';

/** The client of the issuers that Fairlead brings along, for development and evaluation. */
const developmentClient = 'fairlead-cli';

interface ConfirmFacts {
  readonly logins: readonly Pick<Login, 'api' | 'issuer' | 'client_id'>[];
  readonly client: Pick<SignInClient, 'issuer' | 'clientId'>;
  readonly target: Pick<LoginTarget, 'url' | 'isNew'>;
}

/** @returns the other APIs that the person signs in to with the same issuer and client */
export function sharedWith({ logins, client, target }: ConfirmFacts): readonly string[] {
  const same = logins.filter(
    ({ issuer, client_id: id }) => issuer === client.issuer && id === client.clientId,
  );
  const key = apiKey(target.url);
  if (same.some(({ api }) => api === key)) return [];
  return [...new Set(same.map(({ api }) => api))];
}

/**
 * A Fairlead of this machine with an issuer of its own needs no question: that issuer trusts any input, so its tokens give
 * nobody anything.
 */
export function needsQuestion(facts: ConfirmFacts): boolean {
  if (sharedWith(facts).length > 0) return true;
  const { client, target } = facts;
  if (!target.isNew) return false;
  const isLocal =
    isLoopback(target.url) && URL.canParse(client.issuer) && isLoopback(new URL(client.issuer));
  return !isLocal || client.clientId !== developmentClient;
}

/** @throws CliError without agreement, also where there is no terminal to ask on */
export async function confirmSignIn(
  { environment, globals, questions, talk }: Invocation,
  client: SignInClient,
  target: LoginTarget,
): Promise<void> {
  const facts: ConfirmFacts = { logins: readLogins(environment), client, target };
  if (!needsQuestion(facts)) return;
  const api = apiKey(target.url);
  const [issuer, clientId] = [safeLine(client.issuer), safeLine(client.clientId)];
  const others = sharedWith(facts).join(', ');
  const first = `The sign-in at ${api} is the first: it gets a token of ${issuer} for the client ${clientId}. ${askedScopes(client)}`;
  const shared = `You use this issuer and client for ${others}. If both accept one token, ${api} can act as you there.`;
  const agree = shell`If you trust ${api}: fairlead login ${api} --yes`;
  if (!questions.canAsk && !globals.on('yes')) {
    throw usageError(others === '' ? first : `${first} ${shared}`, agree);
  }
  talk.lines([first]);
  if (others !== '') talk.warn(shared);
  if (await questions.confirm(`Sign in to ${api}?`)) return;
  throw new CliError('Nothing was sent: you did not agree.', { exit: ExitCode.notAllowed });
}

/** The parameters that decide for which API the issuer gives the token. */
function askedScopes({ scope, resource, parameters, token }: SignInClient): string {
  const { audience = '' } = parameters;
  const also = audience === '' ? '' : ` and the audience ${safeLine(audience)}`;
  const sentence = `It asks for the scope ${safeLine(scope)}${also}.`;
  // The audience of an ID token is the client.
  if (resource !== undefined || token === 'id_token') return sentence;
  return `${sentence} The token is not bound to this API (it asks to leave out the resource): whatever else accepts this scope accepts the token.`;
}
