import { describe, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../../src/api/shapes.ts';
import { readJson } from '../../../../../../src/console/components/text/json-text.ts';
import {
  editBody,
  violationOffset,
} from '../../../../../../src/console/pages/resource/edit/edit-body.ts';
import { editOf, isTyped } from '../../../../../../src/console/pages/resource/edit/edit-form.ts';
import { readYaml } from '../../../../../../src/console/pages/resource/edit/yaml-text.ts';

describe('the reader of JSON', () => {
  it.each([
    ['', 'expected a value', 1, 1],
    ['{"a": 1', 'expected , or }', 1, 8],
    ['{\n  "a": 1,\n}', 'expected a name in double quotes', 3, 1],
    ['{\n  "a": 1\n  "b": 2\n}', 'expected , or }', 3, 3],
    ['{a: 1}', 'expected a name in double quotes', 1, 2],
    ['{"a" 1}', 'expected :', 1, 6],
    ['[1, ]', 'expected a value', 1, 5],
    ["{'a': 1}", 'expected a name in double quotes', 1, 2],
    ['{"a": "x\ny"}', 'expected a value', 1, 7],
    ['{"a": "\\x"}', 'expected a value', 1, 7],
    ['{"a": 01}', 'expected , or }', 1, 8],
    ['{"a": NaN}', 'expected a value', 1, 7],
    ['{"a": nulls}', 'expected , or }', 1, 11],
    ['{} {}', 'expected the end', 1, 4],
    ['{"a": 1, "\\u0061": 2}', 'duplicate a', 1, 10],
    ['{"a": 9007199254740993}', 'number 9007199254740993', 1, 7],
    ['{"a": 1e999}', 'number 1e999', 1, 7],
    [`${'['.repeat(10_000)}`, 'deep 500', 1, 502],
  ])('refuses %j', (text, what, line, column) => {
    const read = readJson(text);
    const problem = 'problem' in read ? read.problem : undefined;
    expect(`${problem?.kind} ${problem?.what}`).toBe(what);
    expect([problem?.line, problem?.column]).toEqual([line, column]);
  });

  it.each([
    '{}',
    ' [1, -0.5e3, "\\u00e9\\"", true, null, {"a": {}}] ',
    '"é😀"',
    '{"__proto__": 1}',
  ])('reads %s as JSON.parse does', (text) =>
    expect(readJson(text)).toMatchObject({ value: JSON.parse(text) }),
  );

  it('knows where values are', () => {
    const text = '{"a": {"b": [10, {"c": 1}]}}';
    const read = readJson(text);
    const offsets = 'offsets' in read ? read.offsets : new Map<string, number>();
    const place = (...names: (string | number)[]) => {
      const offset = violationOffset(['body', 'config', ...names], offsets);
      return offset === undefined ? undefined : text.slice(offset, offset + 4);
    };
    expect(place('a', 'b', 1)).toBe('{"c"');
    expect(place('a', 'missing')).toBe('{"b"');
    expect(violationOffset(['body', 'tags', 0], offsets)).toBeUndefined();
  });
});

describe('the reader of YAML', () => {
  it.each([
    ['size: 1\n owner: a', 'yaml Nested mappings are not allowed in compact mappings', 1, 7],
    ['a: 1\na: 2', 'yaml Map keys must be unique', 2, 1],
    ['a: !file x', 'yaml Unresolved tag: !file', 1, 4],
    ['a: 1\n---\nb: 2', 'yaml The config is one document', 2, 1],
    ['a: 9007199254740993', 'number 9007199254740993', 1, 4],
    ['a: .inf', 'number .inf', 1, 4],
    ['a: *b', 'yaml Unresolved alias (the anchor must be set before the alias): b', 1, 1],
  ])('refuses %j', (text, what, line, column) => {
    const read = readYaml(text);
    const problem = 'problem' in read ? read.problem : undefined;
    expect(`${problem?.kind} ${problem?.what}`).toBe(what);
    expect([problem?.line, problem?.column]).toEqual([line, column]);
  });

  it('knows where values are', () => {
    const text = 'a:\n  b: [10, {c: 1}]\nempty:\n';
    const read = readYaml(text);
    const offsets = 'offsets' in read ? read.offsets : new Map<string, number>();
    const place = (...names: (string | number)[]) => {
      const offset = violationOffset(['body', 'config', ...names], offsets);
      return offset === undefined ? undefined : text.slice(offset, offset + 5);
    };
    expect(place('a', 'b', 1)).toBe('{c: 1');
    expect(place('a', 'missing')).toBe('b: [1');
    expect(place('empty')).toBe('\n');
  });
});

describe('an edit', () => {
  const record = {
    ...{ provider: 'postgres', resource: 'database', name: 'orders', project_id: 'p' },
    ...{ lifecycle_state: 'ready', config: { size: 1 }, tags: ['a', ' b,c'] },
  } as Partial<ResourceRecord> as ResourceRecord;
  const edit = editOf({ record, etag: '"1"' });
  const bodyIn = async (changed: Partial<typeof edit>) => {
    const made = await editBody({ ...edit, ...changed });
    return 'body' in made ? made.body : made.problem;
  };

  it('leaves what is not changed as it is', async () => {
    expect(isTyped(edit)).toBe(false);
    expect(await bodyIn({})).toEqual({
      ...{ provider: 'postgres', resource: 'database', name: 'orders', project_id: 'p' },
      ...{ config: { size: 1 }, lifecycle_state: 'pending' },
    });
  });

  it('sends what is typed, and dependencies of a revision', async () => {
    const dependencies = [{ provider: 'a', resource: 'b', name: 'c' }];
    expect(await bodyIn({ config: '{"size": 2}', tags: 'x\n\n y ', dependencies })).toMatchObject({
      ...{ config: { size: 2 }, tags: ['x', 'y'], dependencies },
    });
    expect(await bodyIn({ tags: '' })).toMatchObject({ tags: [] });
    expect(isTyped({ ...edit, config: '{}' })).toBe(true);
    expect(isTyped({ ...edit, revision: 1 })).toBe(true);
    expect(isTyped({ ...edit, state: 'draft' })).toBe(true);
  });

  it('is a map', async () => {
    for (const config of ['[]', '- a', 'a', '']) {
      expect(await bodyIn({ config })).toMatchObject({ kind: 'map', line: 1 });
    }
  });

  it('is written as the page shows it, and read in both languages', async () => {
    expect(edit.config).toBe('size: 1\n');
    for (const config of ['{"size": 2}', 'size: 2 # two', '# two\nsize: 2', ' {\n"size":\n2}']) {
      expect(await bodyIn({ config }), config).toMatchObject({ config: { size: 2 } });
    }
  });
});
