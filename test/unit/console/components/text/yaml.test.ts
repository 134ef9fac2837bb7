import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlText } from '../../../../../src/console/components/text/yaml.ts';
import type { JsonValue } from '../../../../../src/lib/json.ts';

describe('the YAML printer', () => {
  it('prints maps, lists and texts of several lines in block style', () => {
    const value = {
      name: 'orders',
      empty: {},
      none: [],
      list: [{ a: 1, b: [true] }, [null]],
      key: 'a\nb\n',
    };
    expect(yamlText(value)).toBe(
      'name: orders\nempty: {}\nnone: []\nlist:\n  - a: 1\n    b:\n      - true\n  - - null\nkey: |\n  a\n  b\n',
    );
  });

  it('says what is hidden in place of its value', () => {
    const value = { user: 'a', password: null, keys: [null, { 'a/b': null }] };
    const hidden = new Set(['/password', '/keys/0', '/keys/1/a~1b']);
    expect(yamlText(value, { hidden })).toBe(
      'user: a\npassword: # hidden\nkeys:\n  - # hidden\n  - a/b: # hidden\n',
    );
  });

  it.each<JsonValue>([
    '',
    ' a',
    'a ',
    'a b',
    'a: b',
    'a:b',
    'a #b',
    'a:',
    '- a',
    '# a',
    '~',
    'null',
    'True',
    'no',
    '1',
    '1e3',
    '0x1f',
    '.5',
    '1:30',
    '2026-01-31',
    '---',
    '...',
    '<<',
    '=',
    '*a',
    '&a',
    '!a',
    '|',
    '>',
    '%a',
    '@a',
    '`a',
    '"a"',
    "'a'",
    '{a',
    '[a',
    'a,b',
    '\t',
    '\r\n',
    'a\n',
    'a\nb',
    'a\n\n',
    '\na',
    ' a\nb',
    'a\n b',
    'a\n\nb',
    'a \nb',
    'a\n\tb',
    'a\rb\n',
    '\u2028',
    'a\u0085b',
    '\ufeff',
    '\ud800',
    '😀\n😀',
    'a\n---\nb',
    '---\n',
    '...\na',
    'Ünïcode',
    -0.5,
    1e21,
    1e-7,
    0,
    true,
    null,
    [],
    {},
    [[]],
    [{}],
    [[[1], 'a\nb']],
    { '': '' },
    { 'a b': 1, 'a: b': 2, true: 3, '1': 4, '- a': 5, 'a\nb': 6, '?': 7 },
    [{ a: 'x\ny\n', b: { c: ['x\ny'] } }],
  ])('prints %j so that it is read as the same', (value) => {
    expect(parse(yamlText(value))).toEqual(value);
    expect(parse(yamlText({ a: { b: [value] } }))).toEqual({ a: { b: [value] } });
    expect(parse(yamlText(value), { version: '1.1' })).toEqual(value);
  });
});
