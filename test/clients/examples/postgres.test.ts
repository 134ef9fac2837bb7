import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Changes,
  clientOf,
  database,
  failed,
  outputsOf,
  type ServedPostgres,
  servePostgres,
  succeeded,
} from './served-postgres.ts';

let example: ServedPostgres;

beforeAll(async () => {
  example = await servePostgres();
});

afterAll(() => example?.stop());

const role = (name: string, config: object = {}, more: Changes = {}): Changes => ({
  ...database(name, config, more),
  resource: 'role',
});
const updated = (event: Changes, config: object, outputs: object): Changes => ({
  ...event,
  type: 'UPDATE',
  previousConfig: event.config ?? null,
  config: { ...event.config, ...config },
  outputs: { ...outputs },
});
const deleted = (event: Changes, outputs: object = {}): Changes => ({
  ...event,
  type: 'DELETE',
  outputs: { ...outputs },
});

async function databaseRow(name: string) {
  const [row] = await example.query(
    `SELECT pg_get_userbyid(datdba) AS owner, datconnlimit AS "limit",
            shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = $1`,
    [name],
  );
  return row;
}

async function roleRow(name: string) {
  const [row] = await example.query(
    'SELECT rolcanlogin AS login, rolconnlimit AS "limit" FROM pg_roles WHERE rolname = $1',
    [name],
  );
  return row;
}

describe('a database', () => {
  it('is created once for repeated events, and its outputs allow a login', async () => {
    const event = database('created', {}, { id: 'evt-created' });
    const first = outputsOf(await example.deliver(event));
    await using before = await clientOf(first.url);
    await before.query('CREATE TABLE kept (id int)');
    const second = outputsOf(await example.deliver({ ...event, attempt: 2 }));
    expect(second).toEqual(first);
    const { host, port, user, password } = second;
    expect(second).toMatchObject({ host: '127.0.0.1', user: 'created', database: 'created' });
    expect(second.url).toBe(`postgresql://${user}:${password}@${host}:${port}/created`);
    await using after = await clientOf(second.url);
    const { rowCount } = await after.query('SELECT * FROM kept');
    expect(rowCount).toBe(0);
    expect(await databaseRow('created')).toMatchObject({ owner: 'created', limit: 20 });
  });

  it('is the same for two deliveries at once', async () => {
    const event = database('twice');
    const answers = await Promise.all([
      example.deliver({ ...event, id: 'evt-twice-1' }),
      example.deliver({ ...event, id: 'evt-twice-2' }),
    ]);
    expect(outputsOf(answers[0])).toEqual(outputsOf(answers[1]));
  });

  it('rejects logins of other roles', async () => {
    const mine = outputsOf(await example.deliver(database('mine')));
    outputsOf(await example.deliver(database('yours')));
    await expect(clientOf(mine.url.replace(/mine$/, 'yours'))).rejects.toThrow('permission denied');
  });

  it('takes another connection limit', async () => {
    const event = database('limited', { connectionLimit: 2 });
    const outputs = outputsOf(await example.deliver(event));
    expect(await databaseRow('limited')).toMatchObject({ limit: 2 });
    const changed = await example.deliver(updated(event, { connectionLimit: 1 }, outputs));
    expect(outputsOf(changed)).toEqual(outputs);
    await using _first = await clientOf(outputs.url);
    await expect(clientOf(outputs.url)).rejects.toThrow('too many connections');
  });

  it('changes its owner and back, without loss of privileges', async () => {
    outputsOf(await example.deliver(role('keeper', { login: false })));
    outputsOf(await example.deliver(role('heir')));
    const event = database('passed', { owner: 'keeper' });
    const outputs = outputsOf(await example.deliver(event));
    expect(await databaseRow('passed')).toMatchObject({ owner: 'keeper' });
    await using client = await clientOf(outputs.url);
    await client.query('CREATE TABLE kept (id int)');
    for (const owner of ['heir', 'passed', undefined, 'keeper', undefined]) {
      const changed = await example.deliver(updated(event, { owner }, outputs));
      expect(outputsOf(changed), `owner ${owner}`).toEqual(outputs);
      expect(await databaseRow('passed')).toMatchObject({ owner: owner ?? 'passed' });
      await client.query('INSERT INTO kept VALUES (1)');
      await client.query(`CREATE TABLE made_under_${owner ?? 'nobody_again'}_${Date.now()} ()`);
    }
    const memberships = await example.query(
      "SELECT 1 FROM pg_auth_members WHERE member = 'passed'::regrole",
    );
    expect(memberships, 'nothing of former owners is left').toEqual([]);
  });

  it('may be owned by its own role from the start', async () => {
    outputsOf(await example.deliver(database('selfish', { owner: 'selfish' })));
    expect(await databaseRow('selfish')).toMatchObject({ owner: 'selfish' });
  });

  it('is deleted with its data, role and sessions; repeated deletion succeeds', async () => {
    const event = database('gone');
    const outputs = outputsOf(await example.deliver(event));
    await using client = await clientOf(outputs.url);
    await client.query('CREATE TABLE kept (id int)');
    expect(await example.deliver(deleted(event, outputs))).toEqual(succeeded);
    expect(await databaseRow('gone')).toBeUndefined();
    expect(await roleRow('gone')).toBeUndefined();
    expect(await example.deliver(deleted(event, outputs))).toEqual(succeeded);
    expect(await example.deliver(deleted(event)), 'without outputs').toEqual(succeeded);
  });

  it('that was never created is deleted, even with an invalid config', async () => {
    expect(await example.deliver(deleted(database('never')))).toEqual(succeeded);
    for (const config of [{}, { name: 'No Name' }, { name: 5 }, { name: ['x'] }]) {
      expect(await example.deliver(deleted({ config }))).toEqual(succeeded);
    }
  });

  it('keeps its name', async () => {
    const event = database('named');
    const outputs = outputsOf(await example.deliver(event));
    const answer = await example.deliver(updated(event, { name: 'renamed' }, outputs));
    expect(answer).toEqual(failed('immutable'));
    expect(await databaseRow('named')).toBeDefined();
    expect(await databaseRow('renamed')).toBeUndefined();
  });

  const unfit = [
    {},
    { name: 'Orders' },
    { name: 'a'.repeat(41) },
    { name: 'x"; DROP DATABASE postgres; --' },
    { name: 'orders', connectionLimit: 0 },
    { name: 'orders', connectionLimit: 1.5 },
    { name: 'orders', size: 3 },
  ];

  it.each(unfit)('is refused with the config %j', async (config) => {
    expect(await example.deliver({ config })).toEqual(failed('invalid_config'));
    expect(await databaseRow('orders')).toBeUndefined();
  });
});

