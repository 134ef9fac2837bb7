// The required behaviour of a provider, checked with the test harness on a real PostgreSQL.
import { testProvider } from 'fairlead/provider/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgres } from '../../../examples/postgres/provider.ts';
import { type OwnPostgres, ownPostgres } from '../../support/servers/own-postgres.ts';
import { clientOf } from './served-postgres.ts';

const secret = 'a secret of the tests';
let local: OwnPostgres;

beforeAll(async () => {
  local = await ownPostgres();
});

afterAll(() => local?.[Symbol.asyncDispose]());

async function namesOf(query: string): Promise<unknown[]> {
  await using client = await clientOf(local.url);
  return (await client.query<{ name: string }>(query)).rows.map(({ name }) => name);
}

const databases = () => namesOf('SELECT datname AS name FROM pg_database ORDER BY 1');
const roles = () => namesOf('SELECT rolname AS name FROM pg_roles ORDER BY 1');

it('passes the provider check for databases and roles, and leaves nothing behind', async () => {
  const before = { databases: await databases(), roles: await roles() };
  const cases = {
    database: {
      config: { name: 'promised' },
      changed: { name: 'promised', connectionLimit: 5 },
    },
    role: {
      config: { name: 'promised', connectionLimit: 3 },
      changed: { name: 'promised', login: false },
    },
  };
  await testProvider(postgres, cases, { settings: { url: local.url, secret } });
  expect({ databases: await databases(), roles: await roles() }).toEqual(before);
});

const unreachable = { url: 'postgresql://nobody@127.0.0.1:1/none', secret };

it.each(['database', 'role'])('calls no %s gone while the server is unreachable', async (type) => {
  const { observe } = postgres.types.get(type) ?? {};
  const signal = AbortSignal.timeout(10_000);
  const call = { config: { name: 'a' }, outputs: {}, adopt: null, settings: unreachable, signal };
  await expect(async () => await observe?.(call as never)).rejects.toThrow(/ECONNREFUSED/);
});

it('reports an unreachable server', async () => {
  const settings = unreachable;
  const cases = { database: { config: { name: 'a' } }, role: { config: { name: 'a' } } };
  const check = testProvider(postgres, cases, { settings });
  await expect(check).rejects.toThrow(
    /database: start: expected success, saw the settings do not work: .*ECONNREFUSED/,
  );
});
