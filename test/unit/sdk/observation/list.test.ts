import { expect, it } from 'vitest';
import type { ListBody } from '../../../../src/domain/event.ts';
import {
  fail,
  gone,
  type HandlerLog,
  type ListCall,
  provider,
  retry,
  z,
} from '../../../../src/sdk/index.ts';
import { answerRequest } from '../../../../src/sdk/serve/requests.ts';

const quiet: HandlerLog = { debug() {}, info() {}, warn() {}, error() {} };

interface Run {
  readonly body?: Partial<ListBody>;
  readonly list?: (call: ListCall) => unknown;
}

async function run({ body, ...given }: Run) {
  const list = 'list' in given ? given.list : () => ({ items: [] });
  const shop = provider('shop');
  const cart = shop.resource('cart', {
    description: 'A cart',
    config: z.object({ size: z.int() }),
    outputs: z.object({}),
    adopt: z.object({ id: z.string(), zone: z.string().default('a') }),
    create: () => ({}),
    update: () => ({}),
    delete: () => undefined,
    observe: () => gone(),
    ...(list === undefined ? {} : { list: list as never }),
  });
  const request: ListBody = {
    ...{ event_id: 'req-1', event_type: 'LIST', organization_id: 'acme', provider: 'shop' },
    ...{ resource: 'cart', cursor: null },
    ...body,
  };
  const { signal } = new AbortController();
  return await answerRequest(shop.types(cart), request, {
    ...{ given: { region: 'raw' }, settings: { region: 'eu' }, started: { cloud: 'a cloud' } },
    ...{ log: quiet, signal, codeFolder: '/code' },
  });
}

it('passes cursor, settings and what start returned', async () => {
  const calls: ListCall[] = [];
  const list = (call: ListCall) => {
    calls.push(call);
    return { items: [] };
  };
  await run({ body: { cursor: 'page-2' }, list });
  const { signal, log, ...rest } = calls[0] ?? ({} as ListCall);
  expect(rest).toEqual({
    ...{ cursor: 'page-2', settings: { region: 'eu' }, cloud: 'a cloud', organization: 'acme' },
  });
  expect([signal.aborted, log]).toEqual([false, quiet]);
});

const error = (code: string, message: unknown) => ({ error: { code, message } });
const item = { adopt: { id: 'c-1' }, name: 'mine', config: { size: 3 } };

const endings: Record<string, Run & { reason: string; status: number; answer: unknown }> = {
  'a page and where the next one begins': {
    reason: 'Members without a value are not sent, and adopt stays as people write it.',
    list: () =>
      Promise.resolve({ items: [item, { adopt: { id: 'c-2' }, name: undefined }], cursor: '2' }),
    status: 200,
    answer: { items: [item, { adopt: { id: 'c-2' } }], cursor: '2' },
  },
  'the last page': {
    reason: 'Without a cursor, there is no other one.',
    list: () => ({ items: [], cursor: undefined }),
    status: 200,
    answer: { items: [] },
  },
  nothing: {
    reason: 'Silence must not look like an empty cloud.',
    list: () => undefined,
    status: 422,
    answer: error('invalid_list', expect.stringContaining('list must return { items:')),
  },
  'an adopt that observe would not accept': {
    reason: 'An import of it would fail.',
    list: () => ({ items: [item, { adopt: { name: 'c-2' } }] }),
    status: 422,
    answer: error('invalid_list', expect.stringMatching(/items\.1\.adopt .* id: /)),
  },
  'more than a page': {
    reason: 'Answers are bounded.',
    list: () => ({ items: Array.from({ length: 1_001 }, () => item) }),
    status: 422,
    answer: error('invalid_list', expect.stringContaining('items')),
  },
  'a page that is too large': {
    reason: 'Fairlead would not read the answer.',
    list: () => ({ items: [{ ...item, config: { note: 'x'.repeat(600_000) } }] }),
    status: 422,
    answer: error('invalid_list', expect.stringContaining('of at most 524288; return fewer items')),
  },
  'a value without a form in JSON': {
    reason: 'The answer could not be sent.',
    list: () => ({ items: [{ ...item, config: { size: 1n } }] }),
    status: 422,
    answer: error('invalid_list', expect.stringContaining('serialized as JSON')),
  },
  'an error': {
    reason: 'People who list see why.',
    list: () => Promise.reject(new Error('no route at /code/src/cloud.ts')),
    status: 500,
    answer: error('handler_error', 'no route at src/cloud.ts'),
  },
  fail: {
    reason: 'The provider says no.',
    list: () => fail('forbidden', 'The token may not list'),
    status: 422,
    answer: error('forbidden', 'The token may not list'),
  },
  retry: {
    reason: 'Listing respects rate limits, too.',
    list: () => retry({ after: 7, code: 'rate_limited', message: 'Too many calls' }),
    status: 429,
    answer: { ...error('rate_limited', 'Too many calls'), retry_scope: 'resource' },
  },
  'no handler': {
    reason: 'Fairlead says that the type is not listable.',
    list: undefined as never,
    status: 422,
    answer: error('not_listable', 'Type cart has no handler `list`'),
  },
  'an unknown type': {
    reason: 'Another version of the provider may have it.',
    body: { resource: 'shelf' },
    status: 404,
    answer: error('unknown_type', 'This provider has no type shelf'),
  },
};

it.each(Object.entries(endings))('answers %s', async (_, { reason, status, answer, ...given }) => {
  const reply = await run(given);
  expect({ status: reply.status, body: reply.body }, reason).toStrictEqual({
    status,
    body: answer,
  });
});
