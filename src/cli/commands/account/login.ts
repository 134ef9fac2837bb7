// `fairlead login`: signs in, shows as whom, and stores the login.
import type { Me } from '../../../api/shapes.ts';
import { clockTime } from '../../../client/time.ts';
import { safeLine } from '../../../client/width.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { isLoopback } from '../../../lib/loopback.ts';
import { readConfig, writeContext } from '../../session/context/config-file.ts';
import { apiUrl } from '../../session/context/resolve.ts';
import type { Invocation } from '../../session/invocation.ts';
import { apiKey, keepLogin, type Login, readLogins } from '../../session/login/credentials.ts';
import {
  discoverClients,
  type SignInClient,
  standardScope,
} from '../../session/login/discovery.ts';
import { resourceParameter } from '../../session/login/issuer.ts';
import { signInAt } from '../../session/login/sign-in.ts';
import { type LoginTarget, loginTarget } from '../../session/login/target.ts';
import { claimFacts, tokenClaims, tokensOf } from '../../session/login/token-set.ts';
import { onlyToken, readToken } from '../../session/login/tokens.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function login(invocation: Invocation): Promise<void> {
  const target = await loginTarget(invocation);
  const signedIn = invocation.flags.on('with-token')
    ? await givenTokens(invocation)
    : await signIn(invocation, target);
  const me = await signedInUser(invocation, target.url, signedIn.access_token);
  await keepLogin(invocation.environment, {
    ...signedIn,
    api: apiKey(target.url),
    context: target.name,
    subject: me.subject,
    organization: me.organization_id,
  });
  if (target.isNew) {
    const settings = { url: apiKey(target.url) };
    await writeContext(invocation.environment, { name: target.name, settings, isCurrent: true });
  }
  greet(invocation, { me, signedIn, target });
  const { current } = await readConfig(invocation.environment);
  // An address on the command line is where the person goes on.
  if (invocation.args[0] !== undefined && current !== target.name)
    invocation.talk.note(
      shell`Commands go on using the context ${current}.  Another: fairlead context use ${target.name}`,
    );
}

type SignedIn = Omit<Login, 'api' | 'context' | 'subject' | 'organization'>;

/** Stores a token that cannot be refreshed. */
async function givenTokens({ environment }: Invocation): Promise<SignedIn> {
  const token = await readToken('-', environment);
  const now = environment.now();
  const { iss, client_id: client } = tokenClaims(token) ?? {};
  const tokens = tokensOf({ access_token: token }, 'access_token', now);
  if (tokens === undefined) throw usageError('There is no token in standard input.');
  const { exp } = tokenClaims(token) ?? {};
  return {
    ...tokens,
    ...(typeof exp === 'number' ? { expires_at: exp } : {}),
    issuer: String(iss ?? ''),
    client_id: String(client ?? ''),
  };
}

async function signIn(invocation: Invocation, target: LoginTarget): Promise<SignedIn> {
  const { environment, globals } = invocation;
  if (!globals.on('input')) {
    throw usageError(
      'Signing in needs a person.',
      'Without one, set FAIRLEAD_TOKEN or FAIRLEAD_TOKEN_FILE.',
    );
  }
  const client = await chooseClient(invocation, target.url);
  await confirmSignIn(invocation, client, target);
  const answer = await signInAt(client, invocation);
  const tokens = tokensOf(answer, client.token, environment.now());
  if (tokens === undefined) {
    throw new CliError(`${client.issuer} gave no ${client.token.replace('_', ' ')}.`, {
      exit: ExitCode.notAllowed,
      next: 'An administrator sets token and scope of cli in FAIRLEAD_ISSUERS.',
    });
  }
  return {
    ...tokens,
    issuer: client.issuer,
    client_id: client.clientId,
    ...resourceParameter(client),
    ...(client.token === 'id_token' ? { token: client.token } : {}),
  };
}

async function chooseClient(invocation: Invocation, url: URL): Promise<SignInClient> {
  const { flags, questions } = invocation;
  const [issuer, clientId] = [flags.text('issuer'), flags.text('client-id')];
  const [scope, audience] = [flags.text('scope'), flags.text('audience')];
  const overrides = (client: SignInClient): SignInClient => ({
    ...client,
    clientId: clientId ?? client.clientId,
    scope: scope ?? client.scope,
    parameters: {
      ...client.parameters,
      ...(audience === undefined ? {} : { audience }),
    },
  });
  if (issuer !== undefined && clientId !== undefined) {
    return overrides({
      issuer,
      clientId,
      scope: standardScope,
      resource: apiKey(url),
      parameters: {},
      token: 'access_token',
    });
  }
  const clients = await discoverClients(invocation.apiAt(url, onlyToken('')), { scope });
  const fitting = clients.filter((each) => issuer === undefined || each.issuer === issuer);
  if (fitting.length === 0) {
    throw usageError(
      `${url.origin} has no client for sign-ins at ${issuer}.`,
      `Its issuers: ${clients.map((each) => each.issuer).join(', ')}`,
    );
  }
  const choices = fitting.map((each) => ({ label: each.issuer, value: each }));
  return overrides(await questions.choose('Sign in at', choices, 'Pass --issuer.'));
}

/** A token that the API refuses is not stored; which claims it has is the first question with a new issuer. */
async function signedInUser(invocation: Invocation, url: URL, token: string): Promise<Me> {
  try {
    return await invocation.apiAt(url, onlyToken(token)).call('getMe', {});
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.exit !== ExitCode.notAllowed) throw thrown;
    throw new CliError(`${url.origin} does not accept the token: ${thrown.message}`, {
      exit: thrown.exit,
      facts: claimFacts(token),
      next: 'An administrator compares these claims with the issuer in FAIRLEAD_ISSUERS.',
      cause: thrown,
    });
  }
}

function greet(
  { output, talk, environment }: Invocation,
  { me, signedIn, target }: { me: Me; signedIn: SignedIn; target: LoginTarget },
): void {
  if (!output.isForPeople) output.json(me);
  const until = clockTime(new Date(signedIn.expires_at * 1_000), environment.now());
  const renewal = signedIn.refresh_token === undefined ? '' : '; refreshes by itself';
  const { organization_name: name, organization_id: id, display, subject, role, project_id } = me;
  const project = project_id === null ? '' : `, project ${project_id}`;
  talk.note(
    safeLine(
      `Signed in to ${name ?? id} as ${display ?? subject} (${role}${project}, until ${until}${renewal}).`,
    ),
  );
  if (target.isNew) talk.note(`The context ${target.name} is ${apiUrl(target.url.href).origin}.`);
  if (renewal === '') talk.warn(`This login ends at ${until}, and is not refreshed.`);
}

// Asks before the first sign-in at an API. The operator of the API gets a token of the issuer that its metadata names, which may be
// the issuer of another API as well.

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
async function confirmSignIn(
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
