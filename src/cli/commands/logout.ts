// `fairlead logout`: revokes the refresh token at the issuer and deletes the login.
import { CliError } from '../errors/cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { openIssuer } from '../login/issuer.ts';
import {
  findLogin,
  isSameLogin,
  type Login,
  readLogins,
  withLoginsLocked,
  writeLogins,
} from '../store/credentials.ts';

export async function logout(invocation: Invocation): Promise<undefined> {
  const { environment, talk, flags } = invocation;
  const wanted = flags.on('all') ? () => readLogins(environment) : await loginOf(invocation);
  const ended: Login[] = [];
  // Within the lock: a refresh at the same time would get a new token after the old one is revoked.
  await withLoginsLocked(environment, async () => {
    ended.push(...wanted());
    for (const login of ended) await revoke(login, invocation);
    const rest = readLogins(environment).filter(
      (each) => !ended.some((login) => isSameLogin(each, login)),
    );
    writeLogins(environment, rest);
  });
  for (const { organization, api } of ended) talk.note(`Signed out of ${organization} at ${api}.`);
  if (ended.length === 0) talk.note('Nobody was signed in.');
  return undefined;
}

async function loginOf({ context, environment }: Invocation): Promise<() => readonly Login[]> {
  const resolved = await context();
  return () => {
    const login = findLogin(readLogins(environment), resolved);
    return login === undefined ? [] : [login];
  };
}

/** The login is deleted in any case; a token that could not be revoked is valid until it expires. */
async function revoke(login: Login, { talk }: Invocation): Promise<void> {
  const { issuer, client_id: clientId, refresh_token: token } = login;
  if (token === undefined) return;
  try {
    const config = await openIssuer({ issuer, clientId });
    if (config.serverMetadata().revocation_endpoint === undefined) {
      talk.warn(`${issuer} cannot revoke tokens: that of this login is valid until it expires.`);
      return;
    }
    const { tokenRevocation } = await import('openid-client');
    await tokenRevocation(config, token, { token_type_hint: 'refresh_token' });
  } catch (thrown) {
    const reason = thrown instanceof CliError ? thrown.message : (thrown as Error).message;
    talk.warn(`The token was not revoked, and is valid until it expires: ${reason}`);
  }
}
