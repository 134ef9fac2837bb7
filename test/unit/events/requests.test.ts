import { expect, it } from 'vitest';
import type { AskedType } from '../../../src/domain/event.ts';
import { replyIn, requestBody, requestHeaders } from '../../../src/events/requests.ts';

const now = new Date('2026-01-01T00:00:00.000Z');

interface Case {
  readonly status: number;
  readonly body?: unknown;
  readonly type?: AskedType;
  readonly want: unknown;
}

const refusal = (code: string, message = 'No.') => ({ error: { code, message } });
const unavailable = { kind: 'unavailable', message: expect.any(String) };

function nested(depth: number): object {
  return depth === 0 ? {} : { a: nested(depth - 1) };
}

const cases: Record<string, Case> = {
  'a config in the newest form': {
    status: 200,
    body: { config: { size: 1 }, schema_version: 2 },
    want: { kind: 'done', body: { config: { size: 1 }, schema_version: 2 } },
  },
  'success without a body': { status: 204, type: 'CHECK', want: { kind: 'done', body: {} } },
  'success with what is no object': { status: 200, body: [1], want: { kind: 'done', body: {} } },
  'a migration that failed': {
    status: 422,
    body: refusal('migration_failed'),
    want: { kind: 'refused', message: 'No.' },
  },
  'settings that do not work': {
    status: 422,
    type: 'CHECK',
    body: refusal('settings_refused', 'The\u0007host refuses the password.'),
    want: { kind: 'refused', message: 'The host refuses the password.' },
  },
  'the refusal of another request': {
    status: 422,
    type: 'CHECK',
    body: refusal('migration_failed'),
    want: { kind: 'unknown' },
  },
  'an object that is gone': {
    status: 200,
    type: 'OBSERVE',
    body: { exists: false },
    want: { kind: 'done', body: { exists: false } },
  },
  'any refusal to observe': {
    status: 422,
    type: 'OBSERVE',
    body: refusal('bad_id', 'No such zone'),
    want: { kind: 'refused', message: 'No such zone' },
  },
  'a provider without the handler observe': {
    status: 422,
    type: 'OBSERVE',
    body: refusal('not_observable'),
    want: { kind: 'unknown' },
  },
  'a provider without the handler list': {
    status: 422,
    type: 'LIST',
    body: refusal('not_listable'),
    want: { kind: 'unknown' },
  },
  'a provider without rules': {
    status: 422,
    type: 'PLAN',
    body: refusal('not_plannable'),
    want: { kind: 'unknown' },
  },
  'an answer that is too deep': {
    status: 200,
    type: 'OBSERVE',
    body: nested(200),
    want: unavailable,
  },
  'a number that is not what was sent': {
    status: 200,
    type: 'LIST',
    body: { items: [{ adopt: { id: 2 ** 60 } }] },
    want: unavailable,
  },
  'an SDK that reads events only': {
    status: 400,
    body: refusal('not_an_event'),
    want: { kind: 'unknown' },
  },
  'a provider without handlers for it': { status: 404, want: { kind: 'unknown' } },
  'an operation, which no request begins': { status: 202, body: {}, want: unavailable },
  'a redirect': { status: 302, want: { ...unavailable, code: 'REDIRECT' } },
  'too many requests': { status: 429, want: { ...unavailable, code: 'HTTP_429' } },
  'a provider without the key': {
    status: 503,
    body: refusal('keys_unavailable'),
    want: { ...unavailable, code: 'keys_unavailable' },
  },
};

it.each(Object.entries(cases))(
  'reads %s',
  async (_name, { status, body, type = 'MIGRATE', want }) => {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const raw = { status, retryAfter: undefined, body: bytes };
    expect(await replyIn(raw, type, now)).toEqual(want);
  },
);

it('sends a request as a CloudEvent of its own type', () => {
  const request = {
    event_type: 'MIGRATE',
    provider: 'shop',
    resource: 'cart',
    schema_version: 1,
    config: { size: 3 },
  } as const;
  const outgoing = { id: 'req-1', organizationId: 'acme', request };
  expect(requestHeaders(outgoing, now)).toMatchObject({
    'ce-id': 'req-1',
    'ce-type': 'dev.fairlead.type.migrate',
    'ce-subject': 'shop/cart',
  });
  expect(requestBody(outgoing)).toEqual({
    event_id: 'req-1',
    organization_id: 'acme',
    ...request,
  });
});
