// Turns the tokens of an issuer into a login, and reads the claims of a token for explanations. Nothing here verifies a token:
// the API does.
import type { Login } from './credentials.ts';

/** The answer of a token endpoint. */
export interface TokenAnswer {
  readonly access_token?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
}

/** An hour, which is usual, for issuers that name no lifetime in any way. */
const usualSeconds = 3_600;

/** @returns the token that the API accepts, with its times; undefined when the issuer gave none of that kind */
export function tokensOf(
  answer: TokenAnswer,
  kind: 'access_token' | 'id_token',
  now: Date,
): Pick<Login, 'access_token' | 'expires_at' | 'refresh_token' | 'refreshed_at'> | undefined {
  const token = kind === 'id_token' ? answer.id_token : answer.access_token;
  if (token === undefined) return undefined;
  const seconds = Math.floor(now.getTime() / 1_000);
  return {
    access_token: token,
    expires_at: seconds + lifetimeOf(token, kind === 'id_token' ? undefined : answer.expires_in),
    ...(answer.refresh_token === undefined ? {} : { refresh_token: answer.refresh_token }),
    refreshed_at: seconds,
  };
}

// Durations, not times: the clock of this machine may be wrong, and expires_at is compared with it.
function lifetimeOf(token: string, expiresIn: number | undefined): number {
  if (expiresIn !== undefined) return expiresIn;
  const { exp, iat } = tokenClaims(token) ?? {};
  return typeof exp === 'number' && typeof iat === 'number' ? exp - iat : usualSeconds;
}

/** @returns the claims of a JWT, undefined for another kind of token */
export function tokenClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof claims === 'object' && claims !== null
      ? (claims as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const shown = ['iss', 'aud', 'sub', 'org_id', 'role', 'roles', 'project_id', 'exp'] as const;

/** @returns the claims that decide whether an API accepts a token, as facts of an error */
export function claimFacts(token: string): readonly (readonly string[])[] {
  const claims = tokenClaims(token);
  if (claims === undefined) return [['token', 'is no JWT']];
  return shown.map((name) => [name, claimText(name, claims[name])]);
}

function claimText(name: string, value: unknown): string {
  if (value === undefined) return '(missing)';
  if (name === 'exp' && typeof value === 'number') {
    return `${value} (${new Date(value * 1_000).toISOString()})`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// How long a token is used, and when it is refreshed.

const marginSeconds = 60;

type TokenTimes = Pick<Login, 'expires_at' | 'refreshed_at'>;

/** @returns the seconds until a token expires; negative afterwards */
export function secondsLeft({ expires_at }: Pick<Login, 'expires_at'>, now: Date): number {
  return expires_at - now.getTime() / 1_000;
}

/** @returns whether a token is used as it is: a minute is left, or a tenth of a short lifetime */
export function isFresh(login: TokenTimes, now: Date, leastSeconds = 0): boolean {
  const { expires_at, refreshed_at } = login;
  const margin = Math.min(marginSeconds, (expires_at - refreshed_at) / 10);
  // A clock that was set back makes a token look new for long; it is refreshed after a 401.
  return secondsLeft(login, now) > Math.max(margin, leastSeconds);
}
