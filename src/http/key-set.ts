// The public keys of one issuer, found by discovery. They are fetched again now and then and when a token names an unknown
// one; while the issuer does not answer, the keys that were known go on working for half a day.
import { createLocalJWKSet, errors, type JWSHeaderParameters, type JWTVerifyGetKey } from 'jose';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Clock } from '../domain/clock.ts';
import { ErrorCode, FairleadError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';

const requestLimitMs = 5_000;
const answerLimitBytes = 1_048_576;
/** No more than one request for unknown keys in this time: anybody can make up key ids. */
const cooldownMs = 30_000;
const refreshAfterMs = 10 * 60_000;
/** Keys this old are not used once more while they are refreshed: one that was taken away would open the door again. */
const oldAfterMs = 2 * refreshAfterMs;
const retrySeconds = 5;

export interface KeySetOptions {
  /** As in the `iss` claim. */
  readonly issuer: string;
  readonly clock: Clock;
  readonly log: Log;
  /** How long keys work that could not be fetched again; 12 h. */
  readonly staleMs?: number;
}

type Keys = ReturnType<typeof createLocalJWKSet>;
type Token = Parameters<JWTVerifyGetKey>[1];

// Asked this rarely, a connection that was kept would often turn out to be dead.
const singleUse = new Agent({ pipelining: 0 });

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
const KeyDocument = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** @returns what jose asks for keys; it throws FairleadError `unavailable` when they cannot be had just now */
export function createKeySet(options: KeySetOptions): JWTVerifyGetKey {
  const { issuer, clock, log, staleMs = 12 * 60 * 60_000 } = options;
  let known: { readonly keys: Keys; readonly at: number } | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    askedAt = clock.monotonic();
    try {
      known = { keys: await fetchKeys(issuer), at: clock.monotonic() };
      failing = false;
    } catch (thrown) {
      if (!failing) log.warn({ issuer, error: thrown }, 'The keys of an issuer cannot be fetched');
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
  const mayAsk = () => asking !== undefined || clock.monotonic() - askedAt >= cooldownMs;
  const unavailable = () =>
    new FairleadError(ErrorCode.unavailable, 'The issuer of this token cannot be reached', {
      retryAfter: retrySeconds,
    });

  async function current(): Promise<Keys> {
    if (age() > staleMs) {
      // Before the first answer there is nothing to protect by waiting: an issuer that starts with us is asked each time.
      await refresh();
    } else if (age() > refreshAfterMs && mayAsk()) {
      const wasFailing = failing;
      const refreshed = refresh();
      // During an outage nobody waits a second time for an answer that did not come the first time.
      if (age() > oldAfterMs && !wasFailing) await refreshed;
    }
    if (known === undefined || age() > staleMs) throw unavailable();
    return known.keys;
  }

  return async (header: JWSHeaderParameters, token: Token) => {
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
}

async function fetchKeys(issuer: string): Promise<Keys> {
  const where = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = Discovery.parse(await fetchJson(where));
  if (found.issuer !== issuer) throw new TypeError('The discovery document names another issuer');
  const { keys } = KeyDocument.parse(await fetchJson(found.jwks_uri));
  return createLocalJWKSet({ keys });
}

async function fetchJson(url: string): Promise<unknown> {
  requireSafeOrigin(url);
  // Redirects are not followed: they could lead anywhere, and an issuer that moved is configured anew.
  const answer = await request(url, {
    dispatcher: singleUse,
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(requestLimitMs),
  });
  if (answer.statusCode !== 200) {
    await answer.body.dump({ limit: answerLimitBytes }).catch(() => undefined);
    throw new TypeError(`The issuer answered ${answer.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerLimitBytes) throw new TypeError('The answer of the issuer is too long');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Keys that came over an open line could be anybody's. @throws TypeError */
export function requireSafeOrigin(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))) return;
  throw new TypeError('An issuer must be reached by https, or on loopback');
}
