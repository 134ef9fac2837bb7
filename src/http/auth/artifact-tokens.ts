// Signs and verifies the tokens with which pods read one named artifact or upload a new one, and with which the controller
// removes unreferenced ones. The key is the event signing
// key; audience and type prevent the use of one token in place of the other.
import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { FairleadError } from '../../domain/errors.ts';
import { eventIssuer } from '../../domain/event.ts';
import { type ArtifactGrant, isDigest } from '../../domain/providers/artifact.ts';
import type { Clock } from '../../lib/clock.ts';

export interface VerifiedGrant {
  /** The id of this token. */
  readonly id: string;
  /**
   * The owner of the pods that carry it: `namespace/name` of a build or a provider; a Fairlead process has no namespace.
   */
  readonly holder: string;
  readonly grant: ArtifactGrant;
}

/** Signs tokens in the process that has the private key. */
export interface ArtifactTokens {
  /** Changes with the key. */
  readonly keyId: string;
  /** @param holder the build or provider whose pods carry the token, for the log: `namespace/name` */
  readonly sign: (holder: string, grant: ArtifactGrant, lifetimeSeconds: number) => Promise<string>;
}

export interface ArtifactVerifier {
  /**
   * @throws FairleadError `unauthenticated` for everything but an unexpired token of `sign`; `unavailable` while there is no
   *   published key
   */
  readonly verify: (token: string) => Promise<VerifiedGrant>;
}

const algorithm = 'EdDSA';
const audience = 'artifacts';
const type = 'artifact+jwt';
const unpublishedSeconds = 5;

/** @param key the private Ed25519 JWK of the installation */
export async function createArtifactTokens(key: JWK, clock: Clock): Promise<ArtifactTokens> {
  const { d: _private, key_ops: _operations, ...publicJwk } = key;
  const privateKey = await importJWK(key, algorithm);
  return {
    keyId: await calculateJwkThumbprint(publicJwk),
    sign(holder, grant, lifetimeSeconds) {
      const now = Math.floor(clock.now().getTime() / 1_000);
      return new SignJWT(grantClaims(grant))
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setIssuer(eventIssuer)
        .setAudience(audience)
        .setSubject(holder)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .sign(privateKey);
    },
  };
}

/** @param keys the current public keys; undefined until they are published */
export function createArtifactVerifier(
  keys: () => readonly object[] | undefined,
  clock: Clock,
): ArtifactVerifier {
  return {
    async verify(token) {
      const known = keys();
      if (known === undefined) throw keyUnpublished();
      for (const key of known) {
        const verified = await verifiedBy(key, token, clock).catch(() => undefined);
        if (verified !== undefined) return verified;
      }
      throw new FairleadError('unauthenticated', 'Not authenticated');
    },
  };
}

function keyUnpublished(): FairleadError {
  const message = 'The key of artifact tokens is not published yet; try again';
  return new FairleadError('unavailable', message, { retryAfter: unpublishedSeconds });
}

async function verifiedBy(key: JWK, token: string, clock: Clock): Promise<VerifiedGrant> {
  const { payload } = await jwtVerify(token, await importJWK(key, algorithm), {
    algorithms: [algorithm],
    audience,
    issuer: eventIssuer,
    typ: type,
    requiredClaims: ['exp', 'sub', 'jti'],
    currentDate: clock.now(),
  });
  const { jti: id = '', sub: holder = '' } = payload;
  return { id, holder, grant: grantIn(payload) };
}

function grantClaims(grant: ArtifactGrant): JWTPayload {
  const { direction } = grant;
  switch (direction) {
    case 'download':
      return { direction, digest: grant.digest, namespace: grant.namespace };
    case 'upload':
      return { direction, maximum_bytes: grant.maxBytes };
    case 'collect':
      return { direction };
  }
}

function grantIn(payload: JWTPayload): ArtifactGrant {
  const { direction, digest, namespace, maximum_bytes: maxBytes } = payload;
  if (direction === 'download' && typeof digest === 'string' && isDigest(digest)) {
    return typeof namespace === 'string' ? { direction, digest, namespace } : { direction, digest };
  }
  if (direction === 'upload' && typeof maxBytes === 'number') return { direction, maxBytes };
  if (direction === 'collect') return { direction };
  throw new TypeError('The artifact token has a valid signature but invalid claims');
}
