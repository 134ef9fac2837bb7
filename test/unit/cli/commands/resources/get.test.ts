import { beforeEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { declarationsIn } from '../../../../../src/cli/resources/declarations/declaration.ts';
import { editedSource } from '../../../../../src/cli/resources/declarations/source.ts';
import { Interrupted } from '../../../../../src/cli/terminal/errors/cli-error.ts';
import { widthOf } from '../../../../../src/client/width.ts';
import {
  type Answer,
  type Answering,
  type AskedRequest,
  startAnswering,
} from '../../../../support/clients/answering.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';
import { eventually } from '../../../../support/runner/eventually.ts';

let server: Answering;
let answer: (request: AskedRequest) => Answer;
let asked: readonly AskedRequest[];

beforeEach(async () => {
  server = await startAnswering((request) => answer(request));
  ({ asked } = server);
  return server.stop;
});

const failed = {
  lifecycle_state: 'failed' as const,
  reason: 'AttemptsExhausted',
  message: 'connect ECONNREFUSED \u001b[2J127.0.0.1:5432',
};

const client = (argv: readonly string[], options = {}) => server.client(argv.join(' '), options);

it('lists the pages of resources as a table, and sums up on standard error', async () => {
  answer = ({ url: path }) =>
    path.includes('cursor')
      ? { body: [resourceRecord('shop', failed)] }
      : {
          headers: { link: '</resources/?cursor=2>; rel="next"' },
          body: [resourceRecord('orders')],
        };
  const { code, stdout, stderr } = await client(['get']);
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      'RESOURCE                  STATE     AGE  REASON',
      'postgres/database/orders  ✓ ready   5m',
      'postgres/database/shop    ✗ failed  5m   connect ECONNREFUSED \\u001b[2J127.0.0.1:5432 [AttemptsExhausted]',
      '',
    ].join('\n'),
  );
  expect(stderr).toBe(
    '2 resources: 1 ready, 1 failed.  Why: fairlead why postgres/database/shop\n',
  );
  expect(asked[0]?.headers.authorization).toBe('Bearer secret');
});

const longName = 'orders-2026-archive-of-the-region-north-west-eu';

it.each([40, 60, 80, 120])('[F16] fits resources and reasons into %i columns', async (columns) => {
  const why = 'Its provider refused it for a reason that takes more than one line of a terminal';
  answer = ({ url: path }) => {
    if (!path.includes('explanation')) return { body: [resourceRecord(longName, failed)] };
    const step = { why, do: 'edit', resource: `postgres/database/${longName}` };
    const chain = [
      {
        ...{ kind: 'resource', ref: step.resource, state: 'failed' },
        ...{ reason: 'ProviderFailed', message: null, since: null },
      },
    ];
    const none = { event: null, dead_letter: null, log_excerpt: [], users: [] };
    return { body: { summary: `${why}. ${why}.`, chain, ...none, next: [step] } };
  };
  // Only a name alone may be longer than the line.
  const isBroken = (line: string) => widthOf(line) > columns && !/^ +\S+$/.test(line);
  const variables = { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: server.url, NO_COLOR: '1' };
  const list = await client(['get'], { columns, variables });
  expect(list.stdout).toMatch(/-eu +✗ failed/);
  expect(list.stdout.split('\n').filter(isBroken)).toEqual([]);
  expect(list.stderr).toContain(`fairlead why postgres/database/${longName}\n`);
  const wide = await client(['get', '-o', 'wide'], { columns, variables });
  expect(wide.stdout.trimEnd().split('\n')).toHaveLength(2);
  const name = `postgres/database/${longName}`;
  const { stdout } = await client(['why', name], { columns, variables });
  const step = columns === 120 ? '^ {9}fairlead edit ' : '^ {2}fairlead edit \\\\\n {4}';
  expect(stdout).toMatch(new RegExp(`${step}${name}$`, 'm'));
  expect(stdout.split('\n').filter(isBroken)).toEqual([]);
});

it('breaks no line on a terminal that does not know its size', async () => {
  answer = () => ({ body: [resourceRecord(longName, failed)] });
  const variables = { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: server.url, NO_COLOR: '1' };
  const { stdout } = await client(['get'], { columns: 0, variables });
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
});