describe('a role', () => {
  it('is created once, updated and deleted', async () => {
    const event = role('worker', { connectionLimit: 3 });
    const outputs = outputsOf(await example.deliver(event));
    expect(outputsOf(await example.deliver(event))).toEqual(outputs);
    expect(await roleRow('worker')).toEqual({ login: true, limit: 3 });
    const { user, password, host, port } = outputs;
    const url = `postgresql://${user}:${password}@${host}:${port}/postgres`;
    await using _client = await clientOf(url);
    outputsOf(await example.deliver(updated(event, { login: false }, outputs)));
    await expect(clientOf(url)).rejects.toThrow('authentication failed');
    outputsOf(await example.deliver(updated(event, { connectionLimit: undefined }, outputs)));
    expect(await roleRow('worker')).toEqual({ login: true, limit: -1 });
    await using _again = await clientOf(url);
    expect(await example.deliver(deleted(event, outputs))).toEqual(succeeded);
    expect(await example.deliver(deleted(event, outputs))).toEqual(succeeded);
    expect(await roleRow('worker')).toBeUndefined();
  });

  it('keeps its name', async () => {
    const event = role('fixed');
    const outputs = outputsOf(await example.deliver(event));
    const answer = await example.deliver(updated(event, { name: 'loose' }, outputs));
    expect(answer).toEqual(failed('immutable'));
    expect(await roleRow('loose')).toBeUndefined();
  });

  it('cannot be deleted while it owns a database', async () => {
    const event = role('owning');
    outputsOf(await example.deliver(event));
    outputsOf(await example.deliver(database('owned', { owner: 'owning' })));
    expect(await example.deliver(deleted(event))).toEqual(failed('role_in_use'));
    expect(await databaseRow('owned')).toMatchObject({ owner: 'owning' });
    expect(await example.deliver(deleted(database('owned')))).toEqual(succeeded);
    expect(await example.deliver(deleted(event))).toEqual(succeeded);
  });

  it('cannot have a name that PostgreSQL reserves', async () => {
    expect(await example.deliver(role('pg_worker'))).toEqual(failed('reserved_name'));
  });
});
