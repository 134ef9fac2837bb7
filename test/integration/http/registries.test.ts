// The private npm registries of an organization over HTTP, against a real API server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { registriesName } from '../../../src/domain/providers/registries.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { configMapKind, secretKind } from '../../../src/store/kinds.ts';
import { deployedCode } from '../../support/fixtures/code/deployed-code.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const organization = 'registries';
const canary = 'canary-7c21';
const { api, admin: acme } = deployedCode(organization);
let client: StreamingClient;

beforeAll(() => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
});

afterAll(() => client?.close());

const url = 'https://npm.example.com/acme/';
const put = (scope: string, body: object, query = '') =>
  acme.send('PUT', `/registries/${encodeURIComponent(scope)}${query}`, { body });
const list = async () => (await acme.get('/registries/')).body;

interface Stored extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const ref = () => ({
  namespace: organizationOf(api().issuer.url, organization).namespace,
  name: registriesName,
});

it('keeps the token in a Secret, and shows it nowhere', async () => {
  expect(await list()).toEqual([]);
  const preview = await put('@acme', { url, token: canary }, '?dry_run=true');
  expect(preview).toMatchObject({ status: 200, body: { scope: '@acme', url } });
  expect(await list()).toEqual([]);

  const ann = await api().caller(organization, { sub: 's-1', preferred_username: 'Ann' });
  const body = { url, token: canary };
  const set = await ann.send('PUT', '/registries/@acme', { body });
  const shown = {
    scope: '@acme',
    url,
    set_at: expect.any(String),
    set_by: 's-1',
    set_by_name: 'Ann',
  };
  expect(set).toMatchObject({ status: 200, body: shown });
  expect((await put('@beta', { url: 'https://beta.example/', token: 'b' })).status).toBe(200);
  expect(await list()).toMatchObject([shown, { scope: '@beta' }]);

  const { data = {} } = await client.get<Stored>(secretKind, ref());
  expect(Buffer.from(data['acme'] ?? '', 'base64').toString()).toBe(
    `@acme:registry=${url}\n//npm.example.com/acme/:_authToken=${canary}\n`,
  );
  const record = await client.get<Stored>(configMapKind, ref());
  for (const text of [set.text, JSON.stringify(await list()), JSON.stringify(record)]) {
    expect(text).not.toContain(canary);
  }

  expect((await acme.delete('/registries/@acme')).status).toBe(204);
  expect(await list()).toMatchObject([{ scope: '@beta' }]);
  expect(Object.keys((await client.get<Stored>(secretKind, ref())).data ?? {})).toEqual(['beta']);
  const again = await acme.delete('/registries/@betta');
  expect(again).toMatchObject({ status: 404, text: expect.stringContaining('@beta') });
});

it.each([
  ['a plain connection', '@acme', { url: 'http://npm.example.com/', token: 't' }],
  ['a password in the address', '@acme', { url: 'https://a:b@npm.example.com/', token: 't' }],
  ['a line break in the address', '@acme', { url: 'https://npm.example.com/a\nb', token: 't' }],
  ['a line break in the token', '@acme', { url, token: `${canary}\nregistry=x` }],
  ['a variable in the token', '@acme', { url, token: `\${HOME}${canary}` }],
  ['no token', '@acme', { url }],
  ['a name that is no scope', 'acme', { url, token: 't' }],
])('refuses %s', async (_name, scope, body) => {
  const answer = await put(scope, body);
  expect(answer.status, answer.text).toBe(422);
  expect(answer.text).not.toContain(canary);
});

it.each([
  ['text that is no JSON', '{'],
  ['a list', '[]'],
  ['a record without an address', '{"scope":"@broken","setAt":"2026-01-01T00:00:00Z","setBy":"s"}'],
  [
    'the record of another scope',
    '{"scope":"@other","url":"https://x/","setAt":"2026-01-01T00:00:00Z","setBy":"s"}',
  ],
  ['a time that is none', '{"scope":"@broken","url":"https://x/","setAt":"soon","setBy":"s"}'],
])('[H31] leaves out %s, written with kubectl', async (_name, text) => {
  expect((await put('@kept', { url, token: 't' })).status).toBe(200);
  await client.patch(configMapKind, ref(), { data: { broken: text } });
  const listed = await acme.get('/registries/');
  expect(listed.status, listed.text).toBe(200);
  const scopes = (listed.body as { scope: string }[]).map(({ scope }) => scope);
  expect(scopes).toContain('@kept');
  expect(scopes).not.toContain('@broken');
  expect((await acme.delete('/registries/@broken')).status).toBe(404);
  expect((await put('@broken', { url, token: 't' })).status, 'it can be set again').toBe(200);
  expect((await acme.delete('/registries/@broken')).status).toBe(204);
});

it('permits http on this machine', async () => {
  expect((await put('@local', { url: 'http://127.0.0.1:4873/', token: 't' })).status).toBe(200);
});

it('lets viewers read, and nobody but admins write', async () => {
  const viewer = await api().caller(organization, { roles: ['viewer'] });
  expect((await viewer.get('/registries/')).status).toBe(200);
  const body = { url, token: 't' };
  expect((await viewer.send('PUT', '/registries/@acme', { body })).status).toBe(403);
  expect((await viewer.delete('/registries/@local')).status).toBe(403);
});
