// Proves to a provider that an event is from Fairlead and unchanged: a JWT for this event, provider, minute and body.
// Ed25519, because every event is signed and its keys and signatures are small and fast.
import { createHash } from 'node:crypto';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from 'jose';
import type { Clock } from '../domain/clock.ts';
import { eventAudience, eventIssuer } from '../domain/event.ts';
import type { OutgoingEvent } from './protocol.ts';

export interface Signer {
  /** @returns a token for one delivery of `body`, valid for 60 s */
  sign(event: OutgoingEvent, body: string): Promise<string>;
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
export async function createSigner(key: JWK, clock: Clock): Promise<Signer> {
  const { d: _private, ...publicKey } = key;
  const privateKey = await importJWK(key, algorithm);
  return {
    sign(event, body) {
      const now = Math.floor(clock.now().getTime() / 1_000);
      const digest = createHash('sha256').update(body).digest('hex');
      return new SignJWT({ body_sha256: digest })
        .setProtectedHeader({ alg: algorithm, ...(key.kid === undefined ? {} : { kid: key.kid }) })
        .setIssuer(eventIssuer)
        .setAudience(eventAudience(event.organizationId, event.provider))
        .setSubject(event.id)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .sign(privateKey);
    },
    publicKeys: () => ({ keys: [publicKey] }),
  };
}
