// Verifies that a request is an event that Fairlead signed for this provider with this body, before any of it is used.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { eventAudience, eventIssuer } from '../../domain/event.ts';
import { isoSecond } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../../lib/json.ts';
import { notAnEvent, Refusal } from './refusal.ts';

/** Errors of the key set: no matching key, timeout, invalid key set. */
const keyErrors = [errors.JWKSNoMatchingKey, errors.JWKSTimeout, errors.JWKSInvalid];

/** The members of a body by which it is addressed. */
export interface Envelope {
  readonly event_id: string;
  readonly organization_id: string;
  readonly provider: string;
}

/** A body whose signature is right; its other members are whatever the sender wrote. */
export type SignedBody = Envelope & JsonObject;

export interface VerifierOptions {
  readonly provider: string;
  readonly keys: JWTVerifyGetKey;
  /** The organizations that may use this provider; all when absent. */
  readonly organizations: readonly string[] | undefined;
  /** Default: the wall clock. */
  readonly now?: () => Date;
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

export type Verify = (headers: IncomingHttpHeaders, body: Buffer) => Promise<SignedBody>;

/** @returns a function that throws Refusal unless the event is authentic */
export function createVerifier({
  provider,
  keys,
  organizations,
  now = () => new Date(),
}: VerifierOptions): Verify {
  return async (headers, body) => {
    const arrival = now();
    const claims = await verifiedClaims(eventToken(headers), keys, arrival);
    if (claims['body_sha256'] !== createHash('sha256').update(body).digest('hex')) throw unsigned();
    const event = addressedBody(body);
    if (!isForEvent(claims, event, provider)) throw unsigned();
    // Last: a clock is to blame only for what is right otherwise.
    checkClock(claims, arrival);
    if (organizations?.includes(event.organization_id) === false) {
      throw new Refusal(403, 'not_served', 'This provider does not serve the organization');
    }
    return event;
  };
}

function eventToken({ authorization = '' }: IncomingHttpHeaders): string {
  const [, token] = /^Bearer (\S+)$/.exec(authorization) ?? [];
  if (token === undefined) throw unsigned();
  return token;
}

/** A forwarded event of another organization, provider or time is signed as well. */
function isForEvent({ aud, sub }: JWTPayload, event: Envelope, provider: string): boolean {
  const audience = eventAudience(event.organization_id, provider);
  return aud === audience && event.provider === provider && sub === event.event_id;
}

type Claims = JWTPayload & Times;

/** @returns the claims of a signature that is right, also when it has expired */
async function verifiedClaims(
  token: string,
  keys: JWTVerifyGetKey,
  arrival: Date,
): Promise<Claims> {
  try {
    const { payload } = await jwtVerify<Times>(token, keys, {
      issuer: eventIssuer,
      algorithms: ['ES256', 'EdDSA'],
      requiredClaims: ['exp', 'iat', 'sub', 'aud'],
      clockTolerance: clockToleranceSeconds,
      currentDate: arrival,
    });
    return payload;
  } catch (thrown) {
    // jose checks the signature before the claims, and the expiry after the other claims.
    if (thrown instanceof errors.JWTExpired) return thrown.payload as Claims;
    // Without the key the event cannot be judged, so it must be retried.
    const noKey = keyErrors.some((kind) => thrown instanceof kind);
    if (noKey || !(thrown instanceof errors.JOSEError) || thrown.code === 'ERR_JOSE_GENERIC') {
      throw new Refusal(503, 'keys_unavailable', 'The public keys of Fairlead are not available');
    }
    throw unsigned();
  }
}

function addressedBody(body: Buffer): SignedBody {
  const value = jsonIn(body.toString());
  if (!isJsonObject(value)) throw notAnEvent();
  const { event_id, organization_id, provider } = value;
  const isAddressed = [event_id, organization_id, provider].every(
    (each) => typeof each === 'string',
  );
  if (!isAddressed) throw notAnEvent();
  return value as SignedBody;
}

function unsigned(): Refusal {
  return new Refusal(401, 'unsigned', 'The event is not signed by Fairlead for this provider');
}

// Tells a wrong clock from a wrong signature. A wrong clock is repaired and the event is sent again; a wrong signature stays wrong.

/** The difference of clocks that does not matter, in seconds. */
const clockToleranceSeconds = 30;

/** When a token was signed, and when it expires, in seconds since 1970. */
interface Times {
  readonly iat: number;
  readonly exp: number;
}

/** The token is right, but not valid at this time. */
class ClockSkew extends Refusal {
  override readonly retryAfter = 30;

  constructor(now: number, { iat }: Times) {
    const difference = now - iat;
    const direction = difference < 0 ? 'behind' : 'ahead of';
    super(
      503,
      'clock_skew',
      `The clock of the provider is ${Math.abs(difference)} s ${direction} that of Fairlead: its time is ${isoSecond(now)}, the event was signed at ${isoSecond(iat)}`,
    );
  }
}

/** @throws Refusal when a token is not yet or no longer valid, by more than the tolerance */
function checkClock(times: Times, now: Date): void {
  const seconds = Math.floor(now.getTime() / 1_000);
  const isEarly = times.iat > seconds + clockToleranceSeconds;
  const isLate = times.exp <= seconds - clockToleranceSeconds;
  if (isEarly || isLate) throw new ClockSkew(seconds, times);
}
