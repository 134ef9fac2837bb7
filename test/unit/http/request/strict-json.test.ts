import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequest, type Violation } from '../../../../src/domain/errors.ts';
import { parseLongJson, parseStrictJson } from '../../../../src/http/request/strict-json.ts';
import { isExactNumber } from '../../../../src/lib/numbers.ts';

const limits = { depth: 64, nodes: 1_000 };
const read = (text: string, bounds = limits) => parseStrictJson(text, bounds);

/** The one violation a text is refused with. */
function refusal(text: string, bounds = limits): Violation {
  try {
    read(text, bounds);
  } catch (thrown) {
    if (thrown instanceof InvalidRequest && thrown.violations[0] !== undefined) {
      return thrown.violations[0];
    }
    throw thrown;
  }
  throw new Error(`${text.slice(0, 100)} was accepted`);
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a text that JSON.parse would change silently', () => {
  const changed: readonly (readonly [string, string, (string | number)[]])[] = [
    ['{"a":1,"a":2}', 'value_error', ['body', 'a']],
    ['{"a":1,"\\u0061":2}', 'value_error', ['body', 'a']],
    ['{"x":[{},{"k":1,"k":1}]}', 'value_error', ['body', 'x', 1, 'k']],
    ['{"__proto__":{"admin":true}}', 'value_error', ['body', '__proto__']],
    ['{"a":{"\\u005f_proto__":1}}', 'value_error', ['body', 'a', '__proto__']],
    ['9007199254740992', 'int_too_large', ['body']],
    ['{"n":[-9007199254740993]}', 'int_too_large', ['body', 'n', 0]],
    ['123456789012345678901234567890', 'int_too_large', ['body']],
    ['1e20', 'int_too_large', ['body']],
    ['[9007199254740993.0]', 'int_too_large', ['body', 0]],
    ['9007199254740991.6', 'int_too_large', ['body']],
    ['9007199254740993.5', 'int_too_large', ['body']],
    ['1.7976931348623157e308', 'int_too_large', ['body']],
    ['1E400', 'finite_number', ['body']],
    ['1e400', 'finite_number', ['body']],
    ['[-1E+999]', 'finite_number', ['body', 0]],
    ['1e-400', 'value_error', ['body']],
    ['0.00000000000000001e-320', 'value_error', ['body']],
    ['"\\ud800"', 'value_error', ['body']],
    ['"\\udc00\\ud800"', 'value_error', ['body']],
    ['{"a":["\\udfff"]}', 'value_error', ['body', 'a', 0]],
    ['{"\\ud83d":1}', 'value_error', ['body']],
  ];

  it.each(changed)('[H06] %s is rejected as %s', (text, type, loc) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(refusal(text)).toMatchObject({ type, loc });
  });

  it('[H07] keeps the prototypes of objects unchanged', () => {
    expect(() => read('{"__proto__":{"admin":true}}')).toThrow(InvalidRequest);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    const named = read('{"constructor":{"prototype":{"admin":true}},"toString":1}');
    expect(Object.keys(named as object)).toEqual(['constructor', 'toString']);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('repeats only the beginning of a long number', () => {
    expect(refusal('9'.repeat(100_000)).input).toBe('9'.repeat(64));
  });
});

describe('a text that is not JSON', () => {
  const malformed: readonly (readonly [string, number])[] = [
    ['', 0],
    ['   ', 3],
    ['{', 1],
    ['[1,]', 3],
    ['{"a":1,}', 7],
    ["{'a':1}", 1],
    ['{a:1}', 1],
    ['{"a" 1}', 5],
    ['[1 2]', 3],
    ['{} {}', 3],
    ['nul', 0],
    ['NaN', 0],
    ['Infinity', 0],
    ['-', 0],
    ['+1', 0],
    ['01', 1],
    ['1.', 1],
    ['.5', 0],
    ['0x10', 1],
    ['"a', 0],
    ['"a\nb"', 2],
    ['"\\x41"', 0],
    ['"\\u12"', 0],
    ['/* no */ 1', 0],
    ['\u00a01', 0],
    ['\ufeff1', 0],
  ];

  it.each(malformed)('%j is rejected at position %i', (text, position) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(refusal(text)).toMatchObject({
      loc: ['body', position],
      type: 'json_invalid',
      msg: 'JSON decode error',
      input: {},
      ctx: { error: expect.any(String) },
    });
  });
});

