import { describe, expect, it } from 'vitest';
import { interpret, type RawAnswer } from '../../../src/events/answers.ts';
import { clean } from '../../../src/lib/text.ts';

const now = new Date('2026-01-01T00:00:00.000Z');

interface Given {
  readonly status: number;
  readonly body?: unknown;
  readonly retryAfter?: string;
  readonly deleting?: boolean;
}

/** A body that is a text or bytes is sent as it is, anything else as JSON. */
function answerTo({ status, body = '', retryAfter, deleting = false }: Given) {
  const plain = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = Buffer.from(plain ? body : JSON.stringify(body));
  return interpret({ status, retryAfter, body: bytes }, { deleting, now });
}

const failed = (terminal: boolean, code: string, more: object = {}) => ({
  kind: 'failed',
  terminal,
  code,
  message: expect.any(String),
  ...more,
});

type Case = Given & { readonly want: unknown };

/** `{"a":{"a":…}}` or `{"a":[[…]]}` as text, deeper than a recursion can go. */
const deep = `{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
const long = (bytes: number) => 'x'.repeat(bytes);

const successes: Record<string, Case> = {
  outputs: { status: 200, body: { outputs: { url: 'x' } }, want: { url: 'x' } },
  'no outputs in particular': { status: 200, body: { outputs: {} }, want: {} },
  'outputs of something created': {
    status: 201,
    body: { outputs: { url: 'x' } },
    want: { url: 'x' },
  },
  'more than was asked for': { status: 200, body: { outputs: {}, more: 1 }, want: {} },
  'outputs of 256 KiB': {
    status: 200,
    body: { outputs: { a: long(256 * 1_024 - 8) } },
    want: { a: expect.any(String) },
  },
  'numbers of all sorts': {
    status: 200,
    body: { outputs: { a: [0, -1, 1.5, 9_007_199_254_740_991, 1e-7] } },
    want: { a: [0, -1, 1.5, 9_007_199_254_740_991, 1e-7] },
  },
  'a delete with any body': { status: 200, deleting: true, body: '<html>', want: {} },
  'a delete without a body': { status: 204, deleting: true, want: {} },
  'a delete, with outputs': { status: 200, deleting: true, body: { outputs: { a: 1 } }, want: {} },
};

it.each(Object.entries(successes))('treats as success %s', (_name, { want, ...given }) => {
  expect(answerTo(given)).toEqual({ kind: 'succeeded', outputs: want });
});

const invalid = failed(false, 'INVALID_ANSWER');
const refusals: Record<string, Case> = {
  nothing: { status: 200, want: invalid },
  'no content': { status: 204, want: invalid },
  garbage: { status: 200, body: '{"outputs":', want: invalid },
  'a page': { status: 200, body: '<html>', want: invalid },
  'bytes that are not UTF-8': { status: 200, body: Buffer.from([0x22, 0xff, 0x22]), want: invalid },
  null: { status: 200, body: null, want: invalid },
  'a list': { status: 200, body: [{ outputs: {} }], want: invalid },
  'a number': { status: 200, body: 5, want: invalid },
  'an object without outputs': { status: 200, body: { url: 'x' }, want: invalid },
  'outputs that are null': { status: 200, body: { outputs: null }, want: invalid },
  'outputs that are a list': { status: 200, body: { outputs: [] }, want: invalid },
  'outputs that are a text': { status: 200, body: { outputs: 'x' }, want: invalid },
  'outputs one byte too large': {
    status: 200,
    body: { outputs: { a: long(256 * 1_024 - 7) } },
    want: failed(true, 'OUTPUTS_TOO_LARGE'),
  },
  'outputs too large in bytes, not in characters': {
    status: 200,
    body: { outputs: { a: 'ä'.repeat(140_000) } },
    want: failed(true, 'OUTPUTS_TOO_LARGE'),
  },
  'an integer that JSON.parse rounds': {
    status: 200,
    body: '{"outputs":{"a":[{"b":9007199254740993}]}}',
    want: failed(true, 'INVALID_OUTPUTS', {
      message:
        'The outputs contain a number that JSON cannot represent exactly in a.0.b; return it as a string',
    }),
  },
  'a number beyond all': {
    status: 200,
    body: '{"outputs":{"a":1e400}}',
    want: failed(true, 'INVALID_OUTPUTS'),
  },
  'outputs nested without an end': {
    status: 200,
    body: `{"outputs":${deep}}`,
    want: failed(true, 'INVALID_OUTPUTS'),
  },
  'a redirect': { status: 307, retryAfter: '9', want: failed(false, 'REDIRECT') },
  'not modified': { status: 304, want: failed(false, 'REDIRECT') },
};

it.each(Object.entries(refusals))('treats as failure %s', (_name, { want, ...given }) => {
  expect(answerTo(given)).toEqual(want);
});

const without: Record<string, { raw: Partial<RawAnswer>; text?: string; says: string }> = {
  'a word': {
    raw: { contentType: 'text/plain; charset=utf-8' },
    text: 'ok\n',
    says: 'answered 200 with text/plain "ok"',
  },
  'a word of no type': { raw: {}, text: 'ok', says: 'answered 200 with "ok"' },
  nothing: { raw: { status: 204 }, says: 'answered 204 without a body' },
  'outputs in the wrong place': {
    raw: { contentType: 'application/json' },
    text: '{"url":"x","password":"s3cr3t"}',
    says: 'answered 200 with an object of url, password',
  },
  'outputs that are a list': {
    raw: { contentType: 'application/json' },
    text: '{"outputs":[]}',
    says: 'answered 200 with outputs that are not an object',
  },
};

it.each(Object.entries(without))('describes the invalid outputs: %s', (_name, given) => {
  const { raw, text = '', says } = given;
  const whole = { status: 200, retryAfter: undefined, body: Buffer.from(text), ...raw };
  expect(interpret(whole, { deleting: false, now })).toMatchObject({
    code: 'INVALID_ANSWER',
    message: `The provider ${says}; expected {"outputs":{…}}`,
  });
});

describe('a failure status', () => {
  const terminal = [400, 401, 403, 404, 405, 409, 410, 413, 418, 422, 451, 499];
  const passing = [408, 425, 500, 501, 502, 503, 504, 507, 599, 600, 999, 100, 101];

  it.each(terminal)('%d is not retried', (status) => {
    expect(answerTo({ status, retryAfter: '9' })).toEqual(failed(true, `HTTP_${status}`));
  });

  it.each(passing)('%d is retried, after the delay', (status) => {
    const want = failed(false, `HTTP_${status}`, { retryAfterMs: 9_000 });
    expect(answerTo({ status, retryAfter: '9' })).toEqual(want);
  });

  const answersWithDetails: Record<string, { body: unknown; code: string; message: string }> = {
    'a code and a message': {
      body: { error: { code: 'quota_exceeded', message: 'No more carts' } },
      code: 'quota_exceeded',
      message: 'No more carts',
    },
    'a message alone': {
      body: { error: { message: 'No more carts' } },
      code: 'HTTP_422',
      message: 'No more carts',
    },
    'a code alone': {
      body: { error: { code: 'x' } },
      code: 'x',
      message: 'The provider answered 422: {"error":{"code":"x"}}',
    },
    neither: {
      body: { error: {} },
      code: 'HTTP_422',
      message: 'The provider answered 422: {"error":{}}',
    },
    'no body': { body: '', code: 'HTTP_422', message: 'The provider answered 422' },
    'wrong types': {
      body: { error: { code: 5, message: ['x'] } },
      code: 'HTTP_422',
      message: 'The provider answered 422: {"error":{"code":5,"message":["x"]}}',
    },
    'an error that is a text': {
      body: { error: 'no' },
      code: 'HTTP_422',
      message: 'The provider answered 422: {"error":"no"}',
    },
    'a page': {
      body: '\u001b[31m\n<html>\u0000\r\n<body>',
      code: 'HTTP_422',
      message: 'The provider answered 422: <html>',
    },
    'a line without an end': {
      body: long(9_999),
      code: 'HTTP_422',
      message: `The provider answered 422: ${long(197)}…`,
    },
    'a code for people': {
      body: { error: { code: 'no more carts!\n', message: ' \u0000 ' } },
      code: 'no_more_carts_',
      message: expect.stringContaining('The provider answered 422: {"error":'),
    },
  };

  it.each(Object.entries(answersWithDetails))('is described by %s', (_name, { body, ...want }) => {
    expect(answerTo({ status: 422, body })).toEqual({ kind: 'failed', terminal: true, ...want });
  });

  it('is described by code and message of 4 KiB together at most', () => {
    const answer = answerTo({
      status: 500,
      body: { error: { code: long(9_999), message: 'ä'.repeat(9_999) } },
    });
    const { code, message } = answer as { code: string; message: string };
    expect(Buffer.byteLength(`${code}: ${message}`)).toBeLessThanOrEqual(4_096);
    expect(message).toMatch(/ä…$/);
  });
});

const later = (retryAfterMs: number, more: object = {}) => ({
  kind: 'later',
  retryAfterMs,
  ...more,
});

const laters: Record<string, Case> = {
  'a time': { status: 202, body: { retry_after: 5 }, want: later(5_000) },
  'parts of a second': { status: 202, body: { retry_after: 1.5 }, want: later(1_500) },
  'no time': { status: 202, body: {}, want: later(1_000) },
  'nothing at all': { status: 202, want: later(1_000) },
  garbage: { status: 202, body: '<html>', want: later(1_000) },
  'a time that is a text': { status: 202, body: { retry_after: '5' }, want: later(1_000) },
  'the time in the header': { status: 202, retryAfter: '7', want: later(7_000) },
  'two times, of which the body counts': {
    status: 202,
    retryAfter: '7',
    body: { retry_after: 5 },
    want: later(5_000),
  },
  'less than a second': { status: 202, body: { retry_after: 0.001 }, want: later(1_000) },
  'less than nothing': { status: 202, body: { retry_after: -5 }, want: later(1_000) },
  'an hour': { status: 202, body: { retry_after: 3_600 }, want: later(3_600_000) },
  'a year': { status: 202, body: { retry_after: 31_536_000 }, want: later(3_600_000) },
  'for ever': { status: 202, body: '{"retry_after":1e400}', want: later(3_600_000) },
  'a message and a context': {
    status: 202,
    body: { retry_after: 5, message: 'Copying\u0007', context: { operation: 'op-1' } },
    want: later(5_000, { message: 'Copying', context: { operation: 'op-1' } }),
  },
  'how far it is': {
    status: 202,
    body: { retry_after: 5, message: 'Copying', progress: { done: 1, total: 3, more: 'x' } },
    want: later(5_000, { message: 'Copying', progress: { done: 1, total: 3, message: 'Copying' } }),
  },
  'progress that does not fit': {
    status: 202,
    body: { retry_after: 5, progress: { done: 4, total: 3 } },
    want: later(5_000),
  },
  'progress without a number': {
    status: 202,
    body: { retry_after: 5, message: 'Copying', progress: {} },
    want: later(5_000, { message: 'Copying' }),
  },
  'a context of null': { status: 202, body: { context: null }, want: later(1_000) },
  'a context of 16 KiB': {
    status: 202,
    body: { context: { a: long(16 * 1_024 - 8) } },
    want: later(1_000, { context: { a: expect.any(String) } }),
  },
  'a context one byte too large': {
    status: 202,
    body: { context: { a: long(16 * 1_024 - 7) } },
    want: failed(true, 'CONTEXT_TOO_LARGE'),
  },
  'a context that is not an object': {
    status: 202,
    body: { context: 'op-1' },
    want: failed(false, 'INVALID_ANSWER'),
  },
  'a context with a number that JSON.parse rounds': {
    status: 202,
    body: '{"context":{"operation":12345678901234567890}}',
    want: failed(true, 'INVALID_CONTEXT'),
  },
  'a context nested without an end': {
    status: 202,
    body: `{"context":${deep}}`,
    want: failed(true, 'INVALID_CONTEXT'),
  },
};

it.each(Object.entries(laters))('is retried after %s', (_name, { want, ...given }) => {
  expect(answerTo(given)).toEqual(want);
  expect(answerTo({ ...given, deleting: true })).toEqual(want);
});

const texts: Record<string, [text: string, limit: number, want: string]> = {
  'as it is': ['No more carts', 99, 'No more carts'],
  'with its lines and tabs': ['a\n\tb', 99, 'a\n\tb'],
  'without colours': ['\u001b[1;31mred\u001b[0m', 99, 'red'],
  'without control characters': ['a\u0000b\rc\u007fd\u0085e', 99, 'a b c d e'],
  'without halves of characters': ['a\ud83d', 99, 'a\ufffd'],
  'cut at its limit': ['abcdefghij', 8, 'abcde…'],
  'cut between characters': ['ääääää', 8, 'ää…'],
  'uncut when it just fits': ['abcdefgh', 8, 'abcdefgh'],
};

it.each(Object.entries(texts))('shows a text %s', (_name, [text, limit, want]) => {
  expect(clean(text, limit)).toBe(want);
  expect(Buffer.byteLength(clean(text, limit))).toBeLessThanOrEqual(limit);
});
