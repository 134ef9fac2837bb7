// `fairlead history`, `apply --revision` and `diff --revision` on a real API.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newHome, spawnClient } from '../../support/clients/client.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `revisions-${randomUUID().slice(0, 8)}`;
const canary = 'canary-4f1a';
const home = newHome();
let api: ServedApi;
let ada: ApiCaller;
let variables: Readonly<Record<string, string>>;

beforeAll(async () => {
  api = await serveApi();
  const claims = { sub: 'ada' };
  ada = await api.caller(organization, claims);
  const schema = {
    type: 'object',
    properties: { 'size/gb': {}, auth: { properties: { password: { writeOnly: true } } } },
  };
  await ada.post('/resources/register', { provider: 'box', resource: 'crate', schema });
  const token = await api.issuer.token({ org_id: organization, ...claims });
  variables = { FAIRLEAD_URL: `http://127.0.0.1:${api.port}`, FAIRLEAD_TOKEN: token };
});

afterAll(() => api?.close());

async function apply(name: string, config: object): Promise<void> {
  const body = { provider: 'box', resource: 'crate', name, config };
  expect((await ada.post('/resources/apply', body)).status).toBe(200);
}

async function client(words: string) {
  return await (await spawnClient(words.split(' '), { variables, home })).result;
}

const configOf = async (name: string) =>
  ((await ada.get(`/resources/box/crate/${name}`)).body as { config: object }).config;

it('lists the revisions, and returns to one', async () => {
  await apply('a', { 'size/gb': 1 });
  await apply('a', { 'size/gb': 2, tier: 'large' });
  const list = await client('history box/crate/a');
  expect(list).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^REVISION +AGE +APPLIED BY +CHANGES\n2 \* +\S+ +ada +~ config\.size\/gb: 1 → 2; \+ config\.tier: "large"\n1 +\S+ +ada +created\n$/,
    ),
    stderr: expect.stringContaining('fairlead apply box/crate/a --revision 1'),
  });
  expect(await client('history box/crate/a -o name')).toMatchObject({ stdout: '2\n1\n' });
  const diff = await client('diff box/crate/a --revision 1 --exit-code');
  expect(diff).toMatchObject({ code: 3, stdout: expect.stringContaining('config.tier') });
  expect(await client('apply box/crate/a --revision 1 --draft --no-wait')).toMatchObject({
    code: 0,
  });
  expect(await configOf('a')).toEqual({ 'size/gb': 1 });
  expect(await client('history box/crate/a -o name')).toMatchObject({ stdout: '3\n2\n1\n' });
});

it('shows a revision as a file that can be applied', async () => {
  await apply('b', { n: 1 });
  await apply('b', { n: 2 });
  const { stdout } = await client('history box/crate/b --revision 1');
  expect(stdout).toMatch(
    /^resource: box\/crate\/b\nconfig:\n {2}"n": 1\nproject: \S+\nstate: draft\n$/,
  );
  expect(await client('history box/crate/b --revision 1 -o yaml')).toMatchObject({ stdout });
  const json = await client('history box/crate/b --revision 1 -o json');
  expect(JSON.parse(json.stdout)).toMatchObject({ revision: 1, config: { n: 1 }, masked: [] });
  writeFileSync(join(home, 'b.yaml'), stdout);
  expect(await client('apply -f b.yaml --no-wait')).toMatchObject({ code: 0 });
  expect(await configOf('b')).toEqual({ n: 1 });
});

it('refuses to apply a revision without its secrets, and names them', async () => {
  await apply('c', { n: 1, auth: { password: canary } });
  await apply('c', { n: 2, auth: { password: canary } });
  const refused = await client('apply box/crate/c --revision 1');
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /cannot be applied without its secrets\.[\s\S]*config\.auth\.password[\s\S]*fairlead history box\/crate\/c --revision 1 -o yaml > FILE/,
    ),
  });
  const { stdout } = await client('history box/crate/c --revision 1 -o yaml');
  expect(stdout).not.toContain(canary);
  writeFileSync(join(home, 'c.yaml'), stdout);
  expect(await client('apply -f c.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/lacks the secrets at \/config\/auth\/password/),
  });
  expect(await configOf('c')).toMatchObject({ n: 2 });
});

it.each([
  [
    'apply box/crate/a --revision 9',
    5,
    /Revision 9 of box\/crate\/a is not kept[\s\S]*Kept revisions: 3, 2, 1/,
  ],
  ['apply box/crate/none --revision 1', 5, /does not exist/],
  ['apply --revision 1', 2, /--revision takes one resource/],
  ['apply box/crate/a -f b.yaml --revision 1', 2, /--revision takes one resource/],
  ['history box/crate', 2, /must name one resource/],
])('explains why not: %s', async (words, code, message) => {
  expect(await client(words)).toMatchObject({ code, stderr: expect.stringMatching(message) });
});