describe('limits', () => {
  it('counts the outermost container as the first level', () => {
    expect(read(nested(64))).toEqual(JSON.parse(nested(64)));
    expect(refusal(nested(65))).toMatchObject({ type: 'too_deep' });
    expect(refusal('{"a":'.repeat(65))).toMatchObject({ type: 'too_deep' });
  });

  it('rejects a depth that would exhaust the stack', () => {
    expect(refusal('['.repeat(500_000))).toMatchObject({ type: 'too_deep' });
  });

  it('counts every value, containers included', () => {
    const bounds = { depth: 64, nodes: 4 };
    expect(read('[1,2,3]', bounds)).toEqual([1, 2, 3]);
    expect(refusal('[1,2,3,4]', bounds)).toMatchObject({ type: 'too_many_values' });
    expect(refusal('{"a":[],"b":[],"c":[1]}', bounds)).toMatchObject({ type: 'too_many_values' });
  });
});

describe('numbers', () => {
  const kept = [
    '0',
    '-0',
    '9007199254740991',
    '-9007199254740991',
    '1e3',
    '0.1',
    '0e999',
    '0.000',
    '4503599627370497.5',
    '5e-324',
  ];

  it.each(kept)('[H06] %s is read as by JSON.parse', (text) => {
    expect(read(text)).toBe(JSON.parse(text));
  });
});

it('reads every value within the limits as JSON.parse does', () => {
  const harmless = fc.jsonValue({ maxDepth: 10, stringUnit: 'binary' }).filter((value) => {
    const text = JSON.stringify(value);
    return !/__proto__|\\ud[89a-f]|[0-9]{16}/i.test(text) && !hasTooLarge(value);
  });
  fc.assert(
    fc.property(harmless, fc.constantFrom(0, 2, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(read(text, { depth: 64, nodes: 100_000 })).toStrictEqual(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

/** JSON.stringify writes floating point numbers up to 1e21 as whole ones. */
function hasTooLarge(value: unknown): boolean {
  if (typeof value === 'number') return !isExactNumber(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasTooLarge);
}

it('accepts exactly the valid JSON texts, after any mutation', () => {
  const pieces = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"b"', '1', '-', '.5', 'e2', 'null', ' '),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('');
      const mine = outcome(() => read(text));
      const theirs = outcome(() => JSON.parse(text));
      const duplicate = typeof mine === 'string' && mine.includes('Duplicate key');
      if (typeof theirs !== 'string' && hasTooLarge(theirs.value)) {
        expect(typeof mine).toBe('string');
        return;
      }
      if (!duplicate) expect(typeof mine === 'string').toBe(typeof theirs === 'string');
      if (!duplicate && typeof theirs !== 'string') expect(mine).toStrictEqual(theirs);
    }),
    { numRuns: 3_000 },
  );
});

it('reads a long text, with turns between its items, as a short one', async () => {
  const pieces = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"a":', '"b":', '1', '[1,{}]', 'null', ' '),
    { maxLength: 10 },
  );
  const few = { depth: 3, nodes: 6 };
  const places = (thrown: InvalidRequest) => thrown.violations;
  await fc.assert(
    fc.asyncProperty(pieces, fc.boolean(), async (parts, isObject) => {
      const text = isObject ? `{"a":[${parts.join('')}` : parts.join('');
      const long = await parseLongJson(text, few).then((value) => ({ value }), places);
      let short: unknown;
      try {
        short = { value: parseStrictJson(text, few) };
      } catch (thrown) {
        short = places(thrown as InvalidRequest);
      }
      expect(long).toStrictEqual(short);
    }),
    { numRuns: 2_000 },
  );
});

function outcome(parse: () => unknown): { value: unknown } | string {
  try {
    return { value: parse() };
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
