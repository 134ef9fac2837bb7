// Proves to a provider that an event is from Fairlead and unchanged: a JWT for this event, provider, minute and body.
// Ed25519, because every event is signed and its keys and signatures are small and fast.
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { eventAudience, eventIssuer } from '../domain/event.ts';
import type { Clock } from '../lib/clock.ts';
import type { OutgoingEvent } from './protocol.ts';

export interface Signer {
  /** @returns a token for one delivery of `body`, valid for 60 s */
  sign(event: Pick<OutgoingEvent, 'id' | 'organizationId' | 'provider'>, body: string): string;
  /** The public keys that verify it, as a JWK Set. */
  publicKeys(): { keys: JWK[] };
}

const lifetimeSeconds = 60;
const algorithm = 'EdDSA';

/** @returns a new private key as a JWK with its thumbprint as `kid` */
export async function generateEventKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, alg: algorithm, use: 'sig', kid: await calculateJwkThumbprint(jwk) };
}

/** @param key a private JWK from `generateEventKey` */
export function createSigner(key: JWK, clock: Clock): Signer {
  const { d: _private, ...publicKey } = key;
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const header = encoded({ alg: algorithm, kid: key.kid });
  return {
    // Not by jose: it signs in another thread, and the way there and back takes longer than the signature.
    sign(event, body) {
      const now = Math.floor(clock.now().getTime() / 1_000);
      const claims = {
        body_sha256: createHash('sha256').update(body).digest('hex'),
        iss: eventIssuer,
        aud: eventAudience(event.organizationId, event.provider),
        sub: event.id,
        iat: now,
        exp: now + lifetimeSeconds,
      };
      const input = `${header}.${encoded(claims)}`;
      return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
    },
    publicKeys: () => ({ keys: [publicKey] }),
  };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
