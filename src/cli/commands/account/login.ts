// `fairlead login`: signs in, shows as whom, and stores the login.
import type { Me } from '../../../api/shapes.ts';
import { clockTime } from '../../../client/time.ts';
import { safeLine } from '../../../client/width.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { readConfig, writeContext } from '../../session/context/config-file.ts';
import { apiUrl } from '../../session/context/resolve.ts';
import type { Invocation } from '../../session/invocation.ts';
import { confirmSignIn } from '../../session/login/confirm.ts';
import { apiKey, keepLogin, type Login } from '../../session/login/credentials.ts';
import {
  discoverClients,
  type SignInClient,
  standardScope,
} from '../../session/login/discovery.ts';
import { resourceParameter } from '../../session/login/issuer.ts';
import { signInAt } from '../../session/login/sign-in-at.ts';
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
