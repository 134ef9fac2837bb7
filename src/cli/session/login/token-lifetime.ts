// How long a token is used, and when it is refreshed.
import type { Login } from './credentials.ts';

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
