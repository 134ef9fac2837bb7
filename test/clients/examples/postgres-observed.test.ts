// The example observes what exists in PostgreSQL, whoever changed it, and imports what others made without taking what is not free.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../../src/events/protocol.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
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

const role = (name: string, config: object = {}) => database(name, config, { resource: 'role' });
const globex: Changes = { organizationId: 'globex' };
const gone = { kind: 'observed', exists: false };

function observe(event: Changes, more: Changes = {}): Promise<Answer> {
  return example.deliver({ ...event, type: 'OBSERVE', ...more });
}

/** Of an object that is about to be imported. */
function seek(name: string, more: Changes = {}): Promise<Answer> {
  return observe({ name, config: {}, adopt: { name } }, more);
}

async function observed(
  answer: Promise<Answer>,
): Promise<{ config: JsonObject; outputs: JsonObject }> {
  const found = await answer;
  if (found.kind === 'observed' && found.exists) return found;
  throw new Error(`not found: ${JSON.stringify(found)}`);
}

async function expectServerUnchanged<T>(work: () => Promise<T>): Promise<T> {
  const state = () =>
    example.query(
      `SELECT oid, datname, datdba, datconnlimit, datacl::text, shobj_description(oid, 'pg_database')
         FROM pg_database UNION ALL
       SELECT oid, rolname, 0, rolconnlimit, rolpassword, shobj_description(oid, 'pg_authid')
         FROM pg_authid ORDER BY 1`,
    );
  const before = await state();
  const result = await work();
  expect(await state()).toEqual(before);
  return result;
}

describe('what the provider made', () => {
  it('is observed as it was declared, without its password', async () => {
    const event = database('seen', { connectionLimit: 5 });
    const { password, url: _, ...readable } = outputsOf(await example.deliver(event));
    const answer = await observed(observe(event));
    expect(answer.config).toEqual({ name: 'seen', connectionLimit: 5, owner: 'seen' });
    expect(answer.outputs).toEqual(readable);
    expect(JSON.stringify(answer)).not.toContain(password);
    const worker = role('seen_role', { login: false, connectionLimit: 3 });
    outputsOf(await example.deliver(worker));
    const found = await observed(observe(worker));
    expect(found.config).toEqual({ name: 'seen_role', login: false, connectionLimit: 3 });
  });

  it('is observed as somebody changed it by hand', async () => {
    const event = database('changed', { connectionLimit: 5 });
    const outputs = outputsOf(await example.deliver(event));
    outputsOf(await example.deliver(role('taker')));
    await example.query('ALTER DATABASE changed CONNECTION LIMIT 1');
    await example.query('ALTER DATABASE changed OWNER TO taker');
    const { config } = await observed(observe(event, { outputs }));
    expect(config).toEqual({ name: 'changed', connectionLimit: 1, owner: 'taker' });
    outputsOf(await example.deliver({ ...event, type: 'UPDATE', outputs }));
    const corrected = await observed(observe(event, { outputs }));
    expect(corrected.config).toMatchObject({ connectionLimit: 5, owner: 'changed' });
  });

  it('is gone when somebody dropped it, and there again once it is created', async () => {
    const event = database('dropped');
    const outputs = outputsOf(await example.deliver(event));
    await example.query('DROP DATABASE dropped');
    expect(await observe(event, { outputs })).toEqual(gone);
    outputsOf(await example.deliver({ ...event, outputs: {} }));
    expect(await observed(observe(event))).toMatchObject({ config: { name: 'dropped' } });
  });

  it('is not what somebody else made in its place', async () => {
    const event = database('replaced');
    const outputs = outputsOf(await example.deliver(event));
    await example.query('DROP DATABASE replaced');
    await example.query('CREATE DATABASE replaced');
    expect(await observe(event, { outputs })).toEqual(failed('not_ours'));
    const update: Changes = { ...event, type: 'UPDATE', previousConfig: event.config ?? null };
    expect(await example.deliver({ ...update, outputs })).toEqual(failed('not_ours'));
  });
});

