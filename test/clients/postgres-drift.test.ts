// Databases of a real PostgreSQL that drift: corrections are held when the provider looks at another server, where all are gone, and
// a database that existed before is imported, observed and corrected.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { windowEndAfter } from '../../src/domain/observation/schedule.ts';
import { type ClientShell, clientShell } from '../support/clients/client-in-shell.ts';
import { pushExample } from '../support/clients/example-postgres.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Caller } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';
import { type OwnPostgres, ownPostgres } from '../support/servers/own-postgres.ts';

const run = promisify(execFile);
const organization = 'postgres-drift';
const names = Array.from({ length: 12 }, (_, at) => `shop_${at + 1}`);
const everyMs = 60_000;
/** From the new settings to the last observation with them. */
const switchMs = 20_000;
const stack = new AsyncDisposableStack();

let postgres: OwnPostgres;
let empty: OwnPostgres;
let shell: ClientShell;
let caller: Caller;
/** `namespace/name` of the provider. */
let provider: string;

beforeAll(async () => {
  const fairlead = await sharedFairlead('standard');
  const servers = await Promise.all([ownPostgres(), ownPostgres()]);
  [postgres, empty] = servers;
  for (const server of servers) stack.use(server);
  shell = stack.use(await clientShell({ organization, role: 'admin' }));
  await inShell(`fairlead login ${fairlead.url}`);
  await pushExample({ fairlead, shell, databaseUrl: postgres.url });
  caller = await fairlead.caller(organization);
  const { namespace } = (await caller.get('/auth/me')).body as { namespace: string };
  provider = `${namespace}/postgres`;
});

afterAll(() => stack.disposeAsync());

async function inShell(script: string): Promise<string> {
  const { stdout } = await run('bash', ['-euc', script], { env: shell.variables });
  return stdout;
}

/** Returns once pods with the new address serve. */
async function pointAt({ url }: OwnPostgres): Promise<void> {
  const { variables } = shell;
  const set = 'fairlead provider settings set --provider postgres url <<< "$URL"';
  await run('bash', ['-euc', set], { env: { ...variables, URL: url } });
}

async function query({ url }: OwnPostgres, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** With its oid: a database that was dropped and created again has another one. */
function databasesOf(server: OwnPostgres): Promise<readonly unknown[]> {
  return query(
    server,
    `SELECT oid, datname, datconnlimit FROM pg_database WHERE datname LIKE 'shop%' ORDER BY datname`,
  );
}

const pathOf = (name: string) => `/resources/postgres:database:${name}`;

function apply(name: string, more: object): Promise<unknown> {
  const body = { provider: 'postgres', resource: 'database', name, lifecycle_state: 'pending' };
  return accepted(caller.post('/resources/apply', { ...body, ...more }));
}

async function accepted(reply: ReturnType<Caller['post']>): Promise<unknown> {
  const { status, body } = await reply;
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function becomes(name: string, expected: object, timeoutMs?: number): Promise<void> {
  await eventually(async () => {
    expect((await caller.get(pathOf(name))).body).toMatchObject(expected);
  }, timeoutMs);
}

/** Observes each object, again if the pod of before has answered. */
async function observed(which: readonly string[], expected: object): Promise<void> {
  const observe = async (name: string) => {
    await accepted(caller.post(`${pathOf(name)}/observe`, undefined));
    await becomes(name, expected, 5_000);
  };
  await Promise.all(which.map((name) => eventually(() => observe(name))));
}

async function heldCorrections(): Promise<{ readonly message: string } | null> {
  const providers = (await caller.get('/providers/')).body as readonly {
    readonly corrections_held: { readonly message: string } | null;
  }[];
  return providers[0]?.corrections_held ?? null;
}

/** In a window that ends soon, some objects are observed before the switch: those after it would be too few to be held. */
async function untilTheWindowIsFar(): Promise<void> {
  const end = windowEndAfter({ provider, everyMs }, Date.now());
  if (end - Date.now() > switchMs) return;
  await eventually(() => expect(Date.now()).toBeGreaterThan(end));
}

/** Of the server that the provider looks at now; it is gone afterwards. */
async function importAndCorrect(): Promise<void> {
  await query(empty, 'CREATE DATABASE legacy CONNECTION LIMIT 9');
  const limit = () =>
    query(empty, `SELECT datconnlimit AS limit FROM pg_database WHERE datname = 'legacy'`);
  const config = { name: 'legacy', connectionLimit: 9 };
  const observe = { every: '1m', on_drift: 'report' };
  await apply('legacy', { config, observe, adopt: { name: 'legacy' } });
  await becomes('legacy', { lifecycle_state: 'ready', reason: 'Imported', drift: null });
  await query(empty, 'ALTER DATABASE legacy CONNECTION LIMIT 3');
  const change = { path: '/connectionLimit', declared: 9, actual: 3 };
  await observed(['legacy'], { reason: 'Drifted', drift: { kind: 'changed', changes: [change] } });
  expect(await limit(), 'is only reported').toEqual([{ limit: 3 }]);
  await accepted(caller.post(`${pathOf('legacy')}/correct`, undefined));
  await becomes('legacy', { lifecycle_state: 'ready', reason: 'Processed', drift: null });
  expect(await limit()).toEqual([{ limit: 9 }]);
  expect((await caller.delete(pathOf('legacy'))).status).toBe(204);
  expect(await limit(), 'is left').toEqual([{ limit: 9 }]);
}

it('creates nothing on a server that the provider was pointed at by mistake, and goes on after a release', async () => {
  const observe = { every: '1m', on_drift: 'correct' };
  await Promise.all(names.map((name) => apply(name, { config: { name }, observe })));
  await Promise.all(names.map((name) => becomes(name, { lifecycle_state: 'ready' })));
  const before = await databasesOf(postgres);
  expect(before).toHaveLength(names.length);
  await untilTheWindowIsFar();
  await pointAt(empty);
  const gone = { lifecycle_state: 'ready', reason: 'Gone', drift: { kind: 'gone' } };
  await observed(names, gone);
  await importAndCorrect();
  // Corrections begin, or are held, at the end of the window.
  const held = await eventually(async () => {
    const found = await heldCorrections();
    expect(found).not.toBeNull();
    return found;
  }, everyMs * 1.2);
  expect(held?.message).toMatch(/^1[23] of 1[23] observed resources turned out to differ or to be/);
  const shown = await inShell('fairlead provider get postgres');
  expect(shown).toMatch(/^corrections held +1[23] of 1[23] observed resources/m);
  await Promise.all(names.map((name) => becomes(name, gone)));
  expect(await databasesOf(empty)).toEqual([]);

  await pointAt(postgres);
  await observed(names, { lifecycle_state: 'ready', reason: 'Processed', drift: null });
  await inShell('fairlead provider release-corrections postgres --yes');
  expect(await heldCorrections()).toBeNull();
  expect(await databasesOf(postgres), 'nothing was left to correct').toEqual(before);
  expect(await databasesOf(empty)).toEqual([]);
  // Nothing is left that observes every minute.
  await inShell('fairlead provider delete postgres --cascade --yes');
  await eventually(async () => expect(await databasesOf(postgres)).toEqual([]));
});
