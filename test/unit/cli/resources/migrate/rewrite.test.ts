import { describe, expect, it } from 'vitest';
import { rewritten, type ValueEdit } from '../../../../../src/cli/resources/migrate/rewrite.ts';
import type { JsonValue } from '../../../../../src/lib/json.ts';

const config = (before: JsonValue, value: JsonValue, document = 0): ValueEdit => {
  return { document, path: ['config'], before, value };
};

interface Case {
  readonly text: string;
  readonly edits: readonly ValueEdit[];
  readonly want: string;
}

const cases: Record<string, Case> = {
  'a field that was renamed keeps its line and its comments': {
    text: 'config:\n  # GiB\n  size: 3 # small\n  name: a\n',
    edits: [config({ size: 3, name: 'a' }, { sizeGib: 3, name: 'a' })],
    want: 'config:\n  # GiB\n  sizeGib: 3 # small\n  name: a\n',
  },
  'a field that was renamed and changed, too': {
    text: 'config:\n  size: 3GiB # small\n',
    edits: [config({ size: '3GiB' }, { sizeGib: 3 })],
    want: 'config:\n  sizeGib: 3 # small\n',
  },
  'a text keeps its quotes, and long lines stay long': {
    text: `config:\n  a: "x"\n  b: ${'long '.repeat(40)}end\n`,
    edits: [
      config({ a: 'x', b: `${'long '.repeat(40)}end` }, { a: 'y', b: `${'long '.repeat(40)}end` }),
    ],
    want: `config:\n  a: "y"\n  b: ${'long '.repeat(40)}end\n`,
  },
  'fields come and go; lists are changed by their items': {
    text: 'config:\n  gone: 1\n  list:\n    - a # one\n    - b\n  kept: true\n',
    edits: [
      config(
        { gone: 1, list: ['a', 'b'], kept: true },
        { list: ['a', 'c'], kept: true, more: { x: [1] }, other: null },
      ),
    ],
    want: 'config:\n  list:\n    - a # one\n    - c\n  kept: true\n  more:\n    x:\n      - 1\n  other: null\n',
  },
  'a tag moves with its value, which stays outside of the file': {
    text: 'config:\n  token: !env TOKEN\n  size: 1\n',
    edits: [config({ token: 's3cret', size: 1 }, { login: { token: 's3cret' }, size: 1 })],
    want: 'config:\n  login:\n    token: !env TOKEN\n  size: 1\n',
  },
  'other documents of the file keep every character': {
    text: '# all\nconfig:   {a: 1}   # odd\n---\nconfig: {a: 1}\n---   # last\nconfig:   {a: 1}\n',
    edits: [config({ a: 1 }, { b: 1 }, 1)],
    want: '# all\nconfig:   {a: 1}   # odd\n---\nconfig: {b: 1}\n---   # last\nconfig:   {a: 1}\n',
  },
  'the version of the document is written, too': {
    text: 'type_version: 1 # old\nconfig:\n  a: 1\n',
    edits: [
      config({ a: 1 }, { b: 1 }),
      { document: 0, path: ['type_version'], before: 1, value: 2 },
    ],
    want: 'type_version: 2 # old\nconfig:\n  b: 1\n',
  },
  'JSON stays JSON, with its indentation': {
    text: '{\n\t"items": [{ "config": { "a": 1 } }]\n}',
    edits: [{ document: 0, path: ['items', 0, 'config'], before: { a: 1 }, value: { b: 1 } }],
    want: '{\n\t"items": [\n\t\t{\n\t\t\t"config": {\n\t\t\t\t"b": 1\n\t\t\t}\n\t\t}\n\t]\n}',
  },
  'a map with merged fields is written anew': {
    text: 'base: &base\n  a: 1\nconfig:\n  <<: *base\n  b: 2\n',
    edits: [config({ a: 1, b: 2 }, { a: 1, c: 2 })],
    want: 'base: &base\n  a: 1\nconfig:\n  a: 1\n  c: 2\n',
  },
};

it.each(Object.entries(cases))('%s', async (_name, { text, edits, want }) => {
  expect(await rewritten(text, edits)).toBe(want);
});

describe('refuses to write', () => {
  it('a value for which the file has a tag', async () => {
    const text = 'config:\n  token: !env TOKEN\n';
    const edits = [config({ token: 's3cret' }, { token: 'S3CRET' })];
    await expect(rewritten(text, edits)).rejects.toThrow('!env TOKEN has no place');
  });

  it('what another part of the document would get as well', async () => {
    const text = 'config:\n  labels: &labels\n    a: 1\ntags: *labels\n';
    const edits = [config({ labels: { a: 1 } }, { labels: { a: 2 } })];
    await expect(rewritten(text, edits)).rejects.toThrow('change it by hand');
  });
});
