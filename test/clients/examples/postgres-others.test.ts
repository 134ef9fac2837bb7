// The example does not touch foreign objects, does not stop halfway, and does not reveal passwords.
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/runner/eventually.ts';
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

const globex: Changes = { organizationId: 'globex' };

/** The state in PostgreSQL of a database and the role of the same name. */
async function stateOf(name: string) {
  return await example.query(
    `SELECT oid, datname AS name, datdba AS owner, datconnlimit AS "limit", datacl::text AS rights,
            shobj_description(oid, 'pg_database') AS mark, '' AS secret
       FROM pg_database WHERE datname = $1
     UNION ALL
     SELECT oid, rolname, oid, rolconnlimit, rolcanlogin::text,
            shobj_description(oid, 'pg_authid'), rolpassword FROM pg_authid WHERE rolname = $1`,
    [name],
  );
}

describe('foreign objects', () => {
  async function expectUntouched(name: string, more: Changes = {}) {
    const before = await stateOf(name);
    expect(before).not.toEqual([]);
    const event = database(name, {}, more);
    expect(await example.deliver(event)).toEqual(failed('not_ours'));
    const update: Changes = { ...event, type: 'UPDATE', previousConfig: event.config ?? null };
    expect(await example.deliver(update)).toEqual(failed('not_ours'));
    expect(await example.deliver({ ...event, type: 'DELETE' })).toEqual(succeeded);
    expect(await stateOf(name)).toEqual(before);
  }

  it('such as a database of the administrator, are left unchanged', async () => {
    await example.query('CREATE DATABASE theirs');
    await example.query('CREATE TABLE kept AS SELECT 42 AS answer', [], 'theirs');
    await expectUntouched('theirs');
    expect(await example.query('SELECT answer FROM kept', [], 'theirs')).toEqual([{ answer: 42 }]);
    await expectUntouched('postgres');
    await expectUntouched('template1');
  });

  it('such as a role, are left unchanged, and no database is created for them', async () => {
    await example.query("CREATE ROLE clerk LOGIN PASSWORD 'x' CONNECTION LIMIT 7");
    await expectUntouched('clerk');
    await expectUntouched('clerk', { resource: 'role' });
    await expectUntouched('fairlead_admin', { resource: 'role' });
  });

  it('such as a database with an unrelated comment, are left unchanged', async () => {
    await example.query('CREATE DATABASE noted');
    await example.query("COMMENT ON DATABASE noted IS 'fairlead:acme:postgres/database/other'");
    await expectUntouched('noted');
  });

  it('such as a database of another organization, cause a conflict', async () => {
    const outputs = outputsOf(await example.deliver(database('shared')));
    await expectUntouched('shared', globex);
    await using client = await clientOf(outputs.url);
    await client.query('CREATE TABLE kept ()');
  });

  it('such as what an orphaned resource of another project left, cause a conflict', async () => {
    const role: Changes = { resource: 'role' };
    outputsOf(await example.deliver(database('orphaned')));
    outputsOf(await example.deliver(database('orphan', {}, role)));
    await expectUntouched('orphaned', { projectId: 'another' });
    await expectUntouched('orphan', { ...role, projectId: 'another' });
  });

  it('such as a role of another organization, cannot own', async () => {
    const role: Changes = { resource: 'role' };
    outputsOf(await example.deliver(database('keeper', {}, role)));
    const theirs = database('stolen', { owner: 'keeper' }, globex);
    expect(await example.deliver(theirs)).toEqual(failed('owner_missing'));
    expect(await stateOf('stolen'), 'nothing was begun').toEqual([]);
    outputsOf(await example.deliver(database('honest', {}, globex)));
    const update = database('honest', { owner: 'keeper' }, globex);
    const answer = await example.deliver({ ...update, type: 'UPDATE' });
    expect(answer).toEqual(failed('owner_missing'));
    outputsOf(await example.deliver(database('fine', { owner: 'keeper' })));
  });

  it.each(['fairlead_admin', 'pg_read_all_data', 'pg_execute_server_program', 'nobody'])(
    'such as the role %s, cannot own',
    async (owner) => {
      expect(await example.deliver(database('grab', { owner }))).toEqual(failed('owner_missing'));
      expect(await stateOf('grab')).toEqual([]);
    },
  );

  it('are recognized even if the organizations have a common prefix', async () => {
    const role: Changes = { resource: 'role' };
    outputsOf(
      await example.deliver(database('prefixed', {}, { ...role, organizationId: 'acme:x' })),
    );
    for (const organizationId of ['acme', 'acme:', 'acm', 'acme%3Ax']) {
      const event = database('guest', { owner: 'prefixed' }, { organizationId });
      expect(await example.deliver(event), organizationId).toEqual(failed('owner_missing'));
    }
  });
});