it.each([
  ['name', 'postgres/database/orders\n'],
  ['value=outputs.url', 'postgres://orders\n'],
  ['ndjson', `${JSON.stringify(resourceRecord('orders'))}\n`],
  ['json', `${JSON.stringify([resourceRecord('orders')], null, 2)}\n`],
  ['yaml', 'resource: postgres/database/orders\nconfig:\n  name: orders\nproject: default\n'],
])('prints a list as %s, and no words around it', async (format, expected) => {
  answer = () => ({ body: [resourceRecord('orders')] });
  expect(await client(['get', '-o', format])).toEqual({ code: 0, stdout: expected, stderr: '' });
});

it('shows the name of who applied, and the subject of objects that have none', async () => {
  const named = { applied_by: 's-1', applied_by_name: 'Ada\u001b[2J' };
  const records = [resourceRecord('orders', named), resourceRecord('crm', { applied_by: 's-2' })];
  answer = () => ({ body: records });
  const { stdout } = await client(['get', '-o', 'wide']);
  expect(stdout).toMatch(/orders .* Ada\\u001b\[2J /);
  expect(stdout).toMatch(/crm .* s-2 /);
  expect((await client(['get', '-o', 'json'])).stdout).toContain('"applied_by": "s-1"');
  const entry = { hash: null, applied_at: null, current: true, kept: false, changes: null };
  answer = () => ({ body: [{ revision: 1, ...entry, ...named }] });
  const history = await client(['history', 'postgres/database/orders']);
  expect(history.stdout).toMatch(/^1 \* .* Ada/m);
});

it('shows projects by name, and writes the name, which is the same in every environment', async () => {
  const project_id = 'default-559d219400eb';
  answer = () => ({ body: [resourceRecord('orders', { project_id, project_name: 'default' })] });
  expect((await client(['get', '-o', 'wide'])).stdout).toMatch(/ default /);
  expect((await client(['get', '-o', 'yaml'])).stdout).toContain('\nproject: default\n');
  expect((await client(['get', '-o', 'json'])).stdout).toContain(`"project_id": "${project_id}"`);
});

it.each([
  [
    'get postgres --failed -l a',
    'include&secrets=hide&lifecycle_state=failed&tags=a&provider=postgres',
  ],
  ['get -p billing', 'include&secrets=hide&project_id=billing'],
  ['get --deleting', 'only&secrets=hide'],
])('%s asks for %s', async (words, query) => {
  answer = () => ({ body: [] });
  await client(words.split(' '));
  expect(asked[0]?.url).toBe(`/resources/?deleting=${query}&limit=1000`);
  await client(['get', 'postgres/database/orders']);
  const one = '/resources/postgres%2Fdatabase%2Forders?deleting=include&secrets=hide';
  expect(asked.at(-1)?.url).toBe(one);
});

it.each([
  [
    404,
    { detail: 'Resource not found', code: 'resource_not_found' },
    5,
    'The resources that exist: fairlead get',
  ],
  [403, { detail: 'No role', code: 'forbidden' }, 4, 'Your organization and role: fairlead whoami'],
  [409, { detail: 'It is busy', code: 'a_code_of_tomorrow' }, 6, ''],
  [418, { detail: 'Short', code: 'x', help: 'Boil water.' }, 2, 'Boil water.'],
])('ends with the exit code of a %i answer', async (status, body, code, next) => {
  answer = () => ({ status, body });
  const result = await client(['get', 'a/b/c']);
  expect(result).toEqual({
    code,
    stdout: '',
    stderr: `Error: ${body.detail}.\n${next === '' ? '' : `  ${next}\n`}`,
  });
});

it.each([
  ['name', 'postgres/database/orders\n'],
  ['value=name', 'orders\n'],
])(
  'prints the resources of a command that exist as %s, and an error for each other',
  async (format, stdout) => {
    answer = ({ url: path }) => {
      if (path.startsWith('/resources/?')) return { body: [resourceRecord('orders')] };
      return path.includes('orders')
        ? { body: resourceRecord('orders') }
        : { status: 404, body: { detail: 'Resource not found', code: 'resource_not_found' } };
    };
    const names = ['shop', 'orders', 'crm'].map((name) => `postgres/database/${name}`);
    const result = await client(['get', ...names, '-o', format]);
    expect(result).toEqual({
      code: 5,
      stdout,
      stderr: [
        'Error: postgres/database/shop does not exist.',
        'Error: postgres/database/crm does not exist.',
        '  The resources that exist: fairlead get',
        '',
      ].join('\n'),
    });
  },
);

it('applies filters to names and selectors alike, and lists no more than the selectors', async () => {
  answer = ({ url: path }) => {
    if (path.includes('orders')) return { body: resourceRecord('orders') };
    if (path.includes('shop')) return { body: resourceRecord('shop', failed) };
    return { body: [resourceRecord('crm', failed)] };
  };
  const names = ['postgres/database/orders', 'postgres/database/shop', 'postgres'];
  const { code, stdout } = await client(['get', ...names, '--failed', '-o', 'name']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'postgres/database/crm\npostgres/database/shop\n',
  });
  expect(asked).toHaveLength(3);
});

