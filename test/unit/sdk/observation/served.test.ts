// OBSERVE and LIST over a real socket, signed as by Fairlead.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { interpret } from '../../../../src/events/answers.ts';
import { replyIn, requestBody, requestHeaders } from '../../../../src/events/requests.ts';
import { gone, provider, type ServedProvider, serve, z } from '../../../../src/sdk/index.ts';
import {
  anEvent,
  deliveryOf,
  type SigningFairlead,
  signingFairlead,
} from '../../../support/servers/signing-fairlead.ts';

const now = new Date();
const lines: unknown[] = [];
const info = (message: string, fields?: object) => void lines.push({ message, ...fields });
const log = { debug() {}, info, warn() {}, error() {} };
let fairlead: SigningFairlead;
let served: ServedProvider;

beforeEach(async () => {
  fairlead = await signingFairlead();
  const shop = provider('shop', {
    settings: z.object({ zone: z.string().default('a') }),
    start: () => ({ cloud: new Map([['c-1', 3]]) }),
  });
  const cart = shop.resource('cart', {
    description: 'A cart',
    config: z.object({ size: z.int() }),
    outputs: z.object({ id: z.string() }),
    adopt: z.object({ id: z.string() }),
    create: () => ({ id: 'c-1' }),
    update: () => ({ id: 'c-1' }),
    delete: () => undefined,
    observe({ adopt, cloud }) {
      const size = cloud.get(adopt?.id ?? '');
      if (size === undefined || adopt === null) return gone();
      return { config: { size }, outputs: adopt };
    },
    list({ cloud, settings: { zone }, cursor, log: own }) {
      own.info('Listing', { organization: 'forged' });
      const items = [...cloud].map(([id, size]) => ({ adopt: { id }, config: { size } }));
      return cursor === null ? { items, cursor: `after ${zone}` } : { items: [] };
    },
  });
  served = await serve(shop.types(cart), { fairlead: fairlead.url, port: 0, log });
});

afterEach(async () => {
  await served.close(0);
  await fairlead.close();
});

async function posted(init: { headers: Record<string, string>; body: string }) {
  const response = await fetch(served.url, { method: 'POST', ...init });
  const body = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, retryAfter: undefined, body };
}

it.each([
  ['c-1', { exists: true, config: { size: 3 }, outputs: { id: 'c-1' } }],
  ['c-9', { exists: false }],
])('observes what is identified by %s', async (id, seen) => {
  const event = anEvent({ type: 'OBSERVE', config: {}, adopt: { id } });
  const raw = await posted(deliveryOf(event, fairlead.signer));
  const answer = interpret(raw, { observing: true, deleting: false, now });
  expect(answer).toMatchObject({ kind: 'observed', ...seen });
});

it('refuses an observation whose adopt was changed on the way', async () => {
  const event = anEvent({ type: 'OBSERVE', config: {}, adopt: { id: 'c-1' } });
  const { headers, body } = deliveryOf(event, fairlead.signer);
  const raw = await posted({ headers, body: body.replace('c-1', 'c-9') });
  expect(raw.status).toBe(401);
});

it('lists page after page', async () => {
  const list = async (cursor: string | null) => {
    const request = { event_type: 'LIST', provider: 'shop', resource: 'cart', cursor } as const;
    const asked = { id: 'req-1', organizationId: 'acme', request };
    const body = JSON.stringify(requestBody(asked));
    const signed = { id: asked.id, organizationId: 'acme', provider: 'shop' };
    const authorization = `Bearer ${fairlead.signer.sign(signed, body)}`;
    const headers = { ...requestHeaders(asked, now), authorization };
    return replyIn(await posted({ headers, body }), 'LIST', now);
  };
  const items = [{ adopt: { id: 'c-1' }, config: { size: 3 } }];
  expect(await list(null)).toEqual({ kind: 'done', body: { items, cursor: 'after a' } });
  expect(await list('after a')).toEqual({ kind: 'done', body: { items: [] } });
  expect(lines[0]).toEqual({ message: 'Listing', organization: 'acme', resource: 'shop/cart' });
});
