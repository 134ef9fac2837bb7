import { describe, expect, it } from 'vitest';
import { type ErrorCode, errors } from '../../../../src/api/errors.ts';
import {
  FairleadError,
  InvalidRequest,
  InvalidToken,
  type Violation,
} from '../../../../src/domain/errors.ts';
import { answerFor } from '../../../../src/http/response/errors.ts';

const request = { id: 'r-1' };
const missing = new FairleadError('unauthenticated', 'Not authenticated');

function bodyOf(error: FairleadError): { detail: unknown } {
  const { content } = answerFor(error, request);
  return JSON.parse(content?.bytes.toString() ?? '') as { detail: unknown };
}

function shown(violation: Partial<Violation>): Record<string, unknown> {
  const whole = { loc: ['body'], msg: 'no', type: 'value_error', ...violation };
  const { detail } = bodyOf(new InvalidRequest([whole])) as { detail: Record<string, unknown>[] };
  return detail[0] ?? {};
}

describe('every code', () => {
  it.each(Object.keys(errors) as ErrorCode[])('%s has a status of 4xx, or 503', (code) => {
    const status = errors[code].status;
    expect(status === 503 || (status >= 400 && status < 500)).toBe(true);
    expect(answerFor(new FairleadError(code, 'no'), request).status).toBe(status);
  });

  it.each((Object.keys(errors) as ErrorCode[]).filter((code) => code !== 'invalid'))(
    '%s is returned with a message, the code, the next step and the request only',
    (code) => {
      const secret = new FairleadError(code, 'What went wrong', { cause: new Error('secret') });
      const help = errors[code].action;
      const body = { detail: 'What went wrong', code, help, request_id: 'r-1' };
      expect(bodyOf(secret)).toStrictEqual(body);
    },
  );

  it('is returned with the facts and the next step of the error itself', () => {
    const context = { users: ['a/b/c'] };
    const error = new FairleadError('resource_in_use', 'In use', { context, help: 'Wait.' });
    expect(bodyOf(error)).toMatchObject({ context, help: 'Wait.' });
  });

  it('is plain application/json', () => {
    const { content } = answerFor(new FairleadError('not_found', 'Not Found'), request);
    expect(content?.type).toBe('application/json');
  });
});

describe('headers', () => {
  it('requests a token with every 401 and nowhere else', () => {
    const headers = (code: ErrorCode) =>
      answerFor(new FairleadError(code, ''), request).headers ?? {};
    expect(headers('unauthenticated')).toEqual({ 'WWW-Authenticate': 'Bearer' });
    expect(answerFor(new InvalidToken(), request)).toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
    const published = { ...request, metadataUrl: 'https://a.test/m' };
    const named = (error: FairleadError) => answerFor(error, published).headers;
    const parameter = 'resource_metadata="https://a.test/m"';
    expect(named(missing)).toEqual({ 'WWW-Authenticate': `Bearer ${parameter}` });
    expect(named(new InvalidToken())).toEqual({
      'WWW-Authenticate': `Bearer error="invalid_token", ${parameter}`,
    });
    expect(bodyOf(new InvalidToken())).toEqual(bodyOf(missing));
    for (const code of Object.keys(errors) as ErrorCode[]) {
      if (code !== 'unauthenticated') expect(headers(code)).toEqual({});
    }
  });

  it('rounds the delay up to whole seconds', () => {
    const error = new FairleadError('unavailable', 'Later', { retryAfter: 1.2 });
    expect(answerFor(error, request).headers).toEqual({ 'Retry-After': '2' });
  });
});

describe('a 422', () => {
  it('is a list, also for the code alone', () => {
    expect(bodyOf(new FairleadError('invalid', 'Odd'))).toMatchObject({
      detail: [{ loc: [], msg: 'Odd', type: 'value_error' }],
      request_id: 'r-1',
    });
  });

  it('omits missing fields, and keeps null, 0 and false', () => {
    expect(shown({})).toStrictEqual({ loc: ['body'], msg: 'no', type: 'value_error' });
    for (const input of [null, 0, false, '']) expect(shown({ input })['input']).toBe(input);
  });

  it('reports at most 100 violations', () => {
    const violation = { loc: ['body'], msg: 'no', type: 'value_error' };
    const many = Array.from({ length: 100_000 }, () => violation);
    expect(bodyOf(new InvalidRequest(many)).detail).toHaveLength(100);
  });

  const long: Record<string, unknown> = {
    'a long string': 'x'.repeat(1_000_000),
    'a long list': Array.from({ length: 100_000 }, () => 1),
    'a large object': { config: 'x'.repeat(1_000_000) },
    'a string of long characters': '日'.repeat(1_000),
    'a string of pairs': '😀'.repeat(1_000),
  };

  it.each(Object.entries(long))('repeats only the beginning of %s', (_what, input) => {
    const repeated = shown({ input })['input'];
    expect(repeated).toEqual(expect.any(String));
    expect(Buffer.byteLength(String(repeated))).toBeLessThanOrEqual(1_024);
    expect(String(repeated).isWellFormed()).toBe(true);
    expect(String(repeated).endsWith('…')).toBe(true);
  });

  it('truncates a long name in the location', () => {
    const { loc } = shown({ loc: ['body', 'k'.repeat(100_000), 3] });
    expect(JSON.stringify(loc).length).toBeLessThan(300);
    expect(loc).toMatchObject(['body', expect.any(String), 3]);
  });

  it('repeats a short input unchanged', () => {
    expect(shown({ input: { a: [1, null] } })['input']).toEqual({ a: [1, null] });
  });
});