const deletion_requested_at = '2026-01-31T12:04:00.000Z';
const leaves = resourceRecord('leaves', { lifecycle_state: 'processing', deletion_requested_at });
const held = resourceRecord('held', {
  ...{ lifecycle_state: 'failed', reason: 'DeleteFailed', message: 'locked: Legal hold' },
  deletion_requested_at,
});

it.each<[string, string, readonly string[], string]>([
  ['get', 'one', ['orders', 'held'], '1 more is being deleted: fairlead get --deleting'],
  [
    'get -p web',
    'two',
    ['leaves', 'held'],
    '2 more are being deleted: fairlead get --deleting --project web',
  ],
  ['get --set a', 'of a set', ['held'], '1 more is being deleted: fairlead get --deleting --set a'],
  [
    'get --all-projects',
    'all',
    ['leaves'],
    '1 more is being deleted: fairlead get --deleting --all-projects',
  ],
])('%s hides and counts what is being deleted: %s', async (words, _, names, note) => {
  const all = [resourceRecord('orders'), leaves, held];
  answer = () => ({ body: all.filter(({ name }) => names.includes(name)) });
  const { code, stdout, stderr } = await client(words.split(' '));
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/leaves|held/);
  expect(stderr.split('\n').slice(1)).toEqual([note, '']);
});

it('shows what is being deleted when it is asked for or named, and counts it then no more', async () => {
  answer = ({ url: path }) => ({ body: path.includes('held') ? held : [held, leaves] });
  const asked = await client(['get', '--deleting']);
  expect(asked.stdout).toMatch(/held +✗ failed +5m +Legal hold \[DeleteFailed, locked\]\n/);
  expect(asked.stdout).toMatch(/leaves +◐ deleting/);
  expect(asked.stderr).toBe(
    '2 resources: 1 deleting, 1 failed.  Why: fairlead why postgres/database/held\n',
  );
  const named = await client(['get', 'postgres/database/held', 'postgres']);
  expect(named.stdout).toMatch(/^.*\n.*held +✗ failed.*\n$/);
  expect(named.stderr).toContain('\n1 more is being deleted');
});

it('[F26] ends a watch with Ctrl-C without an error', async () => {
  answer = () => ({ body: [resourceRecord('orders')] });
  const interrupt = new AbortController();
  const watch = client(['get', '-w'], { signal: interrupt.signal });
  await eventually(() => expect(asked.length).toBeGreaterThan(0));
  interrupt.abort(new Interrupted());
  expect(await watch).toMatchObject({ code: 130, stderr: '' });
});

it('follows with --deleting only what is being deleted, also what has failed', async () => {
  answer = () => ({ body: [resourceRecord('orders'), held, leaves] });
  const { stdout } = await client(['get', '-w', '--deleting', '--timeout', '200ms']);
  expect(stdout).toMatch(/held +✗ failed.*DeleteFailed/);
  expect(stdout).toMatch(/leaves +◐ deleting/);
  expect(stdout).not.toContain('orders');
});

it('follows with --set only its members', async () => {
  answer = () => ({ body: [resourceRecord('orders'), resourceRecord('cart', { set: 'shop' })] });
  const { stdout } = await client(['get', '-w', '--set', 'shop', '--timeout', '200ms']);
  expect(stdout).toContain('cart');
  expect(stdout).not.toContain('orders');
});

