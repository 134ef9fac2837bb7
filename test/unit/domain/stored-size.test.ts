// The size of a value in etcd, against an encoder that is written from the source of Go's encoding/json.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldBytes, storedBytes } from '../../../src/domain/stored-size.ts';
import type { JsonValue } from '../../../src/lib/json.ts';

const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
const html = new Set(['<', '>', '&', '\u2028', '\u2029']);

function goText(text: string): string {
  let encoded = '';
  for (const each of text) {
    const code = each.codePointAt(0) ?? 0;
    const isLone = code >= 0xd800 && code <= 0xdfff;
    if (isLone) encoded += '\ufffd';
    else if (short[each] !== undefined) encoded += short[each];
    else if (code < 0x20 || html.has(each)) encoded += `\\u${code.toString(16).padStart(4, '0')}`;
    else encoded += each;
  }
  return `"${encoded}"`;
}

function goEncoded(value: unknown): string {
  if (typeof value === 'string') return goText(value);
  if (Array.isArray(value)) return `[${value.map(goEncoded).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, each]) => `${goText(key)}:${goEncoded(each)}`);
  return `{${members.join(',')}}`;
}

describe('the size of a value in etcd', () => {
  it.each([
    ['an absent value', undefined, 0],
    ['null', null, 4],
    ['a number', -1.5, 4],
    ['text', 'abc', 5],
    ['text of two, three and four bytes', 'äक😀', 2 + 2 + 3 + 4],
    ['characters of HTML, six bytes each', '<>&', 2 + 18],
    ['separators of lines and paragraphs, six bytes each', '\u2028\u2029', 2 + 12],
    ['a quote and a backslash, two bytes each', '"\\', 2 + 4],
    ['control characters with a short form, two bytes each', '\b\f\n\r\t', 2 + 10],
    ['other control characters, six bytes each', '\u0000\u001f', 2 + 12],
    ['delete, one byte', '\u007f', 2 + 1],
    ['a lone surrogate, stored as U+FFFD', '\ud800', 2 + 3],
    ['text that only looks like a surrogate', '\\ud800', 2 + 7],
    ['a lone surrogate after a backslash', '\\\ud800', 2 + 2 + 3],
    ['a name of a member', { '<': 1 }, 2 + 8 + 2],
    ['an undefined member', { a: undefined, b: [] }, 8],
  ])('counts %s', (_case, value, bytes) => {
    expect(storedBytes(value)).toBe(bytes);
  });

  it('is that of the encoder for any value', () => {
    const unit = fc.constantFrom(...'<>&"\\/u\u2028\u2029\b\u0001\u007fäक😀d8', '\ud800', '\udc00');
    const text = fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' }));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie('tree')),
        fc.dictionary(text, tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(storedBytes(value)).toBe(Buffer.byteLength(goEncoded(value)));
      }),
    );
  });

  it('counts names of members in the record of fields, and no values', () => {
    const value = { a: { '<': 'long' }, list: [{ not: 'counted' }], none: {} } satisfies JsonValue;
    const record = '{".":{},"f:a":{".":{},"f:\\u003c":{}},"f:list":{},"f:none":{}}';
    expect(fieldBytes(value)).toBe(record.length);
  });
});
