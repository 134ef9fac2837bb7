// The settings of providers over HTTP, against a real API server; nothing runs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { kinds, secretKind } from '../../../src/store/kinds.ts';
import { settingsSecretOf } from '../../../src/store/providers/settings-secret.ts';
import { crate, deployedCode } from '../../support/fixtures/code/deployed-code.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const organization = 'settings';
const canary = 'canary-9f41';
const { api, admin: acme, built, deploy } = deployedCode(organization);

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', pattern: '^[a-z]+$', default: 'here', description: 'Where it is' },
    size: { type: 'integer', minimum: 1 },
    token: { type: 'string', minLength: 4, sensitive: true },
  },
  required: ['token'],
};

interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

let client: StreamingClient;
let namespace: string;

beforeAll(() => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
  ({ namespace } = organizationOf(api().issuer.url, organization));
});

afterAll(() => client?.close());

const declares = (provider: string, settings: object = schema) =>
  built(provider, crate(), settings);
const settingsOf = (provider: string) => acme.get(`/providers/${provider}/settings`);
const send = (method: string, provider: string, values: object, query = '') =>
  acme.send(method, `/providers/${provider}/settings${query}`, { body: { values } });
const providerObject = (name: string) => client.get<Provider>(kinds.provider, { namespace, name });

/** @returns the values in the Secret */
async function stored(provider: string): Promise<Readonly<Record<string, string>>> {
  const { metadata } = await providerObject(provider);
  const name = settingsSecretOf(provider, metadata.uid ?? '');
  const { data = {} } = await client.get<SecretObject>(secretKind, { namespace, name });
  return Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
  );
}

