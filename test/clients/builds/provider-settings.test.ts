// The settings of a provider on a whole Fairlead: a deploy waits for them, handlers get them, a change replaces the pods, and
// a sensitive value is nowhere but in the Secret.
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Author, authorOf } from '../../support/fixtures/code/author.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type Caller, Fairlead } from '../../support/servers/fairlead.ts';

const canaries = [1, 2, 3].map((n) => `canary-${n}-${randomUUID()}`);
const [first = '', second = '', third = ''] = canaries;
const seen = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 12);

/** Its outputs show which token the handler had, without the token. */
const source = `import { createHash } from 'node:crypto';
import { provider, z } from 'fairlead/provider';
const settings = z.object({
  region: z.string().default('here'),
  pool: z.object({ size: z.int() }).optional(),
  token: z.string().min(8).describe('Token of the store').meta({ sensitive: true }),
});
const made = ({ settings: { region, token, pool } }) => ({
  label: region + '/' + String(pool?.size ?? 0),
  url: createHash('sha256').update(token).digest('hex').slice(0, 12),
});
const crates = provider('crates', {
  settings,
  check({ settings: { region, token }, log }) {
    log.info('checks ' + token);
    if (region === 'nowhere') throw new Error('No store in nowhere takes ' + token);
  },
});
const crate = crates.resource('crate', {
  description: 'A crate',
  config: z.strictObject({
    size: z.int(),
    password: z.string().meta({ sensitive: true }).optional(),
  }),
  outputs: z.object({ label: z.string(), url: z.string() }),
  async create(call) {
    const { config, settings } = call;
    console.log('creates', config, settings);
    if (config.password !== undefined) throw new Error('no luck with ' + config.password);
    return made(call);
  },
  update: async (call) => made(call),
  async delete() {},
});
export default crates.types(crate);
`;

let fairlead: Fairlead;
let author: Author;
let acme: Caller;
let namespace: string;
/** Everything that HTTP answered. */
const answers: string[] = [];

