// Keys of a real issuer on loopback: found, changed, taken away, and remembered. Only the test moves the clock.
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../support/runner/eventually.ts';
import {
  signingKey,
  startLoopbackIssuer,
} from '../../../support/servers/issuers/loopback-issuer.ts';
import { trustedIssuer } from '../../../support/servers/issuers/trusted-issuer.ts';

const second = 1_000;
const minute = 60 * second;

const { issuer, time, authenticator, trusting, verdict, keyRequests, newToken } = trustedIssuer();

describe('rotation', () => {
  it('fetches the keys once for any number of concurrent tokens', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, newToken));
    const verdicts = await Promise.all(tokens.map((each) => verdict(each)));
    expect(new Set(verdicts)).toEqual(new Set(['accepted']));
    expect(keyRequests()).toBe(1);
  });

  it('[T09] accepts a new key within the cooldown of 30 s, and the old one beside it', async () => {
    await verdict(newToken());
    const second = await signingKey('second');
    issuer().published = [issuer().key.publicJwk, second.publicJwk];
    expect(await verdict(issuer().token({}, { key: second }))).toBe('unauthenticated');
    time().pass(30_000);
    expect(await verdict(issuer().token({}, { key: second }))).toBe('accepted');
    expect(await verdict(newToken())).toBe('accepted');
  });

  it('[T09] fetches at most once in 30 s for unknown key ids', async () => {
    await verdict(newToken());
    time().pass(minute);
    const before = keyRequests();
    for (let n = 0; n < 100; n += 1) {
      const token = await issuer().token({}, { kid: `made-up-${n}` });
      expect(await verdict(token)).toBe('unauthenticated');
    }
    expect(keyRequests() - before).toBe(1);
    time().pass(30 * second);
    await verdict(issuer().token({}, { kid: 'made-up-again' }));
    expect(keyRequests() - before).toBe(2);
  });

  it('[T09] accepts a new key under the id of an old one, and the old one no longer', async () => {
    const old = await newToken();
    await verdict(newToken());
    const reused = await signingKey('first');
    issuer().published = [reused.publicJwk];
    time().pass(30 * second);
    expect(await verdict(issuer().token({}, { key: reused }))).toBe('accepted');
    expect(await verdict(old)).toBe('unauthenticated');
  });

  it('[T09] fetches at most once in 30 s for invalid signatures', async () => {
    await verdict(newToken());
    time().pass(30 * second);
    const before = keyRequests();
    const other = await signingKey('first');
    for (let n = 0; n < 50; n += 1) {
      expect(await verdict(issuer().token({ jti: n }, { key: other }))).toBe('unauthenticated');
    }
    expect(keyRequests() - before).toBe(1);
  });

  it('[T09] does not fetch keys for a token that is invalid in another way', async () => {
    await verdict(newToken());
    time().pass(minute);
    const before = keyRequests();
    for (const claims of [{ aud: 'other' }, { exp: 1 }, { nbf: 4e9 }]) {
      expect(await verdict(issuer().token(claims))).toBe('unauthenticated');
    }
    expect(keyRequests()).toBe(before);
  });

  it('[T15] gives the same result as a new authenticator', async () => {
    const replica = trusting(issuer().settings);
    const restarted = () => trusting(issuer().settings);
    const tokens = [
      newToken(),
      issuer().token({ aud: 'other' }),
      issuer().token({}, { kid: 'other' }),
    ];
    for (const token of await Promise.all(tokens)) {
      const here = await verdict(token);
      expect(await verdict(token, replica)).toBe(here);
      expect(await verdict(token, restarted())).toBe(here);
    }
    const token = await newToken();
    await verdict(token);
    issuer().published = [(await signingKey('second')).publicJwk];
    time().pass(21 * minute);
    for (const each of [authenticator(), replica, restarted()]) {
      expect(await verdict(token, each)).toBe('unauthenticated');
    }
  });

  it('[T09] rejects a removed key after a long idle time, without a last use', async () => {
    await verdict(newToken());
    issuer().published = [(await signingKey('second')).publicJwk];
    time().pass(21 * minute);
    expect(await verdict(newToken())).toBe('unauthenticated');
  });

  it('[T09] refreshes keys in the background after ten minutes', async () => {
    await verdict(newToken());
    issuer().published = [(await signingKey('second')).publicJwk];
    time().pass(11 * minute);
    expect(await verdict(newToken()), 'nobody waits').toBe('accepted');
    await eventually(async () => expect(await verdict(newToken())).toBe('unauthenticated'));
    expect(keyRequests()).toBe(2);
  });
});

describe('cache', () => {
  it('checks only the expiry of a cached token', async () => {
    const token = await newToken();
    await verdict(token);
    const before = issuer().asked.length;
    for (let n = 0; n < 10; n += 1) expect(await verdict(token)).toBe('accepted');
    expect(issuer().asked.length).toBe(before);
  });

  it('keeps no token beyond its expiry', async () => {
    const now = Math.floor(time().clock.now().getTime() / second);
    const token = await issuer().token({ iat: now, exp: now + 10 });
    expect(await verdict(token)).toBe('accepted');
    time().pass(10 * second + 29 * second);
    expect(await verdict(token), 'within the skew').toBe('accepted');
    time().pass(2 * second);
    expect(await verdict(token)).toBe('unauthenticated');
  });

  it('[T09] lasts a minute at most: then a removed key counts', async () => {
    const token = await newToken();
    time().pass(21 * minute);
    await verdict(token);
    issuer().published = [(await signingKey('second')).publicJwk];
    time().pass(30 * second);
    await verdict(issuer().token({}, { kid: 'made-up' }));
    expect(await verdict(token), 'remembered').toBe('accepted');
    time().pass(30 * second);
    expect(await verdict(token)).toBe('unauthenticated');
  });

  it('does not keep rejected tokens', async () => {
    const second = await signingKey('second');
    const token = await issuer().token({}, { key: second });
    expect(await verdict(token)).toBe('unauthenticated');
    issuer().published = [second.publicJwk];
    time().pass(30_000);
    expect(await verdict(token)).toBe('accepted');
  });
});

describe('two issuers', () => {
  it('[T15] share nothing: neither keys nor audiences nor organizations', async () => {
    const other = await startLoopbackIssuer(time().clock);
    try {
      const both = trusting(issuer().settings, { ...other.settings, audience: 'elsewhere' });
      expect(await verdict(newToken(), both)).toBe('accepted');
      expect(await verdict(other.token({ aud: 'elsewhere' }), both)).toBe('accepted');
      expect(await verdict(other.token(), both), 'audience').toBe('unauthenticated');
      const borrowed = issuer().token({ iss: other.url, aud: 'elsewhere' });
      expect(await verdict(borrowed, both), 'key').toBe('unauthenticated');
      const one = await both.authenticate(`Bearer ${await newToken()}`);
      const two = await both.authenticate(`Bearer ${await other.token({ aud: 'elsewhere' })}`);
      expect(one.organization.id).toBe(two.organization.id);
      expect(one.organization.namespace).not.toBe(two.organization.namespace);
    } finally {
      await other.close();
    }
  });

  it('[T10] do not affect each other', async () => {
    const other = await startLoopbackIssuer(time().clock);
    const both = trusting(issuer().settings, other.settings);
    await other.close();
    expect(await verdict(other.token(), both)).toBe('unavailable');
    expect(await verdict(newToken(), both)).toBe('accepted');
  });
});
