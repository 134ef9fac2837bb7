// Secrets of records over HTTP: editors see them, viewers see null and the paths, wherever a record appears.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { openEvents } from '../../support/runner/event-stream.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `hidden-${randomUUID().slice(0, 8)}`;
const canary = 'canary-7be1';
const masked = ['/config/password', '/outputs/url'];
const id = 'box:crate:a';
let api: ServedApi;
let editor: ApiCaller;
let viewer: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;
let audited: string[] = [];

const body = (name: string, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config: { size: 1, password: canary } },
  ...more,
});

beforeAll(async () => {
  api = await serveApi({ audit: (line) => audited.push(line) });
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
    appliedConfig: { size: 1, password: canary },
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

  it.each([
    ['viewers', () => viewer, ''],
    ['editors who ask to hide secrets', () => editor, 'secrets=hide'],
  ] as const)('shows null and the paths to %s', async (_who, caller, query) => {
    const answer = await caller().get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    expect(answer.text).not.toContain(canary);
    const [record] = [answer.body].flat();
    expect(record).toMatchObject({
      config: { size: 1, password: null },
      outputs: { host: 'db', url: null },
      masked,
    });
  });

  it('leaves an audit line when it shows secrets, and one for the next ten minutes', async () => {
    audited = [];
    const reader = await api.caller(organization, { roles: ['editor'], sub: `reader-${path}` });
    const separator = path.includes('?') ? '&' : '?';
    await viewer.get(path);
    await reader.get(`${path}${separator}secrets=hide`);
    await reader.get('/resources/types');
    for (const _ of [1, 2]) await reader.get(path);
    await reader.post('/projects', { id: `${path.length}` });
    const lines = await eventually(() => {
      const found = audited.map((line) => JSON.parse(line));
      expect(found.map(({ method }) => method)).toContain('POST');
      return found;
    });
    const isList = path.startsWith('/resources/?') || path === '/resources/';
    expect(lines.filter(({ method }) => method === 'GET')).toMatchObject([
      {
        ...{ subject: `reader-${path}`, role: 'editor', outcome: 'succeeded', status: 200 },
        target: isList ? {} : { resource_id: 'resource:box_crate_a' },
      },
    ]);
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
    openEvents(api, {
      token: await api.issuer.token({
        org_id: organization,
        roles: [role],
        sub: `watching-${role}`,
      }),
    });
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
    audited = [];
    shown.close();
    hidden.close();
  }
  await eventually(() => {
    expect(audited.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'GET', operation: 'listResources', role: 'editor', status: 200 },
    ]);
  });
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

describe('the secret of the config that was applied', () => {
  const before = 'canary-old-91';
  const applied = { password: before };
  const outputs = { host: 'db', url: `postgres://x:${before}@db` };

  it('[K26] stays hidden in the outputs while another one takes its place, and after that failed', async () => {
    await editor.post('/resources/apply', body('rotated', { config: applied }));
    await objects.says('box/crate/rotated', { outputs, appliedConfig: applied });
    const token = await api.issuer.token({ org_id: organization, roles: ['viewer'] });
    const stream = await openEvents(api, { token });
    try {
      const config = { password: 'canary-new-91' };
      expect((await editor.post('/resources/apply', body('rotated', { config }))).status).toBe(200);
      await objects.says('box/crate/rotated', { state: 'failed', reason: 'ProviderFailed' });
      await eventually(() => expect(stream.text).toContain('resource:box_crate_rotated'));
      const path = '/resources/box/crate/rotated';
      const answers = [await viewer.get(path), await viewer.get('/resources/')];
      const waited = await viewer.send('GET', path, { headers: { prefer: 'wait=1' } });
      for (const { text } of [...answers, waited, stream]) {
        expect(text).toContain('"host":"db"');
        expect(text).not.toContain(before);
      }
      expect(answers[0]?.body).toMatchObject({ outputs: { host: 'db', url: null } });
    } finally {
      stream.close();
    }
  });

  it('stays hidden when a new version of the type renames its field', async () => {
    const admin = await api.caller(organization);
    const marked = { type: 'string', writeOnly: true };
    const register = (properties: object) => {
      const schema = { type: 'object', properties };
      const type = { provider: 'box', resource: 'renamed', schema };
      return admin.post('/resources/register', type);
    };
    await register({ password: marked });
    const named = (config: object) => body('r', { resource: 'renamed', config });
    await editor.post('/resources/apply', named(applied));
    await register({ credentials: { type: 'object', properties: { password: marked } } });
    const path = '/resources/box/renamed/r';
    expect((await viewer.get(path)).body).toMatchObject({
      config: { password: null },
      masked: ['/config/password'],
    });
    await editor.post('/resources/apply', named({ credentials: { password: 'canary-new' } }));
    const answers = [path, `${path}/history`, `${path}/history/1`, `${path}/history/2`];
    for (const each of answers) expect((await viewer.get(each)).text).not.toContain('canary');
    const kept = await objects.history('box/renamed/r');
    expect(kept).toContain('"masked":["/config/password"]');
    expect(kept).not.toContain('canary');
  });

  it('stays hidden for a content that kubectl declared, which has no record of its secrets', async () => {
    const admin = await api.caller(organization);
    const properties = { credentials: { sensitive: true }, size: { type: 'integer' } };
    const schema = { type: 'object', properties };
    await admin.post('/resources/register', { provider: 'box', resource: 'old', schema });
    await editor.post('/resources/apply', body('o', { resource: 'old' }));
    await objects.annotate('box/old/o', { 'fairlead.dev/revision': '' });
    expect((await viewer.get('/resources/box/old/o')).body).toMatchObject({
      config: { size: 1, password: null },
      masked: ['/config/password'],
    });
  });
});

it('[K27] hides numbers that are secret, in outputs as numbers and in texts', async () => {
  const admin = await api.caller(organization);
  const schema = { type: 'object', properties: { pin: { type: 'integer', writeOnly: true } } };
  await admin.post('/resources/register', { provider: 'box', resource: 'safe', schema });
  const config = { pin: 482_913 };
  await editor.post('/resources/apply', body('s', { resource: 'safe', config }));
  const outputs = { note: 'pin 482913', other: 482_913, size: 17 };
  await objects.says('box/safe/s', { outputs, appliedConfig: config });
  const answer = await viewer.get('/resources/box/safe/s');
  expect(answer.body).toMatchObject({
    config: { pin: null },
    outputs: { note: null, other: null, size: 17 },
  });
  expect(answer.text).not.toContain('482913');
});

describe('a secret output', () => {
  const token = { type: 'string', sensitive: true };
  const marking = { type: 'object', properties: { token } };
  const outputs = { token: canary, id: 'safe-1' };
  const path = '/resources/box/vault/v';

  it.each<[string, object]>([
    ['of the type now', { outputs_schema: marking }],
    [
      'of an earlier version, which stored outputs still have',
      {
        type_version: 2,
        earlier_versions: [{ type_version: 1, schema: {}, outputs_schema: marking }],
      },
    ],
    ['that was marked when the provider returned it', {}],
  ])('%s is null for viewers wherever the record appears', async (_name, type) => {
    const admin = await api.caller(organization);
    await admin.post('/resources/register', { provider: 'box', resource: 'vault', ...type });
    await editor.post('/resources/apply', body('v', { resource: 'vault', config: {} }));
    const recorded = 'type_version' in type || 'outputs_schema' in type ? [] : ['/token'];
    await objects.says('box/vault/v', { outputs, appliedConfig: {}, outputsSecrets: recorded });
    await eventually(async () => {
      for (const each of [
        path,
        '/resources/?resource=vault',
        '/resources/?resource=vault&limit=5',
      ]) {
        const [record] = [(await viewer.get(each)).body].flat();
        expect(record, each).toMatchObject({
          outputs: { token: null, id: 'safe-1' },
          masked: ['/outputs/token'],
        });
      }
    });
    expect((await editor.get(path)).body).toMatchObject({ outputs });
  });

  it('stays hidden in what another provider makes of it, and the reference stays readable', async () => {
    const reference = '$' + '{box/vault/v.outputs.token}';
    const config = { url: `http://${reference}` };
    await editor.post('/resources/apply', body('user', { config }));
    const url = `http://${canary}`;
    const said = { outputs: { said: url, port: 80 }, appliedConfig: { url } };
    await objects.says('box/crate/user', {
      ...said,
      appliedSecrets: [],
      receivedSecrets: ['/url'],
    });
    await eventually(async () =>
      expect((await viewer.get('/resources/box/crate/user')).body).toMatchObject({
        config,
        outputs: { said: null, port: 80 },
        masked: ['/outputs/said'],
      }),
    );
  });
});
