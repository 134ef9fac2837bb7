// Caches the public keys of one issuer, from discovery or a configured URL. It refreshes them periodically and for an
// unknown key id. While the issuer is down, cached keys stay valid for half a day.

import { createLocalJWKSet, errors, type JWSHeaderParameters, type JWTVerifyGetKey } from 'jose';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { readBounded } from '../../lib/read-bounded.ts';
import { onLoopback } from './issuer-settings.ts';

const requestLimitMs = 5_000;
const answerLimitBytes = 1_048_576;
/** At most one request for unknown keys in this time: anybody can invent key ids. */
const cooldownMs = 30_000;
const refreshAfterMs = 10 * 60_000;
/** Older keys are not used during their refresh: a revoked key would be accepted once more. */
const oldAfterMs = 2 * refreshAfterMs;
/** Without any key a longer wait protects nothing, but many incoming requests must not cause as many outgoing ones. */
const firstCooldownMs = 1_000;
const retrySeconds = 5;

interface KeySetOptions {
  /** Equals the `iss` claim. */
  readonly issuer: string;
  /** Replaces discovery. */
  readonly jwksUrl?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** How long keys stay valid without a successful refresh; 12 h. */
  readonly staleMs?: number | undefined;
}

export interface KeySet {
  /** Finds a key for jose; throws FairleadError `unavailable` if the keys cannot be fetched at the moment. */
  readonly find: JWTVerifyGetKey;
  /** Fetches the keys unless that was done a moment ago. @returns whether it fetched them */
  askAgain(): Promise<boolean>;
  /** Fetches the keys if there are none. */
  warm(): Promise<void>;
  /** True if there are keys. If not, a read triggers a fetch. */
  readonly usable: boolean;
}

type Keys = ReturnType<typeof createLocalJWKSet>;
// At this low request rate, a kept-alive connection would often be dead.
const singleUse = new Agent({ pipelining: 0 });

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
const KeyDocument = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** @throws TypeError when the keys would be fetched over plain HTTP */
export function createKeySet(options: KeySetOptions): KeySet {
  const { issuer, jwksUrl, clock, log, staleMs = 12 * 60 * 60_000 } = options;
  const mayBeOpen = onLoopback(issuer);
  requireSafeOrigin(issuer, mayBeOpen);
  if (jwksUrl !== undefined) requireSafeOrigin(jwksUrl, mayBeOpen);
  let known: { readonly keys: Keys; readonly at: number } | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    askedAt = clock.monotonic();
    try {
      known = { keys: await fetchKeys(options, mayBeOpen), at: clock.monotonic() };
      failing = false;
    } catch (thrown) {
      if (!failing) log.warn({ issuer, error: thrown }, 'Fetching the keys of an issuer failed');
      failing = true;
    }
  }

  function refresh(): Promise<void> {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  const age = () => clock.monotonic() - (known?.at ?? Number.NEGATIVE_INFINITY);
  const rested = (ms: number) => asking !== undefined || clock.monotonic() - askedAt >= ms;
  const mayAsk = () => rested(cooldownMs);
  const empty = () => known === undefined || age() > staleMs;
  const unavailable = () =>
    new FairleadError('unavailable', 'The issuer of the token is unreachable; try again', {
      retryAfter: retrySeconds,
    });

  /** During an outage no caller waits for a second timeout. */
  async function refreshAged(): Promise<void> {
    const mustWait = age() > oldAfterMs && !failing;
    const refreshed = refresh();
    if (mustWait) await refreshed;
  }

  async function current(): Promise<Keys> {
    if (empty()) {
      if (rested(firstCooldownMs)) await refresh();
    } else if (age() > refreshAfterMs && mayAsk()) {
      await refreshAged();
    }
    if (known === undefined || age() > staleMs) throw unavailable();
    return known.keys;
  }

  const find = async (header: JWSHeaderParameters, token: Parameters<JWTVerifyGetKey>[1]) => {
    const keys = await current();
    try {
      return await keys(header, token);
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
      if (mayAsk()) await refresh();
      if (failing) throw unavailable();
      return (await current())(header, token);
    }
  };

  return {
    find,
    askAgain: async () => {
      if (!mayAsk()) return false;
      await refresh();
      return !failing;
    },
    warm: async () => {
      if (empty()) await refresh();
    },
    get usable() {
      if (empty() && asking === undefined && rested(firstCooldownMs)) void refresh();
      return !empty();
    },
  };
}

async function fetchKeys(
  { issuer, jwksUrl }: Pick<KeySetOptions, 'issuer' | 'jwksUrl'>,
  mayBeOpen: boolean,
): Promise<Keys> {
  const where = jwksUrl ?? (await discover(issuer));
  // Only an issuer on this machine may have its keys on this machine.
  requireSafeOrigin(where, mayBeOpen);
  const { keys } = KeyDocument.parse(await fetchJson(where));
  return createLocalJWKSet({ keys });
}

async function discover(issuer: string): Promise<string> {
  const where = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = Discovery.parse(await fetchJson(where));
  if (found.issuer !== issuer) throw new TypeError('The discovery document names another issuer');
  return found.jwks_uri;
}

async function fetchJson(url: string): Promise<unknown> {
  // Redirects are not followed: they could lead anywhere. An issuer that moves needs a new configuration.
  const answer = await request(url, {
    dispatcher: singleUse,
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(requestLimitMs),
  });
  if (answer.statusCode !== 200) {
    await answer.body.dump({ limit: answerLimitBytes }).catch(() => undefined);
    throw new TypeError(`The issuer answered with status ${answer.statusCode}`);
  }
  const tooLarge = () => new TypeError('The answer of the issuer is too large');
  const bytes = await readBounded(answer.body, answerLimitBytes, tooLarge);
  return JSON.parse(bytes.toString()) as unknown;
}

/** Keys that arrive over plain HTTP could be forged. @throws TypeError */
function requireSafeOrigin(url: string, mayBeOpen: boolean): void {
  if (new URL(url).protocol === 'https:' || (mayBeOpen && onLoopback(url))) return;
  throw new TypeError(
    'The keys of an issuer must be fetched over https, or over http from loopback',
  );
}
