import { describe, expect, it } from 'vitest';
import type { Provider } from '../../../../../src/api/shapes.ts';
import { shownLine } from '../../../../../src/console/components/log/line-text.ts';
import { commandsOf } from '../../../../../src/console/pages/providers/commands.ts';
import {
  providerState,
  roleOf,
  rolloutState,
} from '../../../../../src/console/pages/providers/rollout.ts';
import {
  settingInput,
  shownValue,
  typedValue,
} from '../../../../../src/console/pages/providers/setting-input.ts';

const pods = (status: Provider['status'], available: number, replicas = 1) => ({
  version: '2',
  status,
  ready_replicas: available,
  available_replicas: available,
  replicas,
});

const provider = (more: Partial<Provider>) => ({ status: 'pending', ...more }) as Provider;

describe('a rollout', () => {
  it.each([
    [pods('progressing', 0), 'running'],
    // What serves is already there while more pods start.
    [pods('available', 1, 2), 'running'],
    [pods('available', 2, 2), 'serving'],
    [pods('failed', 1), 'failed'],
    [{ ...pods('available', 1), version: '3' }, 'replaced'],
  ] as const)('with %j is %s', (deployment, expected) => {
    expect(rolloutState(deployment, '2')).toBe(expected);
  });

  it.each([
    [{ hosted: true, version: null }, 'not deployed'],
    [{ hosted: false, version: null }, 'pending'],
    [{ hosted: true, version: '1' }, 'pending'],
  ])('of the provider %j is shown as %s', (given, expected) => {
    expect(providerState(provider(given))).toBe(expected);
  });

  it('knows the deployed version, and the one before', () => {
    const given = provider({ version: '2', previous_version: '1' });
    const roles = ['1', '2', '3'].map((version) => roleOf(version, given));
    expect(roles).toEqual(['previous', 'current', undefined]);
  });
});

describe('the value of a setting', () => {
  const schemas = {
    text: { type: 'string' },
    number: { type: 'integer' },
    boolean: { type: 'boolean' },
    choice: { enum: ['a', 'b'], type: 'string' },
    json: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  };

  it('has a field for its type', () => {
    const kinds = Object.values(schemas).map((schema) => settingInput(schema).kind);
    expect(kinds).toEqual(Object.keys(schemas));
    expect(settingInput(null).kind).toBe('json');
    expect(settingInput({ enum: [1, 2] }).kind).toBe('json');
  });

  it.each([
    ['text', ' 5 ', { value: ' 5 ' }],
    ['text', '', { value: '' }],
    ['number', ' 5 ', { value: 5 }],
    ['number', '5 m', { problem: 'not-a-number' }],
    ['number', 'Infinity', { problem: 'not-a-number' }],
    ['boolean', 'false', { value: false }],
    ['boolean', '', { problem: 'empty' }],
    ['choice', 'b', { value: 'b' }],
    ['choice', '', { problem: 'empty' }],
    ['json', '{"a":[1]}', { value: { a: [1] } }],
    ['json', 'text', { problem: 'not-json' }],
    ['json', ' ', { problem: 'empty' }],
  ] as const)('as %s of %j is %j', (kind, typed, expected) => {
    expect(typedValue(settingInput(schemas[kind]), typed)).toEqual(expected);
  });

  it.each([
    ['text', 'a', 'a'],
    ['boolean', false, 'false'],
    ['json', 'a', '"a"'],
    ['text', null, ''],
  ] as const)('as %s stands in its field: %j', (kind, value, expected) => {
    expect(shownValue(settingInput(schemas[kind]), value)).toBe(expected);
  });
});

it('shows a line of a log without its colours, and with the signs that would reverse it', () => {
  expect(shownLine('\u001b[31mred\u001b[0m \u202eevil <b>')).toBe('red \\u202eevil <b>');
});

it.each([
  ['versions', '', 'fairlead build list box'],
  ['build', 'job=box-20260131-120000', 'fairlead build logs box-20260131-120000'],
  ['build', '', 'fairlead build logs box'],
  ['logs', "since=1h&resource=box/crate/a'b", "--since 1h --resource 'box/crate/a'\\''b'"],
  ['logs', 'previous=true&version=1', 'fairlead logs box --previous --version 1'],
  ['settings', '', 'fairlead provider settings get box'],
])('has the command of the tab %s with %j', (tab, query, expected) => {
  expect(commandsOf('box', tab, new URLSearchParams(query)).join('\n')).toContain(expected);
});
