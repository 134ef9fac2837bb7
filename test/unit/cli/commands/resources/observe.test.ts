// `fairlead observe`: what was found, and with which exit code.
import { afterEach, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import { type Answering, driftOf, startAnswering } from '../../../../support/clients/answering.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

type Observation = NonNullable<ResourceRecord['observation']>;

let server: Answering;
afterEach(() => server.stop());

const before = '2026-01-31T12:00:00.000Z';
const seen = (more: Partial<Observation> = {}): Observation => ({
  ...{ at: '2026-01-31T12:04:59.000Z', exists: true, compared: 7, unknown: 1, error: null },
  ...more,
});
const none = { drift: null, observation: null };
const gone = driftOf({ kind: 'gone', changes: [], total: 0 });

/** @param answers of the POST, then of each read after it */
async function serve(old: Partial<ResourceRecord>, answers: Partial<ResourceRecord>[]) {
  const records = answers.map((more) => resourceRecord('shop', { ...none, ...more }));
  server = await startAnswering(({ method, path }) => {
    if (!path.includes('postgres/database/shop')) return undefined;
    const isFirst = method === 'GET' && server.asked.length === 1;
    if (isFirst) return { body: resourceRecord('shop', { ...none, ...old }) };
    return { body: records.length > 1 ? records.shift() : records[0] };
  });
}

it.each<[string, Partial<ResourceRecord>, number, string, string]>([
  [
    'in sync',
    { observation: seen() },
    0,
    '✓ postgres/database/shop  In sync: 7 values were compared. The provider did not read 1 more.\n',
    '',
  ],
  [
    'drifted',
    { observation: seen(), drift: driftOf() },
    0,
    '○ postgres/database/shop  Drifted for 3m: 1 of 7 compared values differs\n  /size  declared 20  actual 50\n  The provider did not read 1 more.\n',
    '',
  ],
  [
    'drifted, as is seen for the first time',
    { observation: seen(), drift: driftOf({ since: seen().at }) },
    0,
    '○ postgres/database/shop  Drifted: 1 of 7 compared values differs\n  /size  declared 20  actual 50\n  The provider did not read 1 more.\n',
    '',
  ],
  [
    'gone',
    { observation: seen({ exists: false, compared: 0, unknown: 0 }), drift: gone },
    0,
    '✗ postgres/database/shop  Gone: the object does not exist.\n',
    '',
  ],
  [
    'found, where nothing can be compared',
    { observation: seen({ compared: 0 }), management: 'observed' },
    0,
    '✓ postgres/database/shop  The object exists. The provider did not read 1 more.\n',
    '',
  ],
  [
    'not observed',
    { observation: seen({ exists: null, error: 'CONNECTION_REFUSED: no' }), drift: driftOf() },
    1,
    '',
    'Error: postgres/database/shop was not observed: CONNECTION_REFUSED: no.\nIts log: fairlead logs postgres/database/shop --since 10m\n',
  ],
])('says that an object is %s', async (_, more, code, stdout, stderr) => {
  await serve({}, [more]);
  const result = await server.client('observe postgres/database/shop');
  expect({ ...result, stderr: result.stderr.replace(/\n\s+/g, '\n') }).toEqual({
    code,
    stdout,
    stderr,
  });
  const [, post] = server.asked;
  expect(post).toMatchObject({ method: 'POST', path: '/resources/postgres/database/shop/observe' });
  expect(post?.headers['prefer']).toBe('wait=20');
});

it('takes no earlier observation for the one that it asked for', async () => {
  const old = { observation: seen({ at: before, compared: 1 }) };
  await serve(old, [old, { observation: seen() }]);
  const { code, stdout } = await server.client('observe postgres/database/shop');
  expect(code).toBe(0);
  expect(stdout).toContain('7 values were compared');
});

it('ends when the time is up', async () => {
  await serve({}, [{}]);
  const { code, stderr } = await server.client('observe postgres/database/shop --timeout 50ms');
  expect(code).toBe(7);
  expect(stderr).toContain('was not observed in time');
});

it('prints no config for programs, and distinguishes results by --exit-code', async () => {
  await serve({}, [{ observation: seen(), drift: driftOf(), config: { password: 'hunter2' } }]);
  const { code, stdout } = await server.client(
    'observe postgres/database/shop -o json --exit-code',
  );
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toEqual({
    resource: 'postgres/database/shop',
    result: 'drifted',
    observation: seen(),
    drift: driftOf(),
  });
});

it('observes the others beside one that does not exist', async () => {
  await serve({}, [{ observation: seen() }]);
  const words = 'observe postgres/database/shop postgres/database/crm';
  const { code, stdout, stderr } = await server.client(words);
  expect(code).toBe(5);
  expect(stdout).toContain('shop  In sync');
  expect(stderr).toMatch(/crm|Nothing/);
});
