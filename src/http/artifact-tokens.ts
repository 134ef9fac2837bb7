// What a pod may do with artifacts, as a token: fetch one that it names, or hand in one that is not known yet. The key is
// the one that events are signed with; audience and type keep the one from passing for the other.
import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { type ArtifactGrant, isDigest } from '../domain/artifact.ts';
import type { Clock } from '../domain/clock.ts';
import { ErrorCode, FairleadError } from '../domain/errors.ts';
import { eventIssuer } from '../domain/event.ts';

export interface VerifiedGrant {
  /** Of this one token. */
  readonly id: string;
  /** Whose pods carry it. */
  readonly holder: string;
  readonly grant: ArtifactGrant;
}

export interface ArtifactTokens {
  /** Another one for another key. */
  readonly keyId: string;
  /** @param holder whose pods carry it, for the log: `namespace/name` of a build or a provider */
  readonly sign: (holder: string, grant: ArtifactGrant, lifetimeSeconds: number) => Promise<string>;
  /** @throws FairleadError `unauthenticated` for everything but an unexpired token of `sign` */
  readonly verify: (token: string) => Promise<VerifiedGrant>;
}

const algorithm = 'EdDSA';
const audience = 'artifacts';
const type = 'artifact+jwt';

/** @param key the private Ed25519 JWK of the installation */
export async function createArtifactTokens(key: JWK, clock: Clock): Promise<ArtifactTokens> {
  const { d: _private, key_ops: _operations, ...publicJwk } = key;
  const privateKey = await importJWK(key, algorithm);
  const publicKey = await importJWK(publicJwk, algorithm);
  return {
    keyId: await calculateJwkThumbprint(publicJwk),
    sign(holder, grant, lifetimeSeconds) {
      const now = Math.floor(clock.now().getTime() / 1_000);
      return new SignJWT(claimsOf(grant))
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setIssuer(eventIssuer)
        .setAudience(audience)
        .setSubject(holder)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .sign(privateKey);
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, publicKey, {
          algorithms: [algorithm],
          audience,
          issuer: eventIssuer,
          typ: type,
          requiredClaims: ['exp', 'sub', 'jti'],
          currentDate: clock.now(),
        });
        const { jti: id = '', sub: holder = '' } = payload;
        return { id, holder, grant: grantIn(payload) };
      } catch {
        throw new FairleadError(ErrorCode.unauthenticated, 'Not authenticated');
      }
    },
  };
}

function claimsOf(grant: ArtifactGrant): JWTPayload {
  return grant.direction === 'download'
    ? { direction: grant.direction, digest: grant.digest }
    : { direction: grant.direction, maximum_bytes: grant.maximumBytes };
}

function grantIn({ direction, digest, maximum_bytes: maximumBytes }: JWTPayload): ArtifactGrant {
  if (direction === 'download' && typeof digest === 'string' && isDigest(digest)) {
    return { direction, digest };
  }
  if (direction === 'upload' && typeof maximumBytes === 'number')
    return { direction, maximumBytes };
  throw new TypeError('A token of ours with claims that are not');
}