async function send(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${fairlead.url}/providers/crates${path}`, {
    method,
    headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  answers.push(text);
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, body: isJson ? (JSON.parse(text) as unknown) : text, text };
}

beforeAll(async () => {
  const env = {
    FAIRLEAD_RETRY_BASE_MS: '100',
    FAIRLEAD_NPM_REGISTRY: inject('npmRegistry'),
    FAIRLEAD_LOG_LEVEL: 'debug',
    FAIRLEAD_MIN_READY_SECONDS: '1',
  };
  fairlead = await Fairlead.start({ env });
  author = await authorOf(fairlead, 'acme');
  ({ caller: acme, namespace } = author);
});

afterAll(() => fairlead?.destroy());

it('refuses settings before code declares them', async () => {
  const refused = await send('PATCH', '/settings', { values: { token: first } });
  expect(refused).toMatchObject({ status: 404, body: { code: 'build_not_found' } });
});

it('waits with a deploy for required settings, and continues when they are set', async () => {
  const { version } = await author.built(source);
  expect((await send('POST', '/deploy', {})).status).toBe(200);
  const command = 'fairlead provider settings set --provider crates token';
  await author.deploymentIs({
    status: 'failed',
    message: `Version ${version} requires settings that are not set: token; set them with: ${command}`,
  });
  const reason = "jsonpath={.status.conditions[?(@.type=='Ready')].reason}";
  const path = ['get', 'provider', 'crates', '-n', namespace, '-o', reason];
  expect(await fairlead.kubectl(...path)).toBe('SettingsMissing');

  const set = await send('PATCH', '/settings', { values: { token: first, pool: { size: 3 } } });
  expect(set, set.text).toMatchObject({ status: 200, body: { missing: [], version } });
  await author.deploymentIs({ status: 'available', version });
  await author.apply('a', 1);
  await author.becomes('a', { label: 'here/3', url: seen(first) });
});

it('replaces the pods when a setting changes', async () => {
  await send('PATCH', '/settings', { values: { token: second, region: 'there' } });
  await author.deploymentIs({ status: 'available' });
  await author.apply('a', 2);
  await author.becomes('a', { label: 'there/3', url: seen(second) });
});

it('refuses values with which the version that serves does not work, before anything is written', async () => {
  const before = await send('GET', '/settings');
  for (const method of ['PATCH', 'PUT']) {
    // A PATCH leaves the token in place, which only the pod can read.
    const values = { region: 'nowhere', ...(method === 'PUT' && { token: second }) };
    const refused = await send(method, '/settings', { values });
    expect(refused, refused.text).toMatchObject({
      status: 422,
      body: { code: 'settings_refused' },
    });
    expect(refused.text).toContain('No store in nowhere takes (token)');
  }
  expect((await send('GET', '/settings')).body).toEqual(before.body);
  const { body } = await send('GET', '/deployment');
  expect(body).toMatchObject({ status: 'available' });
});

it('takes the values from a Secret that others keep', async () => {
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'from-vault', namespace },
    stringData: { region: 'vault', pool: '{"size":7}', token: third, other: 'hidden' },
  });
  const settingsSecret = (name: string | null) =>
    fairlead.kubectl(
      ...['patch', 'provider', 'crates', '-n', namespace, '--type=merge'],
      ...['-p', JSON.stringify({ spec: { settingsSecret: name } })],
    );
  await settingsSecret('from-vault');
  await author.deploymentIs({ status: 'available' });
  await author.apply('a', 3);
  await author.becomes('a', { label: 'vault/7', url: seen(third) });
  const refused = await send('PATCH', '/settings', { values: { token: second } });
  expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('from-vault') });
  await settingsSecret(null);
  await author.deploymentIs({ status: 'available' });
  await author.apply('a', 4);
  await author.becomes('a', { label: 'there/3', url: seen(second) });
});

it('a viewer reads no secret of a resource in the log of its provider', async () => {
  const password = `canary-${randomUUID()}`;
  const id = { provider: 'crates', resource: 'crate', name: 'locked' };
  await acme.post('/resources/apply', {
    ...id,
    config: { size: 1, password },
    lifecycle_state: 'pending',
  });
  const viewer = await fairlead.caller('acme', '--role', 'viewer');
  const log = await eventually(async () => {
    const answer = await fetch(`${fairlead.url}/providers/crates/logs`, {
      headers: { authorization: `Bearer ${viewer.token}` },
    });
    const text = await answer.text();
    expect(text).toContain('A handler failed');
    return text;
  });
  expect(log).toContain('"error":"Error: no luck with [masked]');
  expect(log).toContain("creates { size: 1, password: '[masked]' }");
  expect(log).not.toContain(password);
});

it('shows a sensitive value nowhere', async () => {
  const shown = await send('GET', '/settings');
  expect(shown.body).toMatchObject({
    settings: [
      { name: 'pool', value: { size: 3 } },
      { name: 'region', value: 'there', is_set: true },
      { name: 'token', sensitive: true, value: null, is_set: true, set_by: expect.any(String) },
    ],
  });
  await send('PUT', '/settings', { values: { token: [second] } });
  await send('PATCH', '/settings', { value: { token: second } });
  await send('GET', '/logs');
  await send('GET', '/deployment');
  const kinds = (
    await fairlead.kubectl('api-resources', '--namespaced', '--verbs=list', '-o', 'name')
  )
    .split('\n')
    .filter((kind) => kind !== '' && kind !== 'secrets');
  const objects = await fairlead.kubectl('get', kinds.join(','), '-n', namespace, '-o', 'json');
  const secrets = await fairlead.kubectl('get', 'secrets', '-n', namespace, '-o', 'json');
  const places = { answers: answers.join('\n'), output: fairlead.output, objects };
  for (const canary of canaries) {
    for (const text of [canary, Buffer.from(canary).toString('base64')]) {
      for (const [place, content] of Object.entries(places)) {
        expect(content.includes(text), `${canary} in ${place}`).toBe(false);
      }
    }
  }
  expect(places.answers).toContain('there');
  expect(places.objects).toContain('"region"');
  // The value that was replaced is gone; the present one is there.
  expect(secrets).not.toContain(Buffer.from(first).toString('base64'));
  expect(secrets).toContain(Buffer.from(second).toString('base64'));
});
