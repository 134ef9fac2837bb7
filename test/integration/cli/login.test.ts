// Logins at the real issuer, with a browser without a screen; as the bundle that users run where a process or a terminal matters.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Login } from '../../../src/cli/session/login/credentials.ts';
import { browserVariables, createBrowser } from '../../support/clients/browser.ts';
import {
  bundledClient,
  type ClientOptions,
  newHome,
  runClient,
  spawnClient,
} from '../../support/clients/client.ts';
import { type ClientApi, startClientApi } from '../../support/clients/client-api.ts';
import { type Keys, runInTerminal } from '../../support/clients/terminal.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  type DevelopmentIssuer,
  developmentIssuer,
} from '../../support/servers/issuers/development-issuer.ts';

const execute = promisify(execFile);
let issuer: DevelopmentIssuer;
let api: ClientApi;
let home: string;

const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
const browser = resolve(import.meta.dirname, '../../support/clients/browser.ts');

beforeAll(async () => {
  issuer = await developmentIssuer();
});
beforeEach(async () => {
  home = newHome();
  api = await startClientApi(issuer);
  return () => api.close();
});
afterAll(() => issuer?.close());

function client(words: string, variables: ClientOptions['variables'] = {}) {
  const argv = words.split(' ').filter((word) => word !== '');
  const more = { PATH, BROWSER: browser, ...variables };
  return runClient(argv, { home, variables: more });
}

const storePath = () => join(home, '.local/state/fairlead/credentials.json');
const logins = () =>
  (JSON.parse(readFileSync(storePath(), 'utf8')) as { logins: readonly Login[] }).logins;

it('signs in with a browser, stores the login for its user alone, and uses it', async () => {
  const started = await spawnClient(['login', api.url], {
    home,
    variables: { PATH, BROWSER: browser },
  });
  const login = await started.result;
  expect(login.stderr).toMatch(
    /Signed in to acme as .+ \(editor, until .+; refreshes by itself\)\./,
  );
  expect(login).toMatchObject({ code: 0, stdout: '' });
  expect(statSync(storePath()).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(storePath())).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(home, '.config/fairlead/config.yaml'), 'utf8')).toBe(
    `contexts:\n  local:\n    url: ${api.url}\ncurrent: local\n`,
  );
  expect((await client('whoami')).stdout).toMatch(/Organization {2}acme\n.*\nRole +editor/);
  const [stored] = logins();
  expect(await client('token')).toMatchObject({ stdout: `${stored?.access_token}\n` });
  expect((await client('token --header')).stdout).toMatch(/^Authorization: Bearer ey/);
});

it('names a context after the port where this machine has another, and says which one commands use', async () => {
  await client(`login ${api.url}`);
  const other = await startClientApi(issuer);
  onTestFinished(() => other.close());
  const name = `local-${new URL(other.url).port}`;
  const second = await client(`login ${other.url} --yes`);
  expect(second, second.stderr).toMatchObject({ code: 0 });
  expect(await client('context current')).toMatchObject({ stdout: `${name}\n` });
  expect(JSON.parse((await client('context current -o json')).stdout)).toEqual({
    name,
    url: other.url,
  });
  expect((await client(`login ${api.url}`)).stderr).toContain(
    `Commands go on using the context ${name}.  Another: fairlead context use local\n`,
  );
});

it('refreshes a token after the API refused it, and signs out for good', async () => {
  await client(`login ${api.url}`);
  const [before] = logins();
  const renewed = await client('token --min-valid 2h');
  expect(renewed.code).toBe(0);
  expect(logins()[0]?.refresh_token).not.toBe(before?.refresh_token);
  const [login] = logins();
  const logout = await client('logout');
  expect(logout).toEqual({ code: 0, stdout: '', stderr: `Signed out of acme at ${api.url}.\n` });
  expect((await issuer.refresh(login?.refresh_token)).error).toBe('invalid_grant');
  expect(await client('whoami')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('Not signed in'),
  });
});

