// `fairlead logout`: revokes the refresh token at the issuer and deletes the login.
import type { Invocation } from '../../session/invocation.ts';
import {
  findLogin,
  isSameLogin,
  type Login,
  readLogins,
  withLoginsLocked,
  writeLogins,
} from '../../session/login/credentials.ts';
import { revocationProblem } from '../../session/login/issuer.ts';

export async function logout(invocation: Invocation): Promise<void> {
  const { environment, talk, flags } = invocation;
  const wanted = flags.on('all') ? () => readLogins(environment) : await loginOf(invocation);
  const ended: Login[] = [];
  // Within the lock: a refresh at the same time would get a new token after the old one is revoked.
  await withLoginsLocked(environment, async () => {
    ended.push(...wanted());
    for (const login of ended) {
      const problem = await revocationProblem(login);
      if (problem !== undefined) talk.warn(problem);
    }
    const rest = readLogins(environment).filter(
      (each) => !ended.some((login) => isSameLogin(each, login)),
    );
    writeLogins(environment, rest);
  });
  for (const { organization, api } of ended) talk.note(`Signed out of ${organization} at ${api}.`);
  if (ended.length === 0) talk.note('There was no login.');
}

async function loginOf({ context, environment }: Invocation): Promise<() => readonly Login[]> {
  const resolved = await context();
  return () => {
    const login = findLogin(readLogins(environment), resolved);
    return login === undefined ? [] : [login];
  };
}
