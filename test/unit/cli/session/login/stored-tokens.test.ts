import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { credentialsPath } from '../../../../../src/cli/session/context/places.ts';
import {
  type Login,
  readLogins,
  writeLogins,
} from '../../../../../src/cli/session/login/credentials.ts';
import {
  StoredTokens,
  type TokenRefresh,
} from '../../../../../src/cli/session/login/stored-tokens.ts';
import { CliError } from '../../../../../src/cli/terminal/errors/cli-error.ts';
import { ExitCode } from '../../../../../src/cli/terminal/exit-codes.ts';
import { clientEnvironment, newHome } from '../../../../support/clients/client.ts';

const seconds = 1_800_000_000;
const now = () => new Date(seconds * 1_000);
const url = new URL('https://fairlead.example.org');
let environment: ReturnType<typeof clientEnvironment>;
let refreshed: Login[];

beforeEach(() => {
  environment = clientEnvironment({ home: newHome(), now });
  refreshed = [];
});

function aLogin(more: Partial<Login> = {}): Login {
  return {
    api: url.origin,
    context: 'prod',
    issuer: 'https://id.example.org',
    client_id: 'fairlead-cli',
    subject: 'ada',
    organization: 'acme',
    access_token: 'old',
    expires_at: seconds + 10,
    refresh_token: 'r1',
    refreshed_at: seconds - 3_590,
    ...more,
  };
}

const next: Partial<Login> = {
  access_token: 'new',
  refresh_token: 'r2',
  expires_at: seconds + 3_600,
  refreshed_at: seconds,
};

const succeeds: TokenRefresh = (login) => {
  refreshed.push(login);
  return Promise.resolve({ ...login, ...next });
};
const isAway: TokenRefresh = () =>
  Promise.reject(new CliError('The issuer is away.', { exit: ExitCode.unreachable }));
const refuses: TokenRefresh = () =>
  Promise.reject(Object.assign(new Error(), { error: 'invalid_grant' }));

function tokens(refresh: TokenRefresh): StoredTokens {
  return new StoredTokens({ url, name: 'prod' }, { environment, refresh });
}

it.each([
  ['a minute and more is left', aLogin({ expires_at: seconds + 61 }), 'old'],
  ['less than a minute is left', aLogin({ expires_at: seconds + 59 }), 'new'],
  ['it has expired', aLogin({ expires_at: seconds - 1 }), 'new'],
  [
    'a tenth and more of a short lifetime is left',
    aLogin({ refreshed_at: seconds - 80, expires_at: seconds + 20 }),
    'old',
  ],
  ['it cannot be refreshed, and is valid', aLogin({ refresh_token: undefined as never }), 'old'],
])('when %s', async (_, login, expected) => {
  writeLogins(environment, [login]);
  expect(await tokens(succeeds).token()).toBe(expected);
  expect(readLogins(environment)[0]?.access_token).toBe(expected);
});

it('refreshes once for requests at the same time', async () => {
  writeLogins(environment, [aLogin()]);
  const source = tokens(succeeds);
  expect(await Promise.all([source.token(), source.token(), source.token()])).toEqual(
    Array.from({ length: 3 }, () => 'new'),
  );
  expect(refreshed).toHaveLength(1);
});

it('adopts what another process got while it waited for the lock', async () => {
  writeLogins(environment, [aLogin()]);
  await tokens(succeeds).token();
  writeLogins(environment, [aLogin({ ...next, access_token: 'of another' })]);
  expect(await tokens(succeeds).renewed('old')).toBe('of another');
  expect(refreshed).toHaveLength(1);
});

it('refreshes a token that the API refuses, although it has not expired', async () => {
  writeLogins(environment, [aLogin({ expires_at: seconds + 3_000 })]);
  expect(await tokens(succeeds).renewed('old')).toBe('new');
});

it('goes on with a valid token while the issuer is away, and keeps the login', async () => {
  writeLogins(environment, [aLogin()]);
  expect(await tokens(isAway).token()).toBe('old');
  writeLogins(environment, [aLogin({ expires_at: seconds - 1 })]);
  await expect(tokens(isAway).token()).rejects.toMatchObject({ exit: ExitCode.unreachable });
  expect(readLogins(environment)).toHaveLength(1);
});

it('forgets a login that the issuer has ended, and leaves the others', async () => {
  const other = aLogin({ api: 'https://other.example' });
  writeLogins(environment, [aLogin(), other]);
  await expect(tokens(refuses).token()).rejects.toMatchObject({
    exit: ExitCode.notAllowed,
    next: 'fairlead login',
  });
  expect(readLogins(environment)).toEqual([other]);
});

it('adopts a login that another machine refreshed, when its own token is refused', async () => {
  writeLogins(environment, [aLogin()]);
  const late: TokenRefresh = (login) => {
    writeLogins(environment, [{ ...login, ...next }]);
    return refuses(login);
  };
  expect(await tokens(late).token()).toBe('new');
});

it('sends no token to another API than the one it was got for', async () => {
  writeLogins(environment, [aLogin({ expires_at: seconds + 3_000 })]);
  const other = { url: new URL('https://fairlead.example.org:8443'), name: 'prod' };
  await expect(new StoredTokens(other, { environment }).token()).rejects.toMatchObject({
    message: 'Not signed in to https://fairlead.example.org:8443.',
  });
});

it('writes a private file into a private folder, whatever the umask', () => {
  writeLogins(environment, []);
  const path = credentialsPath(environment);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  chmodSync(path, 0o604);
  expect(() => readLogins(environment)).toThrow(`Other users can read the logins in ${path}`);
});

it('leaves nothing beside a store that cannot be replaced', () => {
  const path = credentialsPath(environment);
  mkdirSync(path, { recursive: true });
  expect(() => writeLogins(environment, [])).toThrow('cannot be replaced');
  expect(statSync(`${path}.${process.pid}.new`, { throwIfNoEntry: false })).toBeUndefined();
});