it('signs in with the address that the browser was sent to, when it is pasted', async () => {
  const opener = join(home, 'opener');
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > ${home}/address\n`, { mode: 0o755 });
  let isPasted = false;
  const { code, screen } = await runInTerminal(
    `${process.execPath} ${await bundledClient()} login ${api.url}`,
    {
      folder: home,
      variables: { PATH, HOME: home, BROWSER: opener },
      onChange: (text, keys) => {
        if (isPasted || !text.includes('Or paste the address')) return;
        isPasted = true;
        void pasteAnswer(keys);
      },
    },
  );
  expect({ code, screen }).toEqual({
    code: 0,
    screen: expect.stringContaining('Signed in to acme'),
  });
  expect(screen).toContain('This is not the address of this sign-in.');
  expect(logins()).toHaveLength(1);
});

/** As a browser on another machine, which cannot open the address of the client. */
async function pasteAnswer(keys: Keys): Promise<void> {
  const address = await eventually(() => new URL(readFileSync(join(home, 'address'), 'utf8')).href);
  const { url } = await createBrowser().signIn(address);
  const forged = new URL(url);
  forged.searchParams.set('state', 'another');
  keys.press(`${forged.href}\r${url.href}\r`);
}

it('stores the login for its user alone, whatever the umask is', async () => {
  const launcher = await bundledClient();
  for (const umask of ['000', '077']) {
    home = newHome();
    const script = `umask ${umask}; exec "$0" "$1" login "$2"`;
    const argv = ['-c', script, process.execPath, launcher, api.url];
    await execute('sh', argv, { env: { PATH, HOME: home, BROWSER: browser } });
    expect(statSync(storePath()).mode & 0o777, umask).toBe(0o600);
    expect(statSync(dirname(storePath())).mode & 0o777, umask).toBe(0o700);
  }
});

it('forgets a login that the issuer has ended, and says so', async () => {
  await client(`login ${api.url}`);
  // A second use of a refresh token ends the login: here the client's is the second.
  await issuer.refresh(logins()[0]?.refresh_token);
  const { code, stderr } = await client('token --min-valid 2h');
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: expect.stringMatching(
      /^Error: Not signed in to .* \(the login of .* has ended\)\.\n {2}fairlead login\n$/,
    ),
  });
  expect(logins()).toEqual([]);
});

it('signs in with a code on another device', async () => {
  const argv = ['login', api.url, '--device'];
  const { child, result } = await spawnClient(argv, { home, variables: { PATH } });
  let talk = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    talk += chunk.toString();
  });
  const url = await eventually(() => {
    const [found] = /http\S+user_code=\S+/.exec(talk) ?? [];
    if (found === undefined) throw new Error(talk);
    return found;
  });
  await createBrowser().signIn(url, { organization: 'umbrella', role: 'viewer' });
  expect(await result).toMatchObject({ code: 0 });
  expect(logins()).toMatchObject([{ organization: 'umbrella', context: 'local', api: api.url }]);
});

it.each([
  ['that is refused', { [browserVariables.refuses]: 'yes' }, '', 4, /refused the sign-in/],
  [
    'that nobody finishes',
    { BROWSER: '/bin/true' },
    '--timeout 300ms',
    7,
    /The sign-in was not completed within 0\.3s\.\n {2}fairlead login\n$/,
  ],
  ['without a person', {}, '--no-input', 2, /FAIRLEAD_TOKEN/],
])('stores nothing of a sign-in %s', async (_, variables, flags, code, says) => {
  const result = await client(`login ${api.url} ${flags}`, variables);
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
  expect(existsSync(storePath())).toBe(false);
});

it('stores no token that the API refuses, and shows its claims', async () => {
  api.refuses = true;
  const { code, stderr } = await client(`login ${api.url}`);
  expect(code).toBe(4);
  expect(stderr).toMatch(
    /does not accept the token: Not authenticated\.\n {2}iss +http:.*\n {2}aud +fairlead\n/,
  );
  expect(stderr).toMatch(/org_id +acme/);
  expect(existsSync(storePath())).toBe(false);
});

it('does not sign in for an API that has another address than it says', async () => {
  api.metadata['resource'] = 'https://bank.example';
  const { code, stderr } = await client(`login ${api.url}`);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `Error: The metadata of ${api.url} names another address: https://bank.example.\n  fairlead login https://bank.example\n`,
  });
});

it.each([
  ['n', 4, 'Nothing was sent'],
  ['y', 0, 'Signed in to acme'],
])(
  'asks a person before a second API gets a token of the issuer; answer %s',
  async (answer, code, says) => {
    await client(`login ${api.url}`);
    const other = await startClientApi(issuer);
    let isAnswered = false;
    const result = await runInTerminal(
      `${process.execPath} ${await bundledClient()} login ${other.url} --context other`,
      {
        folder: home,
        variables: { PATH, HOME: home, BROWSER: browser },
        onChange: (text, keys) => {
          if (isAnswered || !text.includes('[y/N]')) return;
          isAnswered = true;
          keys.press(`${answer}\r`);
        },
      },
    );
    other.close();
    expect(result).toEqual({ code, screen: expect.stringContaining(says) });
    expect(result.screen).toContain(`You use this issuer and client for ${api.url}.`);
    expect(logins().map((login) => login.api)).toEqual(
      code === 0 ? [api.url, other.url] : [api.url],
    );
  },
);

it('signs in where flags say when the API publishes nothing', async () => {
  api.metadata = {};
  const flags = `--issuer ${issuer.url} --client-id fairlead-cli`;
  expect(await client(`login ${api.url} ${flags}`)).toMatchObject({ code: 0 });
});

it('does not use a store that others can read', async () => {
  await client(`login ${api.url}`);
  chmodSync(storePath(), 0o640);
  expect(await client('token')).toEqual({
    code: 4,
    stdout: '',
    stderr: `Error: Other users can read the logins in ${storePath()}, so fairlead does not use it.\n  chmod 600 ${storePath()}\n`,
  });
});
