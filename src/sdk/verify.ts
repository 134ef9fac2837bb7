// Verifies that a request is an event that Fairlead signed for this provider with this body, before any of it is used.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { type EventBody, eventAudience, eventIssuer } from '../domain/event.ts';

/** An answer without calling a handler. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const skewSeconds = 30;
/** Errors of the key set: no matching key, timeout, invalid key set. */
const keyErrors = [errors.JWKSNoMatchingKey, errors.JWKSTimeout, errors.JWKSInvalid];

const json = z.record(z.string(), z.unknown());
const Event = z.object({
  event_id: z.string(),
  event_type: z.enum(['CREATE', 'UPDATE', 'DELETE']),
  organization_id: z.string(),
  project_id: z.string(),
  provider: z.string(),
  resource: z.string(),
  name: z.string(),
  config: json,
  previous_config: json.nullable(),
  outputs: json,
  attempt: z.int(),
  // Fairlead 0.1.0 sends none.
  sequence: z.int().default(0),
  generation: z.int(),
  context: json.nullable(),
});

export interface VerifierOptions {
  readonly provider: string;
  readonly keys: JWTVerifyGetKey;
  /** The organizations that may use this provider; all when absent. */
  readonly organizations: readonly string[] | undefined;
}

/** The public keys of a Fairlead, found below its base address and fetched again when they change. */
export function keysOf(fairlead: string): JWTVerifyGetKey {
  const base = fairlead.endsWith('/') ? fairlead : `${fairlead}/`;
  return createRemoteJWKSet(new URL('.well-known/jwks.json', base), {
    timeoutDuration: 5_000,
    // An unknown key means a rotation; the retried event arrives after this time.
    cooldownDuration: 5_000,
  });
}

export type Verify = (headers: IncomingHttpHeaders, body: Buffer) => Promise<EventBody>;

/** @returns a function that throws Refusal unless the event is authentic */
export function createVerifier({ provider, keys, organizations }: VerifierOptions): Verify {
  return async (headers, body) => {
    const claims = await verified(bearer(headers), keys);
    if (claims['body_sha256'] !== createHash('sha256').update(body).digest('hex')) throw unsigned();
    const event = parsed(body);
    if (!isMeant(claims, event, provider)) throw unsigned();
    if (organizations?.includes(event.organization_id) === false) {
      throw new Refusal(403, 'not_served', 'This provider does not serve the organization');
    }
    return event;
  };
}

function bearer({ authorization = '' }: IncomingHttpHeaders): string {
  const [, token] = /^Bearer (\S+)$/.exec(authorization) ?? [];
  if (token === undefined) throw unsigned();
  return token;
}

/** A forwarded event of another organization, provider or time is signed as well. */
function isMeant({ aud, sub }: JWTPayload, event: EventBody, provider: string): boolean {
  const audience = eventAudience(event.organization_id, provider);
  return aud === audience && event.provider === provider && sub === event.event_id;
}

async function verified(token: string, keys: JWTVerifyGetKey): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: eventIssuer,
      algorithms: ['ES256', 'EdDSA'],
      requiredClaims: ['exp', 'sub', 'aud'],
      clockTolerance: skewSeconds,
    });
    return payload;
  } catch (thrown) {
    // A slow network can cause an expired signature; the next attempt has a new one.
    if (thrown instanceof errors.JWTExpired)
      throw new Refusal(503, 'expired', 'The event has expired');
    // Without the key the event cannot be judged, so it must be retried.
    const noKey = keyErrors.some((kind) => thrown instanceof kind);
    if (noKey || !(thrown instanceof errors.JOSEError) || thrown.code === 'ERR_JOSE_GENERIC') {
      throw new Refusal(503, 'keys_unavailable', 'The public keys of Fairlead are not available');
    }
    throw unsigned();
  }
}

function parsed(body: Buffer): EventBody {
  const result = Event.safeParse(jsonIn(body));
  if (result.success) return result.data as EventBody;
  throw new Refusal(400, 'not_an_event', 'The body is not an event');
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function unsigned(): Refusal {
  return new Refusal(401, 'unsigned', 'The event is not signed by Fairlead for this provider');
}
