import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { createSigner, generateEventKey } from '../../../src/events/sign.ts';
import { anEvent, newSigner } from '../../support/servers/signing-fairlead.ts';

const now = new Date('2026-01-01T00:00:00.900Z');
const seconds = Date.parse('2026-01-01T00:00:00.000Z') / 1_000;
const clock = { now: () => now, monotonic: () => 0 };

it('claims exactly one event, one provider, one minute and one body', async () => {
  const body = '{"größe":3}';
  const token = (await newSigner(clock)).sign(anEvent({ id: 'evt-7' }), body);
  expect(decodeJwt(token)).toEqual({
    iss: 'fairlead',
    aud: 'provider:acme/shop',
    sub: 'evt-7',
    iat: seconds,
    exp: seconds + 60,
    body_sha256: createHash('sha256').update(body).digest('hex'),
  });
});

it('is verified by the published keys, which contain nothing private', async () => {
  const key = await generateEventKey();
  const signer = createSigner(key, clock);
  const token = signer.sign(anEvent(), '{}');
  const { keys } = signer.publicKeys();
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', kid: key.kid });
  expect(keys).toEqual([
    { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: key.kid, x: key.x },
  ]);
  const published = createLocalJWKSet({ keys });
  await expect(jwtVerify(token, published, { currentDate: now })).resolves.toBeDefined();
  const others = createLocalJWKSet((await newSigner()).publicKeys());
  await expect(jwtVerify(token, others, { currentDate: now })).rejects.toThrow();
});

it('generates distinct keys, each identified by its thumbprint', async () => {
  const [one, other] = [await generateEventKey(), await generateEventKey()];
  expect(one.kid).toMatch(/^[\w-]{43}$/);
  expect(one.kid).not.toBe(other.kid);
  expect(one.d).not.toBe(other.d);
});
