// The answers with which a provider asks to wait.
import { expect, it } from 'vitest';
import { interpret } from '../../../src/events/answers.ts';

interface Given {
  readonly status: number;
  readonly retryAfter?: string;
  readonly body?: unknown;
}

function answerTo({ status, retryAfter, body = '' }: Given) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const raw = { status, retryAfter, body: Buffer.from(text) };
  return interpret(raw, { deleting: false, now: new Date() });
}

it.each([
  ['9', undefined, 9_000, 'resource'],
  ['0', undefined, 1_000, 'resource'],
  ['86400', undefined, 3_600_000, 'resource'],
  ['9', { error: { code: 'slow' }, retry_scope: 'provider' }, 9_000, 'provider'],
  ['9', { retry_scope: 'all' }, 9_000, 'resource'],
  ['9', '<html>', 9_000, 'resource'],
])('429 with Retry-After %j and %j asks to wait', (retryAfter, body, retryAfterMs, retryScope) => {
  const answer = answerTo({ status: 429, retryAfter, ...(body === undefined ? {} : { body }) });
  expect(answer).toMatchObject({ kind: 'failed', terminal: false, retryAfterMs, retryScope });
});

it.each([
  ['429 without Retry-After', { status: 429, body: { retry_scope: 'provider' } }],
  ['503 with it', { status: 503, retryAfter: '9', body: { retry_scope: 'provider' } }],
])('%s is an attempt that failed', (_what, given) => {
  expect(answerTo(given)).not.toHaveProperty('retryScope');
});
