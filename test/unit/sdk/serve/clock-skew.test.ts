// A provider whose clock differs from that of Fairlead asks for a retry, and says by how much it differs.
import { createLocalJWKSet } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createVerifier } from '../../../../src/sdk/serve/signature.ts';
import {
  anEvent,
  type Delivery,
  deliveryOf,
  newSigner,
} from '../../../support/servers/signing-fairlead.ts';
import { type ServedCarts, serveCarts } from '../served-carts.ts';

const signedAt = new Date('2026-01-01T00:00:00Z');
const signer = await newSigner({ now: () => signedAt, monotonic: () => 0 });

/** Verifies with a clock that shows so many seconds after the signature. */
async function verifiedAfter(seconds: number, changed: (signed: Delivery) => Delivery) {
  const verify = createVerifier({
    provider: 'shop',
    keys: createLocalJWKSet(signer.publicKeys()),
    organizations: undefined,
    now: () => new Date(signedAt.getTime() + seconds * 1_000),
  });
  const { headers, body } = changed(deliveryOf(anEvent(), signer));
  return await verify(headers, Buffer.from(body)).then(
    () => 'accepted',
    (thrown: { status: number; code: string; message: string }) =>
      `${thrown.status} ${thrown.code}: ${thrown.message}`,
  );
}

const asSigned = (signed: Delivery) => signed;
const unsigned = '401 unsigned: The event is not signed by Fairlead for this provider';
const text = (difference: string, time: string) =>
  `503 clock_skew: The clock of the provider is ${difference} that of Fairlead: its time is ${time}, the event was signed at 2026-01-01T00:00:00Z`;

it.each([
  [-185, text('185 s behind', '2025-12-31T23:56:55Z')],
  [-31, text('31 s behind', '2025-12-31T23:59:29Z')],
  [-30, 'accepted'],
  [0, 'accepted'],
  [89, 'accepted'],
  [90, text('90 s ahead of', '2026-01-01T00:01:30Z')],
  [86_400, text('86400 s ahead of', '2026-01-02T00:00:00Z')],
])('%i s after the signature: %s', async (seconds, want) => {
  expect(await verifiedAfter(seconds, asSigned)).toBe(want);
});

const spoilt: Record<string, (signed: Delivery) => Delivery> = {
  'a changed body': ({ headers, body }) => ({ headers, body: `${body} ` }),
  'a token for another provider': ({ body }) => {
    const token = signer.sign(anEvent({ provider: 'bank' }), body);
    return { headers: { authorization: `Bearer ${token}` }, body };
  },
  'a changed signature': ({ headers: { authorization: token = '' }, body }) => {
    const at = token.length - 10;
    const other = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    return { headers: { authorization: other }, body };
  },
};

it.each(Object.entries(spoilt))('%s is 401 at any time', async (_name, spoil) => {
  for (const seconds of [-185, 0, 185]) {
    expect(await verifiedAfter(seconds, spoil), `after ${seconds} s`).toBe(unsigned);
  }
});

let shop: ServedCarts;

beforeEach(async () => {
  shop = await serveCarts();
});

afterEach(() => shop.stop());

it.each([
  [-185, '185 s ahead of'],
  [185, '185 s behind'],
])('a server answers 503 with Retry-After, and calls no handler: %i s', async (shift, words) => {
  const now = new Date(Date.now() + shift * 1_000);
  const fairlead = await newSigner({ now: () => now, monotonic: () => 0 });
  shop.fairlead.publish(fairlead.publicKeys());
  const { headers, body } = deliveryOf(anEvent(), fairlead);
  const answer = await fetch(shop.served.url, { method: 'POST', headers, body });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
  // A second may pass between the two readings of the clock.
  const message = expect.stringMatching(words.replace('185', '18[4-6]'));
  expect(await answer.json()).toEqual({ error: { code: 'clock_skew', message } });
  expect(shop.calls).toEqual([]);
});