describe('settings', () => {
  it('are shown before any is set', async () => {
    const version = await declares('fresh');
    const { body } = await settingsOf('fresh');
    const unset = { is_set: false, value: null, set_at: null, set_by: null };
    expect(body).toEqual({
      provider: 'fresh',
      version,
      revision: null,
      secret: null,
      settings: [
        expect.objectContaining({ ...unset, name: 'region', description: 'Where it is' }),
        expect.objectContaining({ ...unset, name: 'size', required: false, sensitive: false }),
        expect.objectContaining({ ...unset, name: 'token', required: true, sensitive: true }),
      ],
      missing: ['token'],
    });
  });

  it('are set one by one, replaced and removed', async () => {
    await declares('life');
    const first = await send('PATCH', 'life', { size: 3 });
    expect(first, first.text).toMatchObject({ status: 200, body: { missing: ['token'] } });
    expect(await stored('life')).toEqual({ size: '3' });
    const second = await send('PATCH', 'life', { token: canary });
    expect(second.body).toMatchObject({
      missing: [],
      settings: [{ name: 'region' }, { value: 3 }, { is_set: true, value: null }],
    });
    expect(await stored('life')).toEqual({ size: '3', token: canary });
    const third = await send('PUT', 'life', { token: 'another', region: 'there' });
    expect(third.status, third.text).toBe(200);
    expect(await stored('life')).toEqual({ region: 'there', token: 'another' });
    const gone = await acme.delete('/providers/life/settings/token');
    expect(gone.body).toMatchObject({ missing: ['token'] });
    expect(await stored('life')).toEqual({ region: 'there' });
    const revisions = [first, second, third, gone].map(
      ({ body }) => (body as { revision: string }).revision,
    );
    expect(new Set(revisions).size).toBe(4);
    for (const { text } of [first, second, third, gone]) expect(text).not.toContain(canary);
    expect(JSON.stringify(await providerObject('life'))).not.toContain(canary);
  });

  it('are recorded with who set them, and owned by the Provider', async () => {
    await declares('owned');
    const ann = await api().caller(organization, { sub: 's-1', preferred_username: 'Ann' });
    const values = { token: canary, size: 2 };
    const { body } = await ann.send('PATCH', '/providers/owned/settings', { body: { values } });
    const { settings } = body as { settings: readonly { name: string }[] };
    expect(settings).toContainEqual(
      expect.objectContaining({ name: 'token', set_by: 's-1', set_by_name: 'Ann' }),
    );
    const { metadata, spec } = await providerObject('owned');
    expect(spec.settings).toEqual({
      secret: settingsSecretOf('owned', metadata.uid ?? ''),
      revision: expect.any(String),
      values: { size: 2 },
      entries: expect.arrayContaining([
        {
          ...{ name: 'token', sensitive: true, setAt: expect.any(String) },
          ...{ setBy: 's-1', setByName: expect.stringMatching(/^[0-9a-f]{16} Ann$/) },
        },
      ]),
    });
    const name = settingsSecretOf('owned', metadata.uid ?? '');
    const secret = await client.get<KubeObject>(secretKind, { namespace, name });
    expect(secret.metadata.ownerReferences).toMatchObject([
      { kind: 'Provider', name: 'owned', uid: metadata.uid, controller: true },
    ]);
  });

  it('of several writers at once are all kept', async () => {
    await declares('race');
    const values = [{ region: 'there' }, { size: 7 }, { token: 'secret' }];
    const answers = await Promise.all(values.map((each) => send('PATCH', 'race', each)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stored('race')).toEqual({ region: 'there', size: '7', token: 'secret' });
    expect((await settingsOf('race')).body).toMatchObject({ missing: [] });
  });

  it('of a preview are not written', async () => {
    await declares('preview');
    const answer = await send('PATCH', 'preview', { token: canary }, '?dry_run=true');
    expect(answer).toMatchObject({ status: 200, body: { missing: [] } });
    expect(answer.headers['fairlead-plan']).toBe('update');
    expect((await settingsOf('preview')).body).toMatchObject({ revision: null });
  });

  it('stay when a version is deployed, whose schema then decides', async () => {
    const version = await declares('versions');
    await send('PATCH', 'versions', { token: canary });
    await deploy('versions', { version });
    await declares('versions', { type: 'object', properties: { url: { type: 'string' } } });
    expect((await settingsOf('versions')).body).toMatchObject({ version, missing: [] });
    const required = await acme.delete('/providers/versions/settings/token');
    expect(required).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await deploy('versions');
    const { body } = await settingsOf('versions');
    expect(body).toMatchObject({
      settings: [
        { name: 'url', is_set: false },
        { name: 'token', schema: null, sensitive: true, is_set: true, value: null },
      ],
    });
    expect((await acme.delete('/providers/versions/settings/token')).status).toBe(200);
    expect(await stored('versions')).toEqual({});
  });
});

describe('settings are rejected', () => {
  const at = (...loc: string[]) => ({ detail: [{ loc: ['body', 'values', ...loc] }] });
  const cases: Record<string, readonly [method: string, body: unknown, want: object]> = {
    'for an unknown name': [
      'PATCH',
      { values: { other: canary } },
      { detail: [{ msg: expect.stringContaining('region, size, token') }] },
    ],
    'for a value that does not fit': ['PATCH', { values: { size: 0 } }, at('size')],
    'for a text that does not match': ['PATCH', { values: { region: 'http://x' } }, at('region')],
    'for a sensitive value that does not fit': [
      'PATCH',
      { values: { token: { [canary]: canary } } },
      at('token'),
    ],
    'without a required one in a whole': ['PUT', { values: { size: 1 } }, at('token')],
    'in another shape': ['PUT', { value: { token: canary } }, {}],
    'as text': ['PATCH', { values: canary }, {}],
    'as JSON that would change': ['PATCH', `{"values":{"token":"${canary}","token":"x"}}`, {}],
  };
  it.each(Object.entries(cases))('%s', async (_name, [method, body, want]) => {
    await declares('rejected');
    const headers = { 'content-type': 'application/json' };
    const answer = await acme.send(method, '/providers/rejected/settings', { headers, body });
    expect(answer, answer.text).toMatchObject({ status: 422, body: want });
    expect(answer.text).not.toContain(`"${canary}`);
    expect(answer.text).not.toContain(`${canary}"`);
  });

  it('before code declares them', async () => {
    expect(await settingsOf('nowhere')).toMatchObject({ status: 404 });
    expect(await send('PUT', 'nowhere', {})).toMatchObject({
      status: 404,
      body: { code: 'build_not_found', detail: expect.stringContaining('push its code first') },
    });
  });

  it('by a version without settings', async () => {
    await built('plain');
    expect(await settingsOf('plain')).toMatchObject({ body: { settings: [], missing: [] } });
    expect(await send('PATCH', 'plain', { any: 1 })).toMatchObject({ status: 422 });
  });

  it('while another Secret has them', async () => {
    await declares('vault');
    await deploy('vault');
    const ref = { namespace, name: 'vault' };
    await client.patch(kinds.provider, ref, { spec: { settingsSecret: 'from-vault' } });
    for (const refused of [
      await send('PATCH', 'vault', { token: canary }),
      await send('PUT', 'vault', { token: canary }),
      await acme.delete('/providers/vault/settings/token'),
    ]) {
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'conflict', detail: expect.stringContaining('from-vault') },
      });
    }
    expect((await settingsOf('vault')).body).toMatchObject({
      secret: 'from-vault',
      missing: [],
      settings: [{ is_set: null }, { is_set: null }, { is_set: null, value: null }],
    });
  });

  it('when they are together too large for a Secret', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `s${at}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: 'string', sensitive: true }]),
    );
    await declares('large', { type: 'object', properties });
    const half = (all: readonly string[]) =>
      Object.fromEntries(all.map((name) => [name, 'x'.repeat(60_000)]));
    expect((await send('PATCH', 'large', half(names.slice(0, 10)))).status).toBe(200);
    const answer = await send('PATCH', 'large', half(names.slice(10)));
    expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } });
  });

  it('for others than administrators of the organization', async () => {
    await declares('mine');
    await send('PATCH', 'mine', { token: canary });
    const editor = await api().caller(organization, { roles: ['editor'] });
    const path = '/providers/mine/settings';
    expect((await editor.send('PATCH', path, { body: { values: {} } })).status).toBe(403);
    expect((await editor.delete(`${path}/size`)).status).toBe(403);
    const viewer = await api().caller(organization, { roles: ['viewer'] });
    const seen = await viewer.get(path);
    expect(seen.status).toBe(200);
    expect(seen.text).not.toContain(canary);
    const others = await api().caller('settings-of-others');
    expect((await others.get(path)).status).toBe(404);
  });
});
