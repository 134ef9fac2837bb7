import { importJWK, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import type { ArtifactGrant } from '../../../../src/domain/providers/artifact.ts';
import { createSigner, generateEventKey } from '../../../../src/events/sign.ts';
import {
  createArtifactTokens,
  createArtifactVerifier,
} from '../../../../src/http/auth/artifact-tokens.ts';
import { anEvent } from '../../../support/servers/signing-fairlead.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const download: ArtifactGrant = { direction: 'download', digest: `sha256:${'a'.repeat(64)}` };
const upload: ArtifactGrant = { direction: 'upload', maxBytes: 1_000 };
const key = await generateEventKey();

function publicHalf({ d: _private, ...rest }: typeof key) {
  return rest;
}

async function tokensAt(time: { ms: number }, withKey = key) {
  const clock = { now: () => new Date(time.ms), monotonic: () => 0 };
  const verifier = createArtifactVerifier(() => [publicHalf(withKey)], clock);
  return { clock, ...verifier, ...(await createArtifactTokens(withKey, clock)) };
}

it.each([download, { ...download, namespace: 'fl-acme' }, upload])(
  'grants exactly what was signed: $direction',
  async (grant) => {
    const { sign, verify } = await tokensAt({ ms: start });
    const verified = await verify(await sign('fl-acme/box', grant, 60));
    expect(verified).toStrictEqual({ id: expect.any(String), holder: 'fl-acme/box', grant });
  },
);

it('gives two tokens for the same grant different ids', async () => {
  const { sign, verify } = await tokensAt({ ms: start });
  const first = await verify(await sign('x', upload, 60));
  const second = await verify(await sign('x', upload, 60));
  expect(first.id).not.toBe(second.id);
});

it('is valid until it expires', async () => {
  const time = { ms: start };
  const { sign, verify } = await tokensAt(time);
  const token = await sign('x', download, 60);
  time.ms = start + 59_000;
  await expect(verify(token)).resolves.toMatchObject({ grant: download });
  time.ms = start + 60_000;
  await expect(verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('[K01] is valid with any of the public keys', async () => {
  const { clock, sign } = await tokensAt({ ms: start });
  const others = [publicHalf(await generateEventKey()), publicHalf(key)];
  const other = createArtifactVerifier(() => others, clock);
  const token = await sign('x', download, 60);
  await expect(other.verify(token)).resolves.toMatchObject({ grant: download });
});

it('has no verdict while no key is published', async () => {
  const { clock, sign } = await tokensAt({ ms: start });
  const { verify } = createArtifactVerifier(() => undefined, clock);
  const token = await sign('x', download, 60);
  await expect(verify(token)).rejects.toMatchObject({ code: 'unavailable' });
});

interface Forgery {
  readonly header?: object;
  readonly claims?: Record<string, unknown>;
  readonly by?: typeof key;
}

async function forged({ header = {}, claims = {}, by = key }: Forgery): Promise<string> {
  const good = { iss: 'fairlead', aud: 'artifacts', sub: 'x', jti: 'i', exp: start / 1_000 + 60 };
  const allClaims = { ...good, ...download, ...claims };
  const kept = Object.entries(allClaims).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(kept))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'artifact+jwt', ...header })
    .sign(await importJWK(by, 'EdDSA'));
}

it('accepts the token that the forgeries below modify', async () => {
  const { verify } = await tokensAt({ ms: start });
  await expect(verify(await forged({}))).resolves.toMatchObject({ grant: download });
});

it.each<[string, Forgery]>([
  ['of another key', { by: await generateEventKey() }],
  ['for another audience', { claims: { aud: 'provider:acme/shop' } }],
  ['of another issuer', { claims: { iss: 'somebody' } }],
  ['of another type', { header: { typ: 'JWT' } }],
  ['without a type', { header: { typ: undefined } }],
  ['that never expires', { claims: { exp: undefined } }],
  ['without an id', { claims: { jti: undefined } }],
  ['for no direction', { claims: { direction: 'both' } }],
  ['for an invalid digest', { claims: { digest: '../../etc/passwd' } }],
  ['for an upload without a limit', { claims: { direction: 'upload' } }],
])('[K08] rejects one %s', async (_what, forgery) => {
  const { verify } = await tokensAt({ ms: start });
  const token = await forged(forgery);
  await expect(verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it.each(['', 'x', 'a.b.c', 'é'])('rejects %j, which is not a token', async (token) => {
  const { verify } = await tokensAt({ ms: start });
  await expect(verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('[Q19] is not accepted as a token of an event, nor the other way round', async () => {
  const { clock, verify } = await tokensAt({ ms: start });
  const event = createSigner(key, clock).sign(anEvent(), '{}');
  await expect(verify(event)).rejects.toMatchObject({ code: 'unauthenticated' });
});
