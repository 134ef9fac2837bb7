// Secrets of records over HTTP: editors see them, viewers see null and the paths, wherever a record appears.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvents } from '../../support/event-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { resourceObjects } from '../../support/resource-objects.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/served-api.ts';

const organization = `hidden-${randomUUID().slice(0, 8)}`;
const canary = 'canary-7be1';
const masked = ['/config/password', '/outputs/url'];
const id = 'box:crate:a';
let api: ServedApi;
let editor: ApiCaller;
let viewer: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;

const body = (name: string, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config: { size: 1, password: canary } },
  ...more,
});

beforeAll(async () => {
  api = await serveApi();
  const admin = await api.caller(organization);
  editor = await api.caller(organization, { roles: ['editor'] });
  viewer = await api.caller(organization, { roles: ['viewer'] });
  objects = resourceObjects(api, organization);
  const properties = { password: { type: 'string', writeOnly: true } };
  const schema = { type: 'object', properties };
  await admin.post('/resources/register', { provider: 'box', resource: 'crate', schema });
  await editor.post('/resources/apply', body('a'));
  await objects.says('box/crate/a', {
    ...{ state: 'draft', reason: 'Draft', outputs: { host: 'db', url: `http://x:${canary}@db` } },
  });
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
});

const reads: readonly (readonly [string, string])[] = [
  ['a resource', `/resources/${id}`],
  ['a resource by its tuple', '/resources/box/crate/a'],
  ['a list', '/resources/'],
  ['a page', '/resources/?limit=5'],
];

describe.each(reads)('%s', (_name, path) => {
  it('shows secrets to editors, in the bodies of before', async () => {
    const { text } = await editor.get(path);
    expect(text.split(canary)).toHaveLength(3);
    expect(text).not.toContain('masked');
  });

  it('shows null and the paths to viewers', async () => {
    const answer = await viewer.get(path);
    expect(answer.text).not.toContain(canary);
    const [record] = [answer.body].flat();
    expect(record).toMatchObject({
      config: { size: 1, password: null },
      outputs: { host: 'db', url: null },
      masked,
    });
  });
});

it('hides secrets in answers that waited, with the ETag of everybody', async () => {
  const headers = { prefer: 'wait=5' };
  const hidden = await viewer.send('GET', `/resources/${id}`, { headers });
  expect(hidden.headers['preference-applied']).toBe('wait=5');
  expect(hidden.body).toMatchObject({ config: { password: null }, masked });
  const shown = await editor.get(`/resources/${id}`);
  expect(shown.headers.etag).toBe(hidden.headers.etag);
});

it('hides secrets in watches, beside watches that show them', async () => {
  const asRole = async (role: string) =>
    openEvents(api, { token: await api.issuer.token({ org_id: organization, roles: [role] }) });
  const [shown, hidden] = [await asRole('editor'), await asRole('viewer')];
  try {
    await editor.post('/resources/apply', body('b'));
    for (const each of [shown, hidden]) {
      await eventually(() => expect(each.text).toContain('resource:box_crate_b'));
    }
    expect(shown.text).toContain(canary);
    expect(hidden.text).not.toContain(canary);
    expect(hidden.text).toContain('"masked":["/config/password"]');
  } finally {
    shown.close();
    hidden.close();
  }
});

it('hides everything of a type that is not registered', async () => {
  await editor.post('/resources/apply', body('unknown', { resource: 'chest' }));
  expect((await viewer.get('/resources/box/chest/unknown')).body).toMatchObject({
    config: { size: null, password: null },
    masked: ['/config/password', '/config/size'],
  });
});

it('follows a new schema of the type', async () => {
  const admin = await api.caller(organization);
  const schema = { type: 'object', properties: { size: { sensitive: true } } };
  await admin.post('/resources/register', { provider: 'box', resource: 'case', schema: {} });
  await editor.post('/resources/apply', body('c', { resource: 'case' }));
  const path = '/resources/box/case/c';
  expect((await viewer.get(path)).text).toContain(canary);
  await admin.post('/resources/register', { provider: 'box', resource: 'case', schema });
  expect((await viewer.get(path)).body).toMatchObject({ masked: ['/config/size'] });
});

it('refuses to store what a viewer read, and accepts it with the secrets', async () => {
  const record = (await viewer.get(`/resources/${id}`)).body as Record<string, unknown>;
  const refused = await editor.post('/resources/apply', record);
  expect(refused).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'masked'], msg: expect.stringMatching(/read by a viewer/) }] },
  });
  const { config } = body('a');
  const whole = { ...record, config, masked: [] };
  expect((await editor.post('/resources/apply', whole)).status).toBe(200);
});
