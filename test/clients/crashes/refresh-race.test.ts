// Many processes and one expired login: one refreshes, the others adopt, also when the holder of the lock is killed. A second
// refresh with the same token would end the login, because the issuer takes it for theft.
import { spawn } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Login } from '../../../src/cli/session/login/credentials.ts';
import { newHome, spawnClient } from '../../support/clients/client.ts';
import { type ClientApi, startClientApi } from '../../support/clients/client-api.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { freePort } from '../../support/runner/free-port.ts';
import {
  type DevelopmentIssuer,
  developmentIssuer,
} from '../../support/servers/issuers/development-issuer.ts';

let issuer: DevelopmentIssuer;
let api: ClientApi;
const home = newHome();
const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
const store = join(home, '.local/state/fairlead/credentials.json');
const lock = join(home, '.local/state/fairlead/credentials.lock.db');
const processes = 8;

beforeAll(async () => {
  issuer = await developmentIssuer();
  api = await startClientApi(issuer);
  const BROWSER = resolve(import.meta.dirname, '../../support/clients/browser.ts');
  const login = await spawnClient(['login', api.url], { home, variables: { PATH, BROWSER } });
  expect(await login.result).toMatchObject({ code: 0 });
});
afterAll(async () => {
  api?.close();
  await issuer?.close();
});

function expire(): Login {
  const { logins } = JSON.parse(readFileSync(store, 'utf8')) as { logins: [Login] };
  const [login] = logins;
  const expired = { ...login, expires_at: 1 };
  writeFileSync(store, JSON.stringify({ version: 1, logins: [expired] }));
  return login;
}

/** Takes the lock as the client does, and holds it until it is killed. */
async function holdLock(): Promise<() => void> {
  const program = `const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(lock)});
    database.exec('BEGIN EXCLUSIVE');
    console.log('held');
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((held) => holder.stdout.once('data', held));
  return () => holder.kill('SIGKILL');
}

/** Where the system shows open files: elsewhere the race is as good without. */
function waitsForLock(pid = 0): boolean {
  if (!existsSync('/proc/self/fd')) return true;
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some(
    (name) => readlinkSync(join(folder, name)) === realpathSync(lock),
  );
}

it.each(['first', 'second', 'third'])('survives a %s race of eight processes', async () => {
  const before = expire();
  const kill = await holdLock();
  const clients = await Promise.all(
    Array.from({ length: processes }, () => spawnClient(['token'], { home, variables: { PATH } })),
  );
  try {
    await eventually(() =>
      expect(clients.every(({ child }) => waitsForLock(child.pid))).toBe(true),
    );
  } finally {
    kill();
  }
  const results = await Promise.all(clients.map(({ result }) => result));
  expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    Array.from({ length: processes }, () => ({ code: 0, stderr: '' })),
  );
  const tokens = new Set(results.map(({ stdout }) => stdout.trim()));
  expect([...tokens]).toHaveLength(1);
  expect(tokens).not.toContain(before.access_token);
});

it('goes on with a token that is valid while the issuer is away, and ends with 8 after that', async () => {
  const before = expire();
  const soon = Math.floor(Date.now() / 1_000) + 50;
  const login = { ...before, issuer: `http://127.0.0.1:${await freePort()}`, expires_at: soon };
  writeFileSync(store, JSON.stringify({ version: 1, logins: [login] }));
  const valid = await (await spawnClient(['token'], { home, variables: { PATH } })).result;
  expect(valid).toEqual({ code: 0, stdout: `${before.access_token}\n`, stderr: '' });
  writeFileSync(store, JSON.stringify({ version: 1, logins: [{ ...login, expires_at: 1 }] }));
  const late = await (await spawnClient(['token'], { home, variables: { PATH } })).result;
  expect(late).toMatchObject({ code: 8, stderr: expect.stringContaining('ECONNREFUSED') });
  expect(readFileSync(store, 'utf8')).toContain(before.refresh_token);
});
