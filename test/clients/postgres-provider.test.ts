// The example as its README shows it: a provider with a real npm dependency, pushed and deployed by its own command, making
// databases in a real PostgreSQL from a pod of the local node; and still making them after that pod was killed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type ClientShell, clientShell } from '../support/clients/client-in-shell.ts';
import { pushExample } from '../support/clients/example-postgres.ts';
import { quickStartOf, runnableBlocks } from '../support/clients/runnable-blocks.ts';
import { eventually } from '../support/runner/eventually.ts';
import { freePort } from '../support/runner/free-port.ts';
import type { Caller, Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';
import { type OwnPostgres, ownPostgres } from '../support/servers/own-postgres.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const organization = 'databases';
const stack = new AsyncDisposableStack();

let fairlead: Fairlead;
let postgres: OwnPostgres;
let acme: Caller;
let namespace: string;
/** Signed in. */
let shell: ClientShell;

beforeAll(async () => {
  postgres = stack.use(await ownPostgres());
  fairlead = await sharedFairlead('standard');
  acme = await fairlead.caller(organization);
  ({ namespace } = (await acme.get('/auth/me')).body as { namespace: string });
  shell = stack.use(await clientShell({ organization, role: 'admin' }));
  await inShell(`fairlead login ${fairlead.url}`);
});

afterAll(() => stack.disposeAsync());

/** @param at the working folder @returns both outputs. @throws when a command fails */
async function inShell(script: string, at = root, { variables } = shell): Promise<string> {
  const options = {
    cwd: at,
    env: { ...variables, npm_config_registry: inject('npmRegistry') },
  };
  // The bundle of this run instead of the one that `npm ci` made.
  const { stdout, stderr } = await run('bash', ['-euc', `npx() { "$@"; }\n${script}`], options);
  return `${stdout}\n${stderr}`;
}

function push(): Promise<string> {
  return pushExample({ fairlead, shell, databaseUrl: postgres.url });
}

function apply(connectionLimit: number) {
  return acme.post('/resources/apply', {
    provider: 'postgres',
    resource: 'database',
    name: 'orders',
    config: { name: 'orders', connectionLimit },
    lifecycle_state: 'pending',
  });
}

interface Outputs {
  readonly url: string;
}

/** @returns what the database gave out once it has the wanted limit */
async function limitBecomes(connectionLimit: number): Promise<Outputs> {
  const config = { connectionLimit };
  return await eventually(async () => {
    const { body } = await acme.get('/resources/postgres:database:orders');
    expect(body).toMatchObject({ lifecycle_state: 'ready', config });
    expect(await inPostgres()).toEqual([{ limit: connectionLimit }]);
    return (body as { outputs: Outputs }).outputs;
  }, 60_000);
}

async function rowsOf(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Connects as the administrator. */
function inPostgres(): Promise<unknown[]> {
  const text = `SELECT datconnlimit AS limit FROM pg_database WHERE datname = 'orders'`;
  return rowsOf(postgres.url, text);
}

async function podUids(): Promise<string[]> {
  const path = 'jsonpath={.items[*].metadata.uid}';
  const selector = [
    '-l',
    'fairlead.dev/provider=postgres',
    '--field-selector',
    'status.phase=Running',
  ];
  const text = await fairlead.kubectl('get', 'pods', '-n', namespace, ...selector, '-o', path);
  return text.split(' ').filter((uid) => uid !== '');
}

it('is pushed, built with its dependency and deployed by one command, which shows the build', async () => {
  const output = await push();
  expect(output).toContain('$ npm install');
  expect(output).toMatch(
    /Provider postgres serves databases in Fairlead, as version \S+: postgres\/database/,
  );
  expect(output).not.toContain(postgres.password);
  const { body } = await acme.get('/providers/postgres/deployment');
  expect(body).toMatchObject({ status: 'available', ready_replicas: 1 });
});

it('leads in the five commands of the README to a resource of an own provider, on another port', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const { start: first, commands } = quickStartOf(readme);
  expect(first).toMatch(/^npm ci && npm start +#/);
  expect(readme).toContain('`npm start -- --port 8100`');
  expect(commands).toHaveLength(4);
  const newcomer = stack.use(await clientShell({ organization: 'newcomers', role: 'admin' }));
  const { home } = newcomer;
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const child = spawn('npm', ['start', '--', '--port', `${port}`], {
    cwd: root,
    detached: true,
    stdio: 'ignore',
    env: {
      ...process.env,
      FAIRLEAD_DATA: join(home, 'data'),
      FAIRLEAD_NPM_REGISTRY: inject('npmRegistry'),
    },
  });
  await using _ = {
    async [Symbol.asyncDispose]() {
      process.kill(-(child.pid ?? 0), 'SIGINT');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 90_000);
  const walk = [...commands, 'fairlead outputs crates/greeting/first text'].join('\n');
  const talk = await inShell(walk.replaceAll('http://localhost:8000', url), home, newcomer);
  expect(talk).toContain('Hello, world!');
  expect(await inShell('npm install && npm test', join(home, 'crates'), newcomer)).toMatch(
    /pass 2\n/,
  );
}, 240_000);

it('passes the tour of the README, pasted into a shell', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  // The tour uses the default port; this Fairlead listens on another.
  const lines = [`npx fairlead login ${fairlead.url}`, ...runnableBlocks(readme)];
  const script = ['npx() { "$@"; }', ...lines].join('\n');
  const { stdout, stderr } = await run(
    'bash',
    ['-uc', script.replaceAll('http://localhost:8000', fairlead.url)],
    {
      cwd: root,
      env: shell.variables,
    },
  );
  const talk = `${stdout}\n${stderr}`;
  expect(stderr, talk).toContain(`Signed in to ${organization}`);
  expect(stdout, talk).toMatch(/postgres\/database\/shop +✓ ready/);
  expect(stdout, talk).toMatch(/^postgresql:\/\/\S+\/shop$/m);
  expect(stderr, talk).toMatch(/1:\d+ +config\.connectionLimit +.*is "many"/);
  expect(stdout, talk).toMatch(
    /postgres\/database\/stock is pending because .*postgres\/role\/keeper/,
  );
  expect(stdout, talk).toMatch(/"lifecycle_state":"ready".*"url":"postgres/);
  expect(stdout, talk).toMatch(/HTTP\/1\.1 204/);
  await eventually(async () => expect(await inPostgres()).toEqual([]));
  await eventually(async () => {
    const left = await fairlead.kubectl('get', 'resources', '-n', namespace, '-o', 'name');
    expect(left.trim()).toBe('');
  });
});

it('makes a database that its outputs open', async () => {
  expect((await apply(5)).status).toBe(200);
  const { url } = await limitBecomes(5);
  const who = 'SELECT current_user AS user, current_database() AS database';
  expect(await rowsOf(url, who)).toEqual([{ user: 'orders', database: 'orders' }]);
});

it('goes on when its pod is killed, and gives out the same password', async () => {
  const before = await limitBecomes(5);
  await rowsOf(before.url, 'CREATE TABLE kept AS SELECT 1 AS one');
  const killed = await podUids();
  expect(killed).toHaveLength(1);
  const selector = ['-l', 'fairlead.dev/provider=postgres'];
  const now = ['--grace-period=0', '--force', '--wait=false'];
  await fairlead.kubectl('delete', 'pods', '-n', namespace, ...selector, ...now);
  expect((await apply(7)).status).toBe(200);
  expect(await limitBecomes(7)).toEqual(before);
  expect(await rowsOf(before.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
  await eventually(async () => {
    const running = await podUids();
    expect(running).toHaveLength(1);
    expect(running).not.toEqual(killed);
  });
});

it('shows what somebody changed or dropped by hand, and corrects it on request', async () => {
  const path = '/resources/postgres:database:orders';
  const observed = async (expected: object) => {
    expect((await acme.post(`${path}/observe`, undefined)).status).toBe(200);
    await eventually(async () => expect((await acme.get(path)).body).toMatchObject(expected));
  };
  const { url } = await limitBecomes(7);
  await rowsOf(postgres.url, 'ALTER DATABASE orders CONNECTION LIMIT 1');
  const change = { path: '/connectionLimit', declared: 7, actual: 1 };
  const drift = { kind: 'changed', changes: [change] };
  await observed({ lifecycle_state: 'ready', reason: 'Drifted', drift });
  expect((await acme.post(`${path}/correct`, undefined)).status).toBe(200);
  await limitBecomes(7);
  await observed({ lifecycle_state: 'ready', drift: null });
  await rowsOf(postgres.url, 'DROP DATABASE orders WITH (FORCE)');
  await observed({ lifecycle_state: 'ready', reason: 'Gone', drift: { kind: 'gone' } });
  expect((await acme.post(`${path}/correct`, undefined)).status).toBe(200);
  expect((await limitBecomes(7)).url).toBe(url);
  await observed({ lifecycle_state: 'ready', drift: null });
});

it('imports a database that was there before, and leaves it when its resource is deleted', async () => {
  await rowsOf(postgres.url, 'CREATE DATABASE ledger CONNECTION LIMIT 9');
  const limit = `SELECT datconnlimit AS limit FROM pg_database WHERE datname = 'ledger'`;
  const path = '/resources/postgres:database:ledger';
  const imported = async (name: string) =>
    await acme.post('/resources/apply', {
      provider: 'postgres',
      resource: 'database',
      name,
      config: { name, connectionLimit: 9 },
      adopt: { name },
      lifecycle_state: 'pending',
    });
  expect((await imported('ledger')).status).toBe(200);
  await eventually(async () => {
    const { body } = await acme.get(path);
    expect(body).toMatchObject({ lifecycle_state: 'ready', outputs: { database: 'ledger' } });
  });
  expect(await rowsOf(postgres.url, limit)).toEqual([{ limit: 9 }]);
  expect((await acme.delete(path)).status).toBe(204);
  await eventually(async () => expect((await acme.get(path)).status).toBe(404));
  expect(await rowsOf(postgres.url, limit)).toEqual([{ limit: 9 }]);
  await rowsOf(postgres.url, 'DROP DATABASE ledger');
  expect((await imported('ledger')).status).toBe(200);
  await eventually(async () => {
    expect((await acme.get(path)).body).toMatchObject({ lifecycle_state: 'failed' });
  });
  expect(await rowsOf(postgres.url, limit), 'nothing is created').toEqual([]);
  expect((await acme.delete(path)).status).toBe(204);
});

it('is not built again when nothing changed', async () => {
  const jobs = () => fairlead.kubectl('get', 'jobs', '-n', namespace, '-o', 'name');
  const before = await jobs();
  expect(await push()).toContain(`Provider postgres serves ${organization}`);
  expect(await jobs()).toBe(before);
  expect(before).not.toBe('');
});

it('makes a database for a role that it refers to and that comes later, and keeps the role for it', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference.
  const owner = '${postgres/role/seller.outputs.user}';
  const declare = (resource: string, name: string, config: object) => {
    const body = { provider: 'postgres', resource, name, config, lifecycle_state: 'pending' };
    return acme.post('/resources/apply', body);
  };
  const database = '/resources/postgres:database:shop';
  expect((await declare('database', 'shop', { name: 'shop', owner })).status).toBe(200);
  await eventually(async () => {
    expect((await acme.get(database)).body).toMatchObject({ reason: 'DependencyMissing' });
  });
  expect((await declare('role', 'seller', { name: 'seller' })).status).toBe(200);
  await eventually(async () => {
    const { body } = await acme.get(database);
    expect(body).toMatchObject({ lifecycle_state: 'ready', config: { owner } });
  });
  const whose = `SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = 'shop'`;
  expect(await rowsOf(postgres.url, whose)).toEqual([{ owner: 'seller' }]);
  const role = '/resources/postgres:role:seller';
  const refused = await acme.delete(role);
  expect(refused.status).toBe(409);
  expect(refused.body).toMatchObject({
    detail: 'Resource postgres/role/seller is used by 1 resource: postgres/database/shop',
  });
  expect((await acme.delete(database)).status).toBe(204);
  expect((await acme.delete(role)).status).toBe(204);
});

it('deletes the database with the resource', async () => {
  expect((await acme.delete('/resources/postgres:database:orders')).status).toBeLessThan(300);
  expect((await acme.get('/resources/postgres:database:orders')).status).toBe(404);
  await eventually(async () => expect(await inPostgres()).toEqual([]));
  await eventually(async () => {
    const left = await fairlead.kubectl('get', 'resources', '-n', namespace, '-o', 'name');
    expect(left.trim()).toBe('');
  });
});
