import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/runner/eventually.ts';
import {
  anEvent,
  type Delivery,
  deliveryOf,
  newSigner,
} from '../../../support/servers/signing-fairlead.ts';
import { type ServedCarts, serveCarts } from '../served-carts.ts';

let shop: ServedCarts;

beforeEach(async () => {
  shop = await serveCarts();
});

afterEach(() => shop.stop());

it('runs the handler once for an event of Fairlead, and returns its outputs', async () => {
  const answer = await shop.post(shop.delivery());
  expect(answer).toEqual({
    status: 200,
    body: { outputs: { url: 'x' }, outputs_schema_version: 1 },
  });
  expect(shop.calls).toHaveLength(1);
});

it('fetches the keys once for many events', async () => {
  for (const id of ['evt-1', 'evt-2', 'evt-3']) await shop.post(shop.delivery({ id }));
  expect(shop.calls).toHaveLength(3);
  expect(shop.fairlead.fetches()).toBe(1);
});

it('finds the keys below the path of a Fairlead behind a proxy', async () => {
  await shop.stop();
  shop = await serveCarts({ below: '/fairlead' });
  shop.fairlead.publishAt('/fairlead/.well-known/jwks.json');
  expect(await shop.post(shop.delivery())).toMatchObject({ status: 200 });
});

type Spoil = (signed: Delivery) => Delivery | Promise<Delivery>;
type Changes = Parameters<typeof anEvent>[0];

/** A token of the right body, made for another event. */
function tokenFor(changes: Changes): Spoil {
  return ({ body }) => {
    const token = shop.fairlead.signer.sign(anEvent(changes), body);
    return { headers: { authorization: `Bearer ${token}` }, body };
  };
}

describe('answers 401 and calls no handler for', () => {
  const spoilt: Record<string, Spoil> = {
    'an event without a signature': ({ body }) => ({ headers: {}, body }),
    'an invalid token': ({ body }) => ({ headers: { authorization: 'Bearer x' }, body }),
    'another scheme': ({ body }) => ({ headers: { authorization: 'Basic eDp5' }, body }),
    'a body that was changed': ({ headers, body }) => ({
      headers,
      body: body.replace('"size":3', '"size":4'),
    }),
    'a body with equal JSON in other bytes': ({ headers, body }) => ({
      headers,
      body: `${body} `,
    }),
    'no body': ({ headers }) => ({ headers, body: '' }),
    'a signature that was changed': ({ headers: { authorization: token = '' }, body }) => {
      const at = token.length - 10;
      const authorization = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      return { headers: { authorization }, body };
    },
    'an event for another provider': () => shop.delivery({ provider: 'bank' }),
    'a token for another provider': tokenFor({ provider: 'bank' }),
    'a token for another organization': tokenFor({ organizationId: 'globex' }),
    'a token for another event': tokenFor({ id: 'evt-2' }),
    'a token of another key under our key id': async ({ body }) => {
      const stranger = await newSigner();
      const [own] = shop.fairlead.signer.publicKeys().keys;
      const [theirs] = stranger.publicKeys().keys;
      shop.fairlead.publish({ keys: [{ ...own, kid: theirs?.kid }] });
      return { headers: { authorization: `Bearer ${stranger.sign(anEvent(), body)}` }, body };
    },
    'a token without a signature': ({ body }) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const token = `${part({ alg: 'none' })}.${part({ iss: 'fairlead', sub: 'evt-1' })}.`;
      return { headers: { authorization: `Bearer ${token}` }, body };
    },
  };

  it.each(Object.entries(spoilt))('[Q19] %s', async (_name, spoil) => {
    const answer = await shop.post(await spoil(shop.delivery()));
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unsigned' } } });
    expect(shop.calls).toEqual([]);
  });
});

it('[Q19] answers 403 for an organization that it does not serve', async () => {
  await shop.stop();
  shop = await serveCarts({ organizations: ['globex'] });
  const answer = await shop.post(shop.delivery());
  expect(answer).toMatchObject({ status: 403, body: { error: { code: 'not_served' } } });
  expect(shop.calls).toEqual([]);
});

it('answers 400 for a signed body that is not an event', async () => {
  const body = '{"event_id":"evt-1"}';
  const token = shop.fairlead.signer.sign(anEvent(), body);
  const answer = await shop.post({ headers: { authorization: `Bearer ${token}` }, body });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'not_an_event' } } });
});

describe('answers 503, so that the event is repeated, when', () => {
  const missing: Record<string, () => void | Promise<void>> = {
    'the key is not published yet': () => shop.fairlead.publish({ keys: [] }),
    'the key server fails': () => shop.fairlead.publish({}, 500),
    'the key server sends a page': () => shop.fairlead.publish('<html>'),
    'the key server sends other JSON': () => shop.fairlead.publish({ detail: 'up' }),
    'the key server is unreachable': () => shop.fairlead.close(),
  };

  it.each(Object.entries(missing))('%s', async (_name, takeAway) => {
    await takeAway();
    const answer = await shop.post(shop.delivery());
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'keys_unavailable' } } });
    expect(shop.calls).toEqual([]);
  });

  it('a key is unknown, and accepts it once published', async () => {
    const { fairlead } = shop;
    await shop.post(shop.delivery());
    const next = await newSigner();
    const delivery = deliveryOf(anEvent({ id: 'evt-2' }), next);
    expect(await shop.post(delivery)).toMatchObject({ status: 503 });
    fairlead.publish({ keys: [...fairlead.signer.publicKeys().keys, ...next.publicKeys().keys] });
    await eventually(async () => expect(await shop.post(delivery)).toMatchObject({ status: 200 }));
    expect(shop.calls.map((call) => call.key)).toEqual(['evt-1', 'evt-2']);
    const before = shop.delivery({ id: 'evt-3' });
    expect(await shop.post(before), 'the former key is still good').toMatchObject({ status: 200 });
  });
});