it('names the source and the claims of a token that the API refuses', async () => {
  answer = () => ({ status: 401, body: { detail: 'Not authenticated', code: 'unauthenticated' } });
  const claims = Buffer.from(JSON.stringify({ iss: 'https://id.example', aud: 'x', exp: 0 }));
  const FAIRLEAD_TOKEN = `h.${claims.toString('base64url')}.s`;
  const { code, stderr } = await client(['get'], {
    variables: { FAIRLEAD_URL: server.url, FAIRLEAD_TOKEN },
  });
  expect(code).toBe(4);
  expect(stderr).toMatch(
    /does not accept the token of FAIRLEAD_TOKEN\.\n {2}iss +https:\/\/id\.example\n/,
  );
  expect(stderr).toMatch(/exp +0 \(1970-01-01T00:00:00\.000Z\)/);
  expect(stderr).not.toContain(FAIRLEAD_TOKEN);
});

it('repeats what may be repeated, and says so with -v without the token', async () => {
  answer = () => (asked.length < 3 ? { status: 503, body: {} } : { body: [] });
  const { code, stderr } = await client(['get', '-v', '-q']);
  expect(code).toBe(0);
  expect(asked).toHaveLength(3);
  expect(stderr).toMatch(
    /status 503; again in 1s\n.*status 503; again in 1s\nGET \/resources\/\?deleting=include&secrets=hide&limit=1000 {2}200 {2}\d+ ms/,
  );
  expect(stderr).not.toMatch(/secret(?!s=hide)/);
});

it('does not follow a redirect, to which it would send its token', async () => {
  answer = () => ({ status: 308, headers: { location: 'https://elsewhere.example' }, body: {} });
  const { code, stderr } = await client(['get']);
  expect(code).toBe(8);
  expect(stderr).toContain('redirects to https://elsewhere.example');
});

const namespace = 'fl-acme-d4ab8dc05ddb';

async function manifestsOf(...records: readonly ReturnType<typeof resourceRecord>[]) {
  answer = ({ url: path }) => ({ body: path === '/auth/me' ? { namespace } : records });
  return await client(['get', '-o', 'manifest']);
}

it('prints the manifest that Git holds', async () => {
  const { code, stdout } = await manifestsOf(
    resourceRecord('shop', { project_id: 'default-d4ab8dc05ddb', config: { size: 5 } }),
  );
  expect(code).toBe(0);
  expect(stdout).toBe(`apiVersion: fairlead.dev/v1alpha1
kind: Resource
metadata:
  name: postgres.database.shop
  namespace: fl-acme-d4ab8dc05ddb
spec:
  provider: postgres
  resource: database
  name: shop
  config:
    size: 5
`);
});

const special = resourceRecord('Shop_2', {
  project_id: 'billing',
  lifecycle_state: 'draft',
  tags: ['a'],
  dependencies: [{ provider: 'postgres', resource: 'role', name: 'seller' }],
  adopt: { id: '7' },
  ...{ protected: true, paused: true, deletion_policy: 'delete', management: 'observed' },
  observe: { every: '5m', ignore: ['/size'], on_drift: 'correct' },
});

it('prints what differs from the defaults, as apply reads it', async () => {
  const { stdout } = await manifestsOf(special, resourceRecord('other'));
  const [first, other] = parseAllDocuments(stdout).map((each) => each.toJS());
  expect(other.spec.project).toBe('default');
  expect(first.metadata.name).toMatch(/^postgres-database-shop-2-[0-9a-f]{16}$/);
  expect(first.spec).toEqual({
    ...{ provider: 'postgres', resource: 'database', name: 'Shop_2', project: 'billing' },
    ...{ lifecycle: 'Draft', config: special.config, tags: ['a'], adopt: { id: '7' } },
    dependencies: special.dependencies,
    ...{ protected: true, paused: true, deletionPolicy: 'Delete', management: 'Observed' },
    observe: { every: '5m', ignore: ['/size'], onDrift: 'Correct' },
  });
  const [declared] = await declarationsIn([editedSource('shop.yaml', stdout)]);
  expect(declared?.body).toEqual({
    ...{ provider: 'postgres', resource: 'database', name: 'Shop_2', project_id: 'billing' },
    ...{ lifecycle_state: 'draft', config: special.config, tags: ['a'], adopt: { id: '7' } },
    dependencies: special.dependencies,
    ...{ protected: true, paused: true, deletion_policy: 'delete', management: 'observed' },
    observe: { every: '5m', ignore: ['/size'], on_drift: 'correct' },
  });
});

it('prints no manifest without its secrets', async () => {
  const { code, stderr } = await manifestsOf(
    resourceRecord('shop', { masked: ['config.password'] }),
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain('The secret at config.password is not shown to viewers');
});
