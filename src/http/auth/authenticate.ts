// Authenticates the caller from the Authorization header. A token is verified only with the settings of the one issuer it
// names: keys, audience, algorithms and the organization rule belong together.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { FairleadError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Caller, callerFrom, skewSeconds, unauthenticated } from './claims.ts';
import { asymmetricAlgorithms, type IssuerSettings } from './issuer-settings.ts';
import { createKeySet, type KeySet } from './key-set.ts';

export type { Caller } from './claims.ts';
export type { IssuerSettings } from './issuer-settings.ts';

export interface Authenticator {
  /**
   * @param header the value of `Authorization`
   * @throws FairleadError `unauthenticated`; `no_organization` or `forbidden` for a valid token without access;
   *   `unavailable` when the keys of its issuer cannot be fetched
   */
  authenticate(header: string | undefined): Promise<Caller>;
  /** Fetches the keys of every issuer; an unreachable issuer is no error. */
  warm(): Promise<void>;
  /** True if the tokens of at least one issuer can be verified. If not, a read triggers a retry. */
  readonly usable: boolean;
}

interface AuthenticatorOptions {
  readonly issuers: readonly IssuerSettings[];
  readonly clock: Clock;
  readonly log: Log;
}

const maxTokenLength = 16_384;
const maxLifeSeconds = 24 * 60 * 60;
const rememberedTokens = 10_000;
const rememberedMs = 60_000;

interface RememberedCaller {
  readonly caller: Caller;
  /** Wall-clock time in milliseconds. */
  readonly until: number;
}

/** @throws TypeError for unsafe settings: a symmetric algorithm, or keys over plain HTTP */
export function createAuthenticator({ issuers, clock, log }: AuthenticatorOptions): Authenticator {
  const trusted = new Map(issuers.map((each) => [each.issuer, trust(each, { clock, log })]));
  // Caches verified tokens by digest, so that no token itself is stored.
  const remembered = new LRUCache<string, RememberedCaller>({ max: rememberedTokens });

  async function verify(token: string): Promise<RememberedCaller> {
    const issuer = trusted.get(claimedIssuer(token));
    if (issuer === undefined) throw unauthenticated();
    const now = clock.now();
    const claims = await verifiedToken(token, { ...issuer, now, log });
    const { exp = 0, iat = 0 } = claims;
    const { maxLifetimeSeconds = maxLifeSeconds } = issuer.settings;
    // With an `iat` in the future, a short lifetime on paper could last for years.
    const fromTheFuture = iat > now.getTime() / 1_000 + skewSeconds;
    if (fromTheFuture || exp - iat > maxLifetimeSeconds) throw unauthenticated();
    const until = Math.min(exp * 1_000, clock.now().getTime() + rememberedMs);
    return { caller: callerFrom(claims, issuer.settings), until };
  }

  return {
    async authenticate(header) {
      const token = bearerTokenIn(header);
      const digest = createHash('sha256').update(token).digest('base64');
      const known = remembered.get(digest);
      if (known !== undefined && known.until > clock.now().getTime()) return known.caller;
      const fresh = await verify(token);
      remembered.set(digest, fresh);
      return fresh.caller;
    },
    warm: async () => {
      await Promise.all([...trusted.values()].map(({ keys }) => keys.warm()));
    },
    get usable() {
      // Every key set must be read, because a read triggers its retry.
      return [...trusted.values()].map(({ keys }) => keys.usable).includes(true);
    },
  };
}

function trust(settings: IssuerSettings, { clock, log }: { clock: Clock; log: Log }) {
  const { issuer, algorithms, jwksUrl, staleKeysSeconds } = settings;
  const known: readonly string[] = asymmetricAlgorithms;
  const others = algorithms.filter((name) => !known.includes(name));
  if (algorithms.length === 0 || others.length > 0) {
    throw new TypeError(`Asymmetric algorithms are required; not supported: ${others.join(', ')}`);
  }
  const staleMs = staleKeysSeconds === undefined ? undefined : staleKeysSeconds * 1_000;
  return { settings, keys: createKeySet({ issuer, jwksUrl, staleMs, clock, log }) };
}

function bearerTokenIn(header: string | undefined): string {
  if (header === undefined || !/^Bearer(?: |$)/i.test(header)) throw missingToken();
  const [, token] = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header) ?? [];
  if (token === undefined || token.length > maxTokenLength) throw unauthenticated();
  return token;
}

function missingToken(): FairleadError {
  return new FairleadError('unauthenticated', 'Not authenticated');
}

/** Reads the unverified issuer of a token; it only selects the keys for the verification. */
function claimedIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw unauthenticated();
  }
}

interface Verification {
  readonly settings: IssuerSettings;
  readonly keys: KeySet;
  readonly now: Date;
  readonly log: Log;
}

async function verifiedToken(token: string, verification: Verification): Promise<JWTPayload> {
  try {
    return await verifiedOnce(token, verification);
  } catch (thrown) {
    // The issuer may have reused the id of an old key for a new one.
    const otherKey = thrown instanceof errors.JWSSignatureVerificationFailed;
    if (!otherKey || !(await verification.keys.askAgain())) throw refusalFor(thrown, verification);
  }
  try {
    return await verifiedOnce(token, verification);
  } catch (thrown) {
    throw refusalFor(thrown, verification);
  }
}

async function verifiedOnce(
  token: string,
  { settings, keys, now }: Verification,
): Promise<JWTPayload> {
  const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
    issuer: settings.issuer,
    audience: [settings.audience].flat(),
    algorithms: [...settings.algorithms],
    requiredClaims: ['exp', 'iat', 'sub'],
    clockTolerance: skewSeconds,
    currentDate: now,
  });
  if (!isAccessToken(protectedHeader.typ, settings)) throw unauthenticated();
  return payload;
}

/** Detailed reasons of a rejected token would mostly help attackers. */
function refusalFor(thrown: unknown, { settings, log }: Verification): FairleadError {
  if (thrown instanceof FairleadError) return thrown;
  // Errors of other classes concern the key: too short, or invalid.
  if (!(thrown instanceof errors.JOSEError)) {
    log.warn(
      { issuer: settings.issuer, error: thrown },
      'A key of the issuer is invalid or too short',
    );
  }
  return unauthenticated();
}

/** Many issuers do not state the purpose of their tokens. A token that states another purpose is rejected. */
function isAccessToken(type: unknown, { tokenTypes = ['JWT', 'at+jwt'] }: IssuerSettings): boolean {
  const said = type ?? 'JWT';
  return typeof said === 'string' && tokenTypes.map(mediaType).includes(mediaType(said));
}

/** Normalizes as RFC 7515 compares: case-insensitive, with `application/` optional. */
function mediaType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

/** @returns the header `Authorization`; undefined when there are two, because a proxy may read the other one */
export function authorizationOf(req: IncomingMessage): string | undefined {
  const { authorization = [] } = req.headersDistinct;
  return authorization.length === 1 ? authorization[0] : undefined;
}

const callers = new WeakMap<IncomingMessage, Caller>();

export function rememberCaller(req: IncomingMessage, caller: Caller): void {
  callers.set(req, caller);
}

/** @returns undefined for a request that is not authenticated */
export function callerIn(req: IncomingMessage): Caller | undefined {
  return callers.get(req);
}

/** @throws TypeError on routes that need no token: a defect of ours */
export function callerOf(req: IncomingMessage): Caller {
  const caller = callerIn(req);
  if (caller === undefined) throw new TypeError('This request was not authenticated');
  return caller;
}
