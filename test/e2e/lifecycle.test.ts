// A resource goes from an HTTP request to `ready`, on a real control plane, with a real provider process.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { answer, done, type RecordingProvider } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { type Caller, type Fairlead, type Reply, request } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const run = promisify(execFile);
const main = resolve(import.meta.dirname, '../../src/main.ts');

let crates: Crates;
let fairlead: Fairlead;
let acme: Caller;
let namespace: string;
let provider: RecordingProvider;
let reaches: Crates['reaches'];
let stored: Crates['stored'];

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('standard'), 'lifecycle');
  ({ fairlead, acme, namespace, provider, reaches, stored } = crates);
});

afterAll(async () => {
  await crates?.close();
});

it('moves a draft through pending to ready with the outputs of the provider', async () => {
  provider.respond(done({ url: 'box://a' }));
  const draft = await acme.post(
    '/resources/apply',
    crate('a', { size: 1 }, { lifecycle_state: 'draft' }),
  );
  expect(draft.body).toMatchObject({ lifecycle_state: 'draft', outputs: {}, error: null });
  const committed = await acme.post('/resources/apply', crate('a'));
  expect(committed.body).toMatchObject({ lifecycle_state: 'pending' });
  const record = await reaches('a', 'ready');
  expect(record).toMatchObject({ outputs: { url: 'box://a' }, error: null });
  const [receipt] = provider.receipts.filter(({ body }) => body.name === 'a');
  expect(receipt?.body).toMatchObject({
    event_type: 'CREATE',
    organization_id: 'lifecycle',
    attempt: 1,
    previous_config: null,
    config: { size: 1 },
  });
});

it('accepts the token that the program prints', async () => {
  const words = [main, 'token', '--org', 'lifecycle', '--role', 'viewer'];
  const { stdout } = await run(process.execPath, words, { env: fairlead.environment });
  const me = await request(`${fairlead.url}/auth/me`, { method: 'GET', token: stdout.trim() });
  expect(me.body).toMatchObject({ organization_id: 'lifecycle', role: 'viewer', namespace });
});

it('shows the same state in kubectl, with conditions to wait for', async () => {
  const words = [
    'wait',
    '--for=condition=Ready',
    'resources',
    '-n',
    namespace,
    '--all',
    '--timeout=20s',
  ];
  expect(await fairlead.kubectl(...words)).toContain('condition met');
  const table = await fairlead.kubectl('get', 'resources', '-A', '-o', 'wide');
  expect(table).toMatch(/box\s+crate\s+a\s+ready\s+True\s+Processed/);
});

it('sends an UPDATE with the previous config on a change, and nothing without one', async () => {
  const before = provider.receipts.length;
  await acme.post('/resources/apply', crate('a', { size: 1 }));
  await acme.post('/resources/apply', crate('a', { size: 2 }));
  await reaches('a', 'ready');
  const events = provider.receipts.slice(before).map(({ body }) => body);
  expect(events).toMatchObject([
    {
      event_type: 'UPDATE',
      previous_config: { size: 1 },
      config: { size: 2 },
      outputs: { url: 'box://a' },
    },
  ]);
});

it('stores tags at once without an event, and filters by them', async () => {
  const before = provider.receipts.length;
  const tagged = await acme.post(
    '/resources/apply',
    crate('a', { size: 2 }, { tags: ['blue', 'big'] }),
  );
  expect(tagged.body).toMatchObject({ lifecycle_state: 'ready', tags: ['blue', 'big'] });
  const found = await acme.get('/resources/?tags=blue&tags=big');
  expect(found.body).toMatchObject([{ name: 'a' }]);
  expect((await acme.get('/resources/?tags=blue&tags=red')).body).toEqual([]);
  expect(provider.receipts.length).toBe(before);
});

it('reports a config that violates the schema, and stores nothing', async () => {
  const refused = await acme.post('/resources/apply', crate('bad', { size: 'big' }));
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    detail: [{ loc: ['body', 'config', 'size'], type: 'int_type' }],
  });
  expect((await acme.get('/resources/box%2Fcrate%2Fbad')).status).toBe(404);
});

it('rejects other content while a resource is processing, and accepts the same content', async () => {
  let finish = () => {};
  const hold = new Promise<void>((resume) => {
    finish = resume;
  });
  provider.respond(async (_receipt, response) => {
    await hold;
    answer(response, 200, { outputs: {} });
  });
  await acme.post('/resources/apply', crate('slow'));
  await reaches('slow', 'processing');
  const same = await acme.post('/resources/apply', crate('slow'));
  expect(same).toMatchObject({ status: 200, body: { lifecycle_state: 'processing' } });
  const other = await acme.post('/resources/apply', crate('slow', { size: 9 }));
  expect(other).toMatchObject({ status: 409, body: { code: 'resource_busy' } });
  finish();
  await reaches('slow', 'ready');
  provider.respond(done());
});

it('deletes with the recorded outputs, answers 404 meanwhile, and shows the deletion in kubectl', async () => {
  provider.respond(done({ url: 'box://gone' }));
  await acme.post('/resources/apply', crate('gone'));
  await reaches('gone', 'ready');
  expect((await acme.delete('/resources/box%2Fcrate%2Fgone')).status).toBe(204);
  expect((await acme.get('/resources/box%2Fcrate%2Fgone')).status).toBe(404);
  await eventually(async () => expect(await stored()).not.toContain('gone'));
  const deletes = provider.receipts.filter(({ body }) => body.event_type === 'DELETE');
  expect(deletes.map(({ body }) => body)).toMatchObject([
    { name: 'gone', outputs: { url: 'box://gone' } },
  ]);
  expect((await acme.delete('/resources/box%2Fcrate%2Fgone')).status).toBe(204);
});

it('deletes a draft at once without an event', async () => {
  const before = provider.receipts.length;
  await acme.post('/resources/apply', crate('idea', { size: 1 }, { lifecycle_state: 'draft' }));
  await acme.delete('/resources/box%2Fcrate%2Fidea');
  await eventually(async () => expect(await stored()).not.toContain('idea'));
  expect(provider.receipts.length).toBe(before);
});

it('creates one resource for many parallel applies, with equal responses', async () => {
  provider.respond(done());
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => acme.post('/resources/apply', crate('race'))),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  await reaches('race', 'ready');
  const events = provider.receipts.filter(({ body }) => body.name === 'race');
  expect(new Set(events.map(({ body }) => body.event_id)).size).toBe(1);
});

it('hides resources from other organizations', async () => {
  const other = await fairlead.caller('lifecycle-rival');
  const mine = await other.get('/resources/box%2Fcrate%2Fa');
  const missing = await other.get('/resources/box%2Fcrate%2Fnever');
  expect(mine.status).toBe(404);
  // Answers differ in the id of the request alone.
  const textOf = ({ body, headers }: Reply) =>
    JSON.stringify(body).replace(headers.get('x-request-id') ?? '', '');
  expect(textOf(mine).replace('/a', '/never')).toBe(textOf(missing));
  expect((await other.get('/resources/')).body).toEqual([]);
});

it('rejects with kubectl what the HTTP API rejects', async () => {
  const object = {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Resource',
    metadata: { name: 'x', namespace },
  };
  const spec = { provider: 'box', resource: 'crate', name: 'a/b', project: 'p', config: {} };
  await expect(fairlead.apply({ ...object, spec })).rejects.toThrow(/spec\.name/);
});
