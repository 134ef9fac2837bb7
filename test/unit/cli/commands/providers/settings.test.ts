// `fairlead provider settings`: what is sent, and where a sensitive value may come from.
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answering, startAnswering } from '../../../../support/clients/answering.ts';

const at = { set_at: '2026-01-31T12:00:00.000Z', set_by: 's-1', set_by_name: 'Ann' };
const none = { is_set: false, value: null, set_at: null, set_by: null };
const setting = { description: '', required: false, sensitive: false };
const text = { type: 'string' };
const settings = {
  provider: 'crates',
  version: '20260131.120000',
  revision: null,
  secret: null as string | null,
  settings: [
    { ...setting, name: 'pool', schema: { type: 'integer', default: 5 }, ...none },
    { ...setting, name: 'region', schema: text, is_set: true, value: 'here', ...at },
    { ...setting, name: 'token', schema: text, required: true, sensitive: true, ...none },
  ],
  missing: ['token'],
};

const version = '20260131.120000';
/** What the deployment answers, one after the other; the last one again. */
let deployments: readonly object[] = [];
/** The answer to a change; undefined: it is accepted. */
let refusal: object | undefined;
let server: Answering;
let sent: { request: string; body: string }[];

beforeEach(async () => {
  sent = [];
  deployments = [];
  refusal = undefined;
  server = await startAnswering(({ method, url, text: body }) => {
    if (method === 'GET') return { body: bodyFor(url) };
    sent.push({ request: `${method} ${url}`, body });
    return refusal === undefined ? { body: bodyFor(url) } : { status: 422, body: refusal };
  });
  return server.stop;
});

function bodyFor(path: string): unknown {
  const [next, ...rest] = deployments;
  const isDeployed = next !== undefined;
  if (path === '/providers/') return [{ provider: 'crates', ...(isDeployed && { version }) }];
  if (!path.endsWith('/deployment')) return isDeployed ? { ...settings, missing: [] } : settings;
  if (rest.length > 0) deployments = rest;
  return { version, replicas: 1, ready_replicas: 1, message: '', ...next };
}

async function client(words: readonly string[], input = '', columns?: number) {
  const named = words[0] === 'get' ? ['crates'] : ['--provider', 'crates'];
  return await server.client(['provider', 'settings', ...words, ...named].join(' '), {
    input,
    ...(columns === undefined ? {} : { columns }),
  });
}

describe('set', () => {
  const path = '/providers/crates/settings';
  const cases: Record<string, readonly [words: string[], input: string, values: object]> = {
    'takes plain values as arguments': [
      ['region=there', 'pool=10'],
      '',
      { region: 'there', pool: 10 },
    ],
    'takes text that looks like JSON as text': [['region=10'], '', { region: '10' }],
    'takes everything behind the first sign': [['region=a=b'], '', { region: 'a=b' }],
    'reads one value from standard input, without its last newline': [
      ['token'],
      's3cr3t\nwith two lines\n',
      { token: 's3cr3t\nwith two lines' },
    ],
    'reads one value beside arguments': [['region=x', 'token'], 'y', { region: 'x', token: 'y' }],
  };
  it.each(Object.entries(cases))('%s', async (_name, [words, input, values]) => {
    const result = await client(['set', ...words], input);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(sent).toEqual([{ request: `PATCH ${path}`, body: JSON.stringify({ values }) }]);
  });

  const refused: Record<string, readonly [words: string[], input: string, says: RegExp]> = {
    'a sensitive value as an argument': [['token=s3cr3t'], '', /token is sensitive.*history/],
    'an unknown name': [['toke'], 's3cr3t', /no setting "toke"[\s\S]*pool, region, token/],
    'two values on standard input': [['region', 'token'], 's3cr3t', /one setting at a time/],
    'no value': [['token'], '', /no value for token/],
    'text for a number': [['pool=many'], '', /pool must be JSON of type integer/],
  };
  it.each(Object.entries(refused))('refuses %s', async (_name, [words, input, says]) => {
    const result = await client(['set', ...words], input);
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(says);
    expect(result.stderr + result.stdout).not.toContain('s3cr3t');
    expect(sent).toEqual([]);
  });

  const message = `New pods of version ${version} are starting`;
  it('waits until the new values serve', async () => {
    deployments = [
      { status: 'pending' },
      { status: 'progressing', message },
      { status: 'available' },
    ];
    const { code, stderr } = await client(['set', 'region=there']);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(message) });
    expect(stderr).toMatch(/crates 20260131\.120000 serves with the new values\.\n$/);
  });

  it('ends with the words of the deployment when the pods do not run', async () => {
    const says = 'Provider crates cannot run: the settings do not work: wrong password';
    deployments = [{ status: 'progressing' }, { status: 'failed', message: says }];
    const { code, stderr } = await client(['set', 'region=there']);
    expect(code).toBe(1);
    expect(stderr).toContain('crates does not run with the new values.');
    expect(stderr).toContain(says);
    expect(stderr).toContain('fairlead provider settings set --provider crates region');
    expect(stderr).not.toContain('rollback');
  });

  it('does not wait with --no-wait', async () => {
    deployments = [{ status: 'progressing' }];
    expect(await client(['set', 'region=there', '--no-wait'])).toMatchObject({ code: 0 });
  });

  it('shows the sentence of a provider that refuses them', async () => {
    const type = 'settings_refused';
    const detail = [{ loc: ['body', 'values'], msg: 'The store does not answer', type }];
    refusal = { detail, code: type };
    const { stderr } = await client(['set', 'region=there']);
    expect(stderr).toBe(
      'Error: The store does not answer.\n  Correct the values, and set them again.\n',
    );
  });

  it('only previews with --dry-run', async () => {
    const { stderr } = await client(['set', 'region=there', '--dry-run']);
    expect(sent).toMatchObject([{ request: `PATCH ${path}?dry_run=true` }]);
    expect(stderr).toContain('Nothing was changed');
  });
});

it('unset removes each', async () => {
  expect(await client(['unset', 'region', 'pool'])).toMatchObject({ code: 0 });
  expect(sent.map(({ request }) => request)).toEqual([
    'DELETE /providers/crates/settings/region',
    'DELETE /providers/crates/settings/pool',
  ]);
});

it('get shows values, defaults, and what is missing', async () => {
  const { stdout, stderr } = await client(['get'], '', 100);
  expect(stdout).toMatch(/pool +5 \(default\)/);
  expect(stdout).toMatch(/region +here .* Ann\n/);
  expect(stdout).toMatch(/token +not set +yes/);
  expect(stderr).toContain(
    'Not set: token.  Set them: fairlead provider settings set crates token',
  );
});

it.each([
  [['set', 'crates', 'region=there'], 'PATCH /providers/crates/settings'],
  [['set', 'crates', 'region'], 'PATCH /providers/crates/settings'],
  [['unset', 'crates', 'region'], 'DELETE /providers/crates/settings/region'],
])('takes the provider as the first argument of %j', async (words, request) => {
  const result = await server.client(`provider settings ${words.join(' ')}`, { input: 'there' });
  expect(result, result.stderr).toMatchObject({ code: 0 });
  expect(sent).toMatchObject([{ request }]);
});