describe('what others made', () => {
  it('is found by an import, and belongs to the resource from its first update on', async () => {
    await example.query("CREATE ROLE legacy LOGIN PASSWORD 'x'");
    await example.query('CREATE DATABASE legacy OWNER legacy CONNECTION LIMIT 9');
    await example.query("COMMENT ON DATABASE legacy IS 'The shop of before'");
    const kept = 'CREATE TABLE kept AS SELECT 42 AS answer; ALTER TABLE kept OWNER TO legacy';
    await example.query(kept, [], 'legacy');
    const { config, outputs } = await expectServerUnchanged(() => observed(seek('legacy')));
    expect(config).toEqual({ name: 'legacy', connectionLimit: 9, owner: 'legacy' });
    expect(outputs).toMatchObject({ database: 'legacy', user: 'legacy' });
    const event = database('legacy', { connectionLimit: 7 });
    const update: Changes = { ...event, type: 'UPDATE', previousConfig: config, outputs };
    expect(await example.deliver({ ...event, ...globex, outputs: {} })).toEqual(failed('not_ours'));
    const { url } = outputsOf(await example.deliver(update));
    const again = outputsOf(await example.deliver({ ...update, attempt: 2 }));
    expect(again.url, 'its first answer was lost').toBe(url);
    expect((await observed(observe(event))).config).toMatchObject({ connectionLimit: 7 });
    expect(await observe(event, globex)).toEqual(failed('not_ours'));
    await using client = await clientOf(url);
    expect((await client.query('SELECT answer FROM kept')).rows).toEqual([{ answer: 42 }]);
  });

  it('is proposed for an import without what no resource can declare', async () => {
    await example.query('CREATE DATABASE boundless');
    await example.query('CREATE ROLE porter LOGIN');
    expect((await observed(seek('boundless'))).config).toEqual({ name: 'boundless' });
    const { config } = await observed(seek('porter', { resource: 'role' }));
    expect(config).toEqual({ name: 'porter', login: true });
    const declared = database(
      'boundless',
      { connectionLimit: 3 },
      { adopt: { name: 'boundless' } },
    );
    const { config: actual } = await observed(observe(declared));
    expect(actual, 'is drift').toMatchObject({ connectionLimit: -1, owner: 'fairlead_admin' });
  });

  it('is found as a role, too', async () => {
    await example.query('CREATE ROLE clerk LOGIN CONNECTION LIMIT 2');
    const more = { resource: 'role' };
    const { config, outputs } = await expectServerUnchanged(() => observed(seek('clerk', more)));
    expect(config).toEqual({ name: 'clerk', login: true, connectionLimit: 2 });
    const event = role('clerk', { connectionLimit: 3 });
    expect(await example.deliver(event), 'without an import').toEqual(failed('not_ours'));
    outputsOf(await example.deliver({ ...event, type: 'UPDATE', previousConfig: config, outputs }));
    expect((await observed(observe(event))).config).toMatchObject({ connectionLimit: 3 });
  });

  it('is not dropped before that', async () => {
    await example.query('CREATE DATABASE spared');
    const { outputs } = await observed(seek('spared'));
    const event = database('spared', {}, { outputs });
    expect(await example.deliver({ ...event, type: 'DELETE' })).toEqual(succeeded);
    expect(await seek('spared')).toMatchObject({ exists: true });
  });

  it('is not found, and not taken, when it is of another organization', async () => {
    outputsOf(await example.deliver(database('theirs', {}, globex)));
    outputsOf(await example.deliver(role('their_role')));
    expect(await seek('theirs')).toEqual(failed('not_ours'));
    expect(await seek('their_role', { resource: 'role', ...globex })).toEqual(failed('not_ours'));
    await example.query('COMMENT ON DATABASE theirs IS NULL');
    expect(await seek('theirs'), 'its role has a mark').toEqual(failed('not_ours'));
    const outputs = { database: 'theirs' };
    const update: Changes = { ...database('theirs'), type: 'UPDATE', outputs };
    expect(await example.deliver(update)).toEqual(failed('not_ours'));
  });

  it('is read, and not taken, when another resource of the organization has it', async () => {
    outputsOf(await example.deliver(database('common')));
    const other = { ...database('common'), name: 'another' };
    const { config, outputs } = await observed(observe(other, { adopt: { name: 'common' } }));
    expect(config).toMatchObject({ name: 'common' });
    expect(await observe(other), 'without an import').toEqual(failed('not_ours'));
    const update: Changes = { ...other, type: 'UPDATE', previousConfig: config, outputs };
    expect(await example.deliver(update)).toEqual(failed('not_ours'));
  });

  it.each(['postgres', 'template1'])('is not the database %s of the server', async (name) => {
    expect(await seek(name)).toEqual(failed('not_ours'));
  });

  it('is no role by which the server could be taken over', async () => {
    await example.query('CREATE ROLE chief CREATEROLE');
    await example.query('CREATE ROLE deputy LOGIN; GRANT chief TO deputy');
    await example.query('CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader');
    for (const name of ['fairlead_admin', 'pg_monitor', 'chief', 'deputy', 'reader']) {
      expect(await seek(name, { resource: 'role' }), name).toEqual(failed('not_ours'));
      const update: Changes = { ...role(name), type: 'UPDATE', outputs: { user: name } };
      expect(await example.deliver(update), name).toEqual(failed('not_ours'));
    }
  });

  it('has the name that the config declares', async () => {
    await example.query('CREATE DATABASE one');
    const other = { config: { name: 'two' }, adopt: { name: 'one' } };
    expect(await observe(other)).toEqual(failed('other_name'));
    expect(await seek('nowhere')).toEqual(gone);
  });
});

describe('a list', () => {
  it('has what is free and what the organization has, and nothing else', async () => {
    await example.query('CREATE DATABASE unowned CONNECTION LIMIT 4');
    await example.query('CREATE DATABASE "No Identifier"');
    await example.query('CREATE ROLE freelance LOGIN');
    outputsOf(await example.deliver({ ...database('mine'), name: 'my-resource' }));
    outputsOf(await example.deliver(role('my_role')));
    outputsOf(await example.deliver(database('yours', {}, globex)));
    outputsOf(await example.deliver({ ...role('your_role'), ...globex }));
    const databases = await expectServerUnchanged(() => example.list('database'));
    expect(databases).toContainEqual({
      adopt: { name: 'unowned' },
      name: 'unowned',
      config: { name: 'unowned', connectionLimit: 4, owner: 'fairlead_admin' },
    });
    expect(databases).toContainEqual(
      expect.objectContaining({ adopt: { name: 'mine' }, name: 'my-resource' }),
    );
    const namesOf = async (resource: string, organizationId?: string) =>
      (await example.list(resource, organizationId)).map(({ adopt }) => adopt['name']);
    const listed = await namesOf('database');
    for (const name of ['yours', 'postgres', 'template0', 'template1', 'No Identifier']) {
      expect(listed).not.toContain(name);
    }
    expect(await namesOf('database', 'globex')).toContain('yours');
    const listedRoles = await namesOf('role');
    expect(listedRoles).toEqual(expect.arrayContaining(['my_role', 'freelance']));
    for (const name of ['your_role', 'fairlead_admin', 'pg_monitor', 'mine']) {
      expect(listedRoles).not.toContain(name);
    }
  });
});
