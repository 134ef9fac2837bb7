// `fairlead type get`: the fields of the config and of the outputs.
import { beforeEach, expect, it } from 'vitest';
import { startAnswering } from '../../../../support/clients/answering.ts';
import { runClient } from '../../../../support/clients/client.ts';

const text = { type: 'string' };
const form = (kind: string, properties: object) => ({
  type: 'object',
  properties: { kind: { const: kind }, ...properties },
  required: ['kind'],
});
const type = {
  ...{ provider: 'net', resource: 'firewall', description: 'A firewall.', retired: false },
  ...{ concurrency: null, operation_limit_seconds: null },
  schema: {
    properties: {
      name: { ...text, description: 'Its name', minLength: 1 },
      mode: { enum: ['drop', 'reject'], default: 'drop', immutable: true },
      rules: {
        type: 'array',
        items: { oneOf: [form('port', { port: { type: 'integer' } }), form('any', {})] },
      },
    },
    required: ['name'],
  },
  outputs_schema: {
    properties: { address: text, password: { ...text, writeOnly: true } },
    required: ['address'],
  },
  adopt_schema: null,
  type_version: 1,
  earlier_versions: [],
};

let url: string;
let types: readonly object[];

beforeEach(async () => {
  const started = await startAnswering(() => ({ body: types }));
  url = started.url;
  return started.stop;
});

const get = (...words: string[]) =>
  runClient(['type', 'get', 'net/firewall', ...words], {
    variables: { FAIRLEAD_TOKEN: 'token', FAIRLEAD_URL: url, NO_COLOR: '1' },
  });
const lines = (text: string) => text.replaceAll(/ +$/gm, '').split('\n');

it('shows the fields of the config and of the outputs', async () => {
  types = [type];
  const { stdout, stderr } = await get();
  expect(lines(stdout)).toEqual([
    'net/firewall',
    'A firewall.',
    '',
    'Config',
    '  name   string             required  Its name',
    '  mode   "drop" | "reject"            default "drop"; (immutable)',
    '  rules  array',
    '',
    'Outputs',
    '  address   string  required',
    '  password  string            (sensitive)',
    '',
  ]);
  expect(stderr).toBe('Fields within fields: fairlead type get net/firewall --all\n');
});

it('shows items, forms by their discriminator, and limits with --all', async () => {
  types = [type];
  const { stdout, stderr } = await get('--all');
  expect(lines(stdout).slice(4, 13)).toEqual([
    '  name                     string             required  Its name; minLength 1',
    '  mode                     "drop" | "reject"            default "drop"; (immutable)',
    '  rules                    array',
    '  rules[]                  object',
    '  rules[](kind=port)       object',
    '  rules[](kind=port).kind  "port"             required',
    '  rules[](kind=port).port  integer',
    '  rules[](kind=any)        object',
    '  rules[](kind=any).kind   "any"              required',
  ]);
  expect(stderr).toBe('');
});

it('shows a type without schemas', async () => {
  types = [{ ...type, schema: null, outputs_schema: null }];
  expect(lines((await get('--all')).stdout)).toEqual([
    ...['net/firewall', 'A firewall.', '', 'Any config is valid: the type has no schema.', ''],
  ]);
});

it('shows how often its objects are observed, and what identifies one', async () => {
  const adopt_schema = { properties: { id: { ...text, description: 'Its id' } }, required: ['id'] };
  types = [{ ...type, observable: true, observe_every: null, listable: true, adopt_schema }];
  const shown = lines((await get()).stdout);
  expect(shown.slice(2, 4)).toEqual([
    'Observed every 1h, and imported by id.',
    'Its objects: fairlead import --list net/firewall',
  ]);
  expect(shown.slice(-4)).toEqual(['', 'Adopt', '  id  string  required  Its id', '']);
});

it('shows what tells its objects apart', async () => {
  const pointers = { region: '/region', id: '/cloud/id' };
  types = [{ ...type, identity: { outputs: pointers, adopt: pointers } }];
  expect(lines((await get()).stdout)[2]).toBe(
    'Its objects are told apart by region, id: each has one resource.',
  );
});

it('shows the version of a type, and which others it accepts', async () => {
  const earlier = [1, 2].map((type_version) => ({ type_version, schema: {} }));
  types = [{ ...type, type_version: 3, earlier_versions: earlier }];
  expect(lines((await get()).stdout)).toContain('Version 3; also accepts 1, 2.');
});
