// `fairlead get --drift`, `observe`, `correct`, `apply --from-actual` and `import -f` on a real API; this test writes what the
// controller would.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { contentHashOf } from '../../../src/store/resources/content.ts';
import { newHome, runClient } from '../../support/clients/client.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `drift-${randomUUID().slice(0, 8)}`;
const home = newHome();
const config = { region: 'eu', size: 20 };
let api: ServedApi;
let admin: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;
let variables: Readonly<Record<string, string>>;
let ref: string;

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller(organization);
  const properties = { region: { type: 'string', immutable: true }, size: { type: 'number' } };
  const type = { provider: 'box', resource: 'crate', schema: { type: 'object', properties } };
  await admin.post('/resources/register', { ...type, observe: true });
  objects = resourceObjects(api, organization);
  const token = await api.issuer.token({ org_id: organization });
  variables = { FAIRLEAD_URL: `http://127.0.0.1:${api.port}`, FAIRLEAD_TOKEN: token };
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
});

/** A resource that its provider has made, with what was observed of it. */
beforeEach(async () => {
  const name = `c${randomUUID().slice(0, 8)}`;
  ref = `box/crate/${name}`;
  const tuple = { provider: 'box', resource: 'crate', name };
  const observe = { every: '10m', on_drift: 'report' };
  const body = { ...tuple, config, lifecycle_state: 'pending', observe };
  expect((await admin.post('/resources/apply', body)).status).toBe(200);
  await objects.settled(ref);
  const content = contentHashOf((await objects.get(ref)).spec);
  await objects.says(ref, { state: 'ready', reason: 'Processed', appliedConfig: config, content });
});

const drifted = (path: string, declared: unknown, actual: unknown) =>
  objects.says(ref, {
    reason: 'Drifted',
    drift: {
      ...{ since: '2026-01-31T12:00:00.000Z', kind: 'Changed', total: 1, compared: 2, unknown: 0 },
      changes: [{ path, declared: JSON.stringify(declared), actual: JSON.stringify(actual) }],
    },
  });

const client = (words: string, input = '') =>
  runClient(words.split(' '), { home, variables, input });

it('lists what has drifted, and applies again what it has printed', async () => {
  expect((await client('get --drift -o name')).stdout).not.toContain(ref);
  await drifted('/size', 20, 50);
  expect((await client('get --drift -o name')).stdout).toContain(ref);
  expect((await client(`get ${ref}`)).stdout).toContain('  /size  declared 20  actual 50\n');
  for (const format of ['yaml', 'json']) {
    const { stdout } = await client(`get ${ref} -o ${format}`);
    expect(stdout).toContain('10m');
    const again = await client('apply -f -', stdout);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('unchanged')]);
  }
});

it('declares what is there, and replaces nothing for it', async () => {
  await drifted('/size', 20, 50);
  const diff = await client(`diff ${ref} --from-actual`);
  expect(diff.stdout).toBe(
    `~ ${ref}\n    ~ config.size: 20 → 50\n    has drifted: fairlead get ${ref}\n`,
  );
  expect(await client(`apply ${ref} --from-actual --yes`)).toMatchObject({ code: 0 });
  expect((await objects.get(ref)).spec).toMatchObject({
    config: { region: 'eu', size: 50 },
    observe: { every: '10m' },
  });
  expect((await objects.get(ref)).spec).not.toHaveProperty('replace');
});

it('does not declare another value of a field that cannot change', async () => {
  await drifted('/region', 'eu', 'us');
  const { code, stderr } = await client(`apply ${ref} --from-actual --yes`);
  expect(code).toBe(2);
  expect(stderr).toContain(`fairlead correct ${ref}`);
  expect((await objects.get(ref)).spec.config).toEqual(config);
});

it('has what differs corrected by an event', async () => {
  await drifted('/size', 20, 50);
  const { code, stdout } = await client(`correct ${ref}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(/(?:pending|processing)/);
  expect((await objects.get(ref)).spec).toMatchObject({ config, retry: 1 });
});

it('waits for the observation that it has asked for', async () => {
  const at = '2026-01-31T12:00:00.000Z';
  const earlier = { request: 'earlier', at, exists: true, compared: 2, unknown: 0 };
  await objects.says(ref, { observation: earlier });
  const { code, stdout, stderr } = await client(`observe ${ref}`);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`${ref} was not observed: No process of provider box is ready.`);
});

it('imports a document once, and keeps what it imports', async () => {
  const name = `i${randomUUID().slice(0, 8)}`;
  const file = `resource: box/crate/${name}\nadopt: {id: x}\nconfig: {size: 1}\n`;
  const imported = client('import -f -', file);
  const content = await eventually(async () => {
    await objects.settled(`box/crate/${name}`);
    return contentHashOf((await objects.get(`box/crate/${name}`)).spec);
  });
  const found = {
    state: 'ready',
    reason: 'Imported',
    appliedConfig: { size: 1 },
    content,
  } as const;
  await objects.says(`box/crate/${name}`, found);
  expect(await imported).toMatchObject({ code: 0, stdout: expect.stringMatching(/ imported\n/) });
  const again = await client('import -f -', file);
  expect(again.stdout).toContain('unchanged');
  const { stdout } = await client(`get box/crate/${name} -o yaml`);
  expect(stdout).toContain('adopt:\n  id: x\n');
  expect(stdout).not.toContain('deletion_policy');
  const shown = await client(`get box/crate/${name}`);
  expect(shown.stdout).toContain('orphaned on delete');
  const other = await client('apply -f -', file.replace('id: x', 'id: y'));
  expect([other.code, other.stderr]).toEqual([6, expect.stringContaining('adopt')]);
});
