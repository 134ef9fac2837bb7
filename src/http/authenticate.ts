// From an Authorization header to who is asking. Issuer, keys, audience, algorithms and the rule for organizations are bound
// together: a token is judged by the settings of the one issuer it names, and by nothing else.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock.ts';
import { ErrorCode, FairleadError } from '../domain/errors.ts';
import { type Organization, organizationOf } from '../domain/identity.ts';
import type { Log } from '../domain/log.ts';
import { type Role, roles } from './authorize.ts';
import { createKeySet, requireSafeOrigin } from './key-set.ts';

export interface IssuerSettings {
  /** As in the `iss` claim; keys are found by discovery below it. */
  readonly issuer: string;
  readonly audience: string;
  /** Asymmetric ones only. */
  readonly algorithms: readonly string[];
  readonly organizationClaim: string;
  readonly rolesClaim: string;
  /** Whether the claim `project_id` of its tokens confines them to that project. */
  readonly platform: boolean;
  /** The organizations it may speak for; all when absent. */
  readonly allowedOrganizations?: readonly string[];
  /** Of tokens that name no role; they are refused when absent. */
  readonly defaultRole?: Role;
}

export interface Caller {
  readonly organization: Organization;
  readonly subject: string;
  readonly role: Role;
  /** The one project a platform token is confined to. */
  readonly project: string | undefined;
}

export interface Authenticator {
  /**
   * @param header the value of `Authorization`
   * @throws FairleadError `unauthenticated`; `no_organization` or `forbidden` for a good token that opens nothing here;
   *   `unavailable` when the keys of its issuer cannot be had
   */
  authenticate(header: string | undefined): Promise<Caller>;
}

export interface AuthenticatorOptions {
  readonly issuers: readonly IssuerSettings[];
  readonly clock: Clock;
  readonly log: Log;
}

const longestToken = 16_384;
const longestClaim = 256;
const skewSeconds = 30;
const longestLifeSeconds = 24 * 60 * 60;
const rememberedTokens = 10_000;
const rememberedMs = 60_000;

interface Remembered {
  readonly caller: Caller;
  /** On the wall clock, in milliseconds. */
  readonly until: number;
}

/** @throws TypeError for settings that would be unsafe: a symmetric algorithm, or keys over an open line */
export function createAuthenticator({ issuers, clock, log }: AuthenticatorOptions): Authenticator {
  const trusted = new Map(issuers.map((each) => [each.issuer, trust(each, { clock, log })]));
  // Verified tokens by their digest, so that the tokens themselves are kept nowhere.
  const remembered = new LRUCache<string, Remembered>({ max: rememberedTokens });

  async function verify(token: string): Promise<Remembered> {
    const issuer = trusted.get(claimedIssuer(token));
    if (issuer === undefined) throw unauthenticated();
    const { settings, keys } = issuer;
    const now = clock.now();
    const claims = await verified(token, { settings, keys, now, log });
    const { exp = 0, iat = 0 } = claims;
    // Dated ahead, a token could be short-lived on paper and good for years.
    const fromTheFuture = iat > now.getTime() / 1_000 + skewSeconds;
    if (fromTheFuture || exp - iat > longestLifeSeconds) throw unauthenticated();
    const until = Math.min(exp * 1_000, clock.now().getTime() + rememberedMs);
    return { caller: callerFrom(claims, settings), until };
  }

  return {
    async authenticate(header) {
      const token = bearer(header);
      const digest = createHash('sha256').update(token).digest('base64');
      const known = remembered.get(digest);
      if (known !== undefined && known.until > clock.now().getTime()) return known.caller;
      const fresh = await verify(token);
      remembered.set(digest, fresh);
      return fresh.caller;
    },
  };
}