describe('an aborted create', () => {
  /** Delivers, waits until PostgreSQL is busy with a statement, hangs up, and sees the statement end. */
  async function cutOffAt(statement: string, event: Changes): Promise<void> {
    const leaving = new AbortController();
    const answer = example.deliver(event, leaving.signal);
    const busy = () =>
      example.query(
        `SELECT state FROM pg_stat_activity WHERE application_name = 'fairlead-provider'
            AND state = 'active' AND starts_with(query, $1)`,
        [statement],
      );
    await eventually(async () => expect(await busy()).toHaveLength(1));
    leaving.abort();
    expect(await answer).toMatchObject({ kind: 'failed', terminal: false });
    await eventually(async () => expect(await busy()).toEqual([]), 4_000);
  }

  async function expectConverged(event: Changes & { name: string }): Promise<void> {
    const outputs = outputsOf(await example.deliver({ ...event, attempt: 2 }));
    await using client = await clientOf(outputs.url);
    await client.query('CREATE TABLE kept ()');
    const found = await stateOf(event.name);
    const mark = `fairlead:acme:postgres/database/${event.name} default`;
    expect(found.map((row) => row['mark'])).toEqual([mark, mark]);
    const [gate] = await example.query(
      "SELECT has_database_privilege('public', $1, 'CONNECT') AS open",
      [event.name],
    );
    expect(gate).toEqual({ open: false });
  }

  it('stops waiting for an earlier delivery of the same event', async () => {
    const event = { ...database('cut0'), name: 'cut0' };
    {
      await using earlier = await example.session();
      const subject = 'fairlead:acme:postgres/database/cut0';
      await earlier.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [subject]);
      await cutOffAt('SELECT pg_advisory_lock', event);
    }
    expect(await stateOf('cut0')).toEqual([]);
    await expectConverged(event);
  });

  it('before its role exists leaves nothing, and the next one completes it', async () => {
    const event = { ...database('cut1'), name: 'cut1' };
    {
      await using other = await example.session();
      await other.query('BEGIN; LOCK TABLE pg_shdescription IN EXCLUSIVE MODE');
      await cutOffAt('CREATE ROLE', event);
    }
    await eventually(async () => expect(await stateOf('cut1')).toEqual([]));
    await expectConverged(event);
  });

  it('between its role and its database is completed by the next', async () => {
    const event = { ...database('cut2'), name: 'cut2' };
    {
      // PostgreSQL copies template1 only while it has no connections.
      await using _other = await example.session('template1');
      await cutOffAt('CREATE DATABASE', event);
    }
    expect((await stateOf('cut2')).length, 'a role alone').toBe(1);
    await expectConverged(event);
  });

  it('between its database and the mark on it is completed by the next', async () => {
    const event = { ...database('cut3'), name: 'cut3' };
    {
      await using _other = await example.session('template1');
      await cutOffAt('CREATE DATABASE', event);
    }
    {
      await using other = await example.session();
      await other.query('BEGIN; LOCK TABLE pg_shdescription IN EXCLUSIVE MODE');
      await cutOffAt('COMMENT ON DATABASE', event);
    }
    expect(await stateOf('cut3')).toMatchObject([{ mark: null }, { name: 'cut3' }]);
    const theirs = await example.deliver({ ...event, ...globex });
    expect(theirs, 'without a mark it is ours all the same').toEqual(failed('not_ours'));
    await expectConverged(event);
  });

  it('between its database and the mark on it can be deleted', async () => {
    const event = { ...database('cut4'), name: 'cut4' };
    outputsOf(await example.deliver(event));
    await example.query('COMMENT ON DATABASE cut4 IS NULL');
    expect(await example.deliver({ ...event, ...globex, type: 'DELETE' })).toEqual(succeeded);
    expect((await stateOf('cut4')).length).toBe(2);
    expect(await example.deliver({ ...event, type: 'DELETE' })).toEqual(succeeded);
    expect(await stateOf('cut4')).toEqual([]);
  });
});

describe('passwords', () => {
  it('are in outputs only: neither in logs of the provider and PostgreSQL nor in errors', async () => {
    await example.query("ALTER SYSTEM SET log_statement = 'all'");
    await example.query('SELECT pg_reload_conf()');
    await eventually(async () => {
      expect(await example.query('SHOW log_statement')).toEqual([{ log_statement: 'all' }]);
    });
    const event = database('secretive');
    const { password, url } = outputsOf(await example.deliver(event));
    const role = outputsOf(await example.deliver(database('agent', {}, { resource: 'role' })));
    const answers = [
      await example.deliver(database('secretive', {}, globex)),
      await example.deliver({ ...event, type: 'UPDATE', previousConfig: { name: 'other' } }),
      await example.deliver({ ...event, config: { name: 'secretive', password } }),
    ];
    await using client = await clientOf(url);
    await client.query('SELECT 1');
    const log = await example.serverLog();
    expect(log, 'the log shows statements').toContain('ALTER ROLE "secretive" LOGIN');
    const output = [log, ...example.lines, JSON.stringify(answers)].join('\n');
    for (const secret of [password, role.password, example.adminPassword]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(output).not.toContain(secret);
    }
    expect(example.lines.length).toBeGreaterThan(1);
  });

  it('of the administrator are in no error when the settings do not work', async () => {
    const url = 'postgresql://fairlead_admin:correct-horse-battery@127.0.0.1:1/postgres';
    const refused = await servePostgres({ url }).catch((thrown: unknown) => thrown);
    expect(inspect(refused)).toContain('the settings do not work: connect ECONNREFUSED');
    expect(inspect(refused)).not.toContain('correct-horse');
  });
});
