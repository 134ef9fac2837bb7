// Maps the claims of a verified token to a caller, with the settings of its issuer. Claims are addressed by paths, which
// supports identity providers that nest claims in objects or name them by URLs.
import type { JWTPayload } from 'jose';
import { type Role, roles } from '../../api/roles.ts';
import { type Actor, displayName } from '../../domain/actor.ts';
import { FairleadError, InvalidToken } from '../../domain/errors.ts';
import { type Organization, organizationOf } from '../../domain/identity.ts';
import type { ClaimPath, IssuerSettings } from './issuer-settings.ts';

export interface Caller {
  readonly organization: Organization;
  readonly subject: string;
  /** From the token; undefined if the claim is missing. */
  readonly email: string | undefined;
  /** Name to show for the subject; undefined when the token has none. */
  readonly display?: string | undefined;
  readonly organizationName: string | undefined;
  readonly role: Role;
  /** The one project to which a platform token is confined. */
  readonly project: string | undefined;
  /** The time at which the token expires. */
  readonly expiresAt: Date;
}

export function actorOf({ subject, display }: Caller): Actor {
  return { subject, name: display };
}

/** The maximum clock skew. */
export const skewSeconds = 30;
const maxClaimLength = 256;

/** @throws FairleadError `unauthenticated`; `no_organization`, `forbidden`, `insufficient_role` */
export function callerFrom(claims: JWTPayload, settings: IssuerSettings): Caller {
  requireClaims(claims, settings);
  const id = organizationIn(claims, settings);
  const project = projectOfClaims(claims, settings);
  const role = roleIn(claims, settings);
  return {
    organization: organizationOf(settings.issuer, id),
    subject: claimText(claims.sub),
    email: shownText(claims['email']),
    display: nameOfClaims(claims),
    organizationName: shownText(claims['organization_name'] ?? claims['org_name']),
    // A platform program manages resources; it never administers an organization.
    role: project !== undefined && role === 'admin' ? 'editor' : role,
    project,
    expiresAt: new Date(((claims.exp ?? 0) + skewSeconds) * 1_000),
  };
}

/** @returns the path of names from the claims to a value: a URL is one name; otherwise dots separate names, except `\.` */
export function claimPath(path: ClaimPath): readonly string[] {
  if (typeof path !== 'string') return path;
  if (/^https?:\/\//.test(path)) return [path];
  return path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
}

/** @returns undefined when the claim does not exist; inherited properties do not count */
export function claimAt(claims: object, path: ClaimPath): unknown {
  let value: unknown = claims;
  for (const name of claimPath(path)) {
    const holds = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!holds || !Object.hasOwn(value as object, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Required claims distinguish the kinds of tokens that an issuer signs with the same keys and audience. */
function requireClaims(claims: JWTPayload, { requiredClaims = [] }: IssuerSettings): void {
  // A logout token grants no access, whatever other claims it has.
  if (claims['events'] !== undefined) throw unauthenticated();
  for (const { claim, values } of requiredClaims) {
    const found = claimAt(claims, claim);
    const named = wordsIn(found);
    const there = values === undefined ? found !== undefined && found !== null : undefined;
    if (!(there ?? values?.some((each) => named.includes(each)))) throw unauthenticated();
  }
}

function organizationIn(claims: JWTPayload, settings: IssuerSettings): string {
  const { organization, organizationClaim, allowedOrganizations } = settings;
  if (organization !== undefined) return organization;
  const claim = organizationClaim === undefined ? undefined : claimAt(claims, organizationClaim);
  if (claim === undefined || claim === null || claim === '') {
    throw new FairleadError('no_organization', 'The token has no organization claim');
  }
  const id = claimText(claim);
  if (allowedOrganizations === undefined || allowedOrganizations.includes(id)) return id;
  throw new FairleadError(
    'forbidden',
    'The organization is not allowed for the issuer of the token',
  );
}

function projectOfClaims(
  claims: JWTPayload,
  { platform, projectClaim = ['project_id'] }: IssuerSettings,
): string | undefined {
  if (!platform) return undefined;
  const claim = claimAt(claims, projectClaim);
  if (claim !== undefined && claim !== null) return claimText(claim);
  if (platform !== 'required') return undefined;
  // Without the claim the token would be valid for the whole organization, including its administration.
  const path = typeof projectClaim === 'string' ? projectClaim : projectClaim.join('.');
  throw new FairleadError(
    'forbidden',
    `The token has no project; tokens of this issuer require the claim ${path}`,
  );
}

function claimText(claim: unknown): string {
  // A name of only white space is invalid.
  const usable = typeof claim === 'string' && /\S/.test(claim) && claim.length <= maxClaimLength;
  if (!usable || !claim.isWellFormed()) throw unauthenticated();
  return claim;
}

/** The name that people sign in with comes first: others share a name, and addresses change. */
const nameClaims = ['preferred_username', 'email', 'name'] as const;

function nameOfClaims(claims: JWTPayload): string | undefined {
  for (const each of nameClaims) {
    const claim = claims[each];
    const name = typeof claim === 'string' ? displayName(claim) : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

/** A bad value that is only displayed rejects nobody. */
function shownText(claim: unknown): string | undefined {
  const usable = typeof claim === 'string' && claim.trim() !== '' && claim.length <= maxClaimLength;
  return usable && claim.isWellFormed() ? claim : undefined;
}

function roleIn(claims: JWTPayload, settings: IssuerSettings): Role {
  const { rolesClaim, defaultRole, roles: ours } = settings;
  const named = rolesClaim === undefined ? [] : wordsIn(claimAt(claims, rolesClaim));
  // With a role mapping nothing else counts: an `admin` of the identity provider is not automatically one here.
  const granted = ours === undefined ? named : named.map((name) => ours[name]);
  const role = roles.findLast((each) => granted.includes(each)) ?? defaultRole;
  if (role !== undefined) return role;
  throw new FairleadError('insufficient_role', 'The token grants no role');
}

/** Accepts a list, or words separated by spaces as in `scope`. */
function wordsIn(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  if (!Array.isArray(claim)) return [];
  return claim.filter((each) => typeof each === 'string');
}

export function unauthenticated(): FairleadError {
  return new InvalidToken();
}