function trust(settings: IssuerSettings, { clock, log }: { clock: Clock; log: Log }) {
  requireSafeOrigin(settings.issuer);
  const symmetric = settings.algorithms.filter((name) => !/^(?:RS|PS|ES|EdDSA|Ed)/.test(name));
  if (settings.algorithms.length === 0 || symmetric.length > 0) {
    throw new TypeError(`Only asymmetric algorithms can be trusted: ${symmetric.join(', ')}`);
  }
  return { settings, keys: createKeySet({ issuer: settings.issuer, clock, log }) };
}

function bearer(header: string | undefined): string {
  const [, token] = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header ?? '') ?? [];
  if (token === undefined || token.length > longestToken) throw unauthenticated();
  return token;
}

/** Whose token it says it is, which only decides whose keys it is checked with. */
function claimedIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw unauthenticated();
  }
}

interface Verification {
  readonly settings: IssuerSettings;
  readonly keys: JWTVerifyGetKey;
  readonly now: Date;
  readonly log: Log;
}

async function verified(
  token: string,
  { settings, keys, now, log }: Verification,
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: [...settings.algorithms],
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: skewSeconds,
      currentDate: now,
    });
    if (!isAccessToken(protectedHeader.typ)) throw unauthenticated();
    return payload;
  } catch (thrown) {
    if (thrown instanceof FairleadError) throw thrown;
    // What is not about the token is about the key: one that is too short, or that makes no sense.
    if (!(thrown instanceof errors.JOSEError)) {
      log.warn({ issuer: settings.issuer, error: thrown }, 'A key of an issuer cannot be used');
    }
    // Why it is not accepted is of use to attackers first.
    throw unauthenticated();
  }
}

/** Many issuers do not say what their tokens are for. One that says it is for something else is believed. */
function isAccessToken(type = 'JWT'): boolean {
  return ['jwt', 'at+jwt', 'application/at+jwt'].includes(type.toLowerCase());
}

function callerFrom(claims: JWTPayload, settings: IssuerSettings): Caller {
  const id = organizationIn(claims[settings.organizationClaim]);
  const { allowedOrganizations } = settings;
  if (allowedOrganizations !== undefined && !allowedOrganizations.includes(id)) {
    throw new FairleadError(ErrorCode.forbidden, 'This issuer may not speak for the organization');
  }
  const project = settings.platform ? projectIn(claims['project_id']) : undefined;
  const role = roleIn(claims[settings.rolesClaim], settings.defaultRole);
  return {
    organization: organizationOf(settings.issuer, id),
    subject: text(claims.sub),
    // A program of the platform keeps resources; it never administers an organization.
    role: project !== undefined && role === 'admin' ? 'editor' : role,
    project,
  };
}

function organizationIn(claim: unknown): string {
  if (claim === undefined || claim === null || claim === '') {
    throw new FairleadError(ErrorCode.noOrganization, 'The token names no organization');
  }
  return text(claim);
}

function projectIn(claim: unknown): string | undefined {
  return claim === undefined || claim === null ? undefined : text(claim);
}

function text(claim: unknown): string {
  const usable = typeof claim === 'string' && claim !== '' && claim.length <= longestClaim;
  if (!usable || !claim.isWellFormed()) throw unauthenticated();
  return claim;
}

function roleIn(claim: unknown, defaultRole: Role | undefined): Role {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const role = roles.findLast((each) => named.includes(each)) ?? defaultRole;
  if (role !== undefined) return role;
  throw new FairleadError(ErrorCode.insufficientRole, 'The token grants no role');
}

function unauthenticated(): FairleadError {
  return new FairleadError(ErrorCode.unauthenticated, 'Not authenticated');
}

const callers = new WeakMap<IncomingMessage, Caller>();

export function rememberCaller(req: IncomingMessage, caller: Caller): void {
  callers.set(req, caller);
}

/** @throws TypeError on routes that need no token: a defect of ours */
export function callerOf(req: IncomingMessage): Caller {
  const caller = callers.get(req);
  if (caller === undefined) throw new TypeError('This request was not authenticated');
  return caller;
}
