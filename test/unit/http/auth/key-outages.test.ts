// Keys that cannot be had, or not be trusted, from a real issuer on loopback. Only the test moves the clock.
import { createSign, generateKeyPairSync } from 'node:crypto';
import { exportJWK, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../support/runner/eventually.ts';
import {
  keysPath,
  type LoopbackIssuer,
  sendJson,
  signingKey,
  startLoopbackIssuer,
} from '../../../support/servers/issuers/loopback-issuer.ts';
import { trustedIssuer } from '../../../support/servers/issuers/trusted-issuer.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const { issuer, time, authenticator, trusting, verdict, keyRequests, newToken } = trustedIssuer();
const silent = () => {
  issuer().respond = (req) => req.socket.destroy();
};

describe('an unreachable issuer', () => {
  it('[T10] makes tokens unverifiable, not invalid, until it is reachable for the first time', async () => {
    silent();
    const token = await newToken();
    await expect(authenticator().authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfter: expect.any(Number),
    });
    issuer().respond = undefined;
    expect(await verdict(token), 'a flood is not passed on').toBe('unavailable');
    time().pass(second);
    expect(await verdict(token), 'nobody waits for the long cooldown').toBe('accepted');
  });

  it('[T10] keeps the known keys valid for half a day', async () => {
    await verdict(newToken());
    silent();
    for (const passed of [5 * minute, hour, 10 * hour]) {
      time().pass(passed);
      expect(await verdict(newToken())).toBe('accepted');
    }
    time().pass(hour);
    expect(await verdict(newToken())).toBe('unavailable');
    issuer().respond = undefined;
    time().pass(second);
    expect(await verdict(newToken())).toBe('accepted');
  });

  it('[T10] answers unavailable for unknown keys', async () => {
    await verdict(newToken());
    silent();
    time().pass(minute);
    expect(await verdict(issuer().token({}, { kid: 'perhaps-new' }))).toBe('unavailable');
    expect(await verdict(newToken())).toBe('accepted');
  });
});

it('[T10] times out after five seconds, without a delay for known keys', async () => {
  await verdict(newToken());
  issuer().respond = () => undefined;
  time().pass(11 * minute);
  const stranger = verdict(issuer().token({}, { kid: 'perhaps-new' }));
  expect(await verdict(newToken())).toBe('accepted');
  expect(await stranger).toBe('unavailable');
  expect(issuer().asked.length).toBe(3);
}, 15_000);

describe('readiness', () => {
  it('[T10] begins with the first keys, which are fetched without any token', async () => {
    silent();
    await authenticator().warm();
    expect(authenticator().usable, 'a restart during an outage').toBe(false);
    issuer().respond = undefined;
    expect(authenticator().usable, 'not asked again at once').toBe(false);
    time().pass(second);
    await eventually(() => expect(authenticator().usable).toBe(true));
    expect(await verdict(newToken())).toBe('accepted');
    expect(keyRequests()).toBe(1);
  });

  it('[T10] lasts as long as the keys do, for the configured time', async () => {
    const brief = trusting({ ...issuer().settings, staleKeysSeconds: 3_600 });
    await brief.warm();
    silent();
    time().pass(59 * minute);
    expect(brief.usable).toBe(true);
    expect(await verdict(newToken(), brief)).toBe('accepted');
    time().pass(2 * minute);
    expect(brief.usable).toBe(false);
    expect(await verdict(newToken(), brief)).toBe('unavailable');
  });

  it('[T10] needs one reachable issuer, not all of them', async () => {
    const gone = await startLoopbackIssuer(time().clock);
    await gone.close();
    const both = trusting(gone.settings, issuer().settings);
    await both.warm();
    expect(both.usable).toBe(true);
    const none = trusting();
    await none.warm();
    expect(none.usable).toBe(false);
  });
});

describe('keys at a configured URL', () => {
  it('need no discovery', async () => {
    const named = trusting({ ...issuer().settings, jwksUrl: `${issuer().url}${keysPath}` });
    expect(await verdict(newToken(), named)).toBe('accepted');
    expect(issuer().asked).toEqual([keysPath]);
  });

  it.each(['http://issuer.test/keys', 'file:///etc/passwd', 'ftp://127.0.0.1/keys'])(
    '[T10] are not fetched from %s',
    (jwksUrl) => {
      expect(() => trusting({ ...issuer().settings, jwksUrl })).toThrow(TypeError);
    },
  );

  it('[T10] are not on loopback when their issuer is not', () => {
    const settings = { ...issuer().settings, issuer: 'https://issuer.test' };
    expect(() => trusting({ ...settings, jwksUrl: `${issuer().url}${keysPath}` })).toThrow(
      TypeError,
    );
  });
});

describe('an untrusted response of the issuer', () => {
  // Answers like any other; only its spelling speaks against it.
  const mappedUrl = () => issuer().url.replace('127.0.0.1', '[::ffff:127.0.0.1]');

  it('is accepted without the faults below', async () => {
    expect((await fetch(`${mappedUrl()}${keysPath}`)).status).toBe(200);
  });

  const answers: Record<string, LoopbackIssuer['respond']> = {
    'redirects elsewhere': (req, res) => {
      if (req.url === '/moved') sendJson(res, { issuer: issuer().url, jwks_uri: issuer().url });
      else res.writeHead(302, { location: '/moved' }).end();
    },
    'names another issuer': (_req, res) =>
      sendJson(res, { issuer: 'https://issuer.test', jwks_uri: `${issuer().url}/keys` }),
    'has keys at a URL without TLS': (_req, res) =>
      sendJson(res, { issuer: issuer().url, jwks_uri: 'http://issuer.test/keys' }),
    'has keys on this machine under an unrecognized name': (req, res) =>
      req.url === keysPath
        ? sendJson(res, { keys: issuer().published })
        : sendJson(res, { issuer: issuer().url, jwks_uri: `${mappedUrl()}${keysPath}` }),
    'has keys in a file': (_req, res) =>
      sendJson(res, { issuer: issuer().url, jwks_uri: 'file:///etc/passwd' }),
    'is a page': (_req, res) => res.writeHead(200).end('<html>'),
    'is an error': (_req, res) => res.writeHead(500).end('{}'),
    'lists no keys': (req, res) =>
      sendJson(
        res,
        req.url === keysPath
          ? { keys: 'none' }
          : { issuer: issuer().url, jwks_uri: `${issuer().url}/keys` },
      ),
    'is 2 MB long': (req, res) =>
      req.url === keysPath
        ? sendJson(res, { keys: [issuer().key.publicJwk], padding: 'x'.repeat(2 * 1_024 * 1_024) })
        : sendJson(res, { issuer: issuer().url, jwks_uri: `${issuer().url}/keys` }),
    'has keys that redirect': (req, res) =>
      req.url === keysPath
        ? res.writeHead(302, { location: '/moved' }).end()
        : sendJson(res, { issuer: issuer().url, jwks_uri: `${issuer().url}${keysPath}` }),
    'announces 1 GB': (_req, res) => {
      res.writeHead(200, { 'content-length': 2 ** 30 });
      const piece = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (res.write(piece)) if (res.destroyed) return;
      };
      res.on('drain', more);
      more();
    },
    'never ends': (_req, res) => {
      const timer = setInterval(() => res.write(' '.repeat(65_536)), 1);
      res.on('close', () => clearInterval(timer));
    },
  };

  it.each(Object.entries(answers))('[T10] is rejected when it %s', async (_how, respond) => {
    issuer().respond = respond;
    expect(await verdict(newToken())).toBe('unavailable');
    expect(issuer().asked).not.toContain('/moved');
  });

  it.each([
    ['makes no sense', { kty: 'EC', crv: 'P-256', x: '!', y: '!' }],
    ['lacks its parts', { kty: 'EC', crv: 'P-256' }],
    ['is of another kind', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
    ['is a secret', { kty: 'oct', k: 'c2VjcmV0' }],
  ])('[T03] is rejected when its key %s, and the others stay valid', async (_how, jwk) => {
    issuer().published = [{ ...jwk, kid: 'odd' }, issuer().key.publicJwk];
    expect(await verdict(issuer().token({}, { kid: 'odd' }))).toBe('unauthenticated');
    expect(await verdict(newToken())).toBe('accepted');
  });

  it('[T01] is rejected when its key is too short for its kind', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    issuer().published = [{ ...(await exportJWK(pair.publicKey)), kid: 'short' } as JWK];
    const [, claims] = (await newToken()).split('.');
    const header = JSON.stringify({ alg: 'RS256', kid: 'short' });
    const signed = `${Buffer.from(header).toString('base64url')}.${claims}`;
    const signature = createSign('sha256').update(signed).sign(pair.privateKey, 'base64url');
    expect(await verdict(`${signed}.${signature}`)).toBe('unauthenticated');
  });

  it('[T03] is rejected when it lists two keys under one id', async () => {
    issuer().published = [issuer().key.publicJwk, (await signingKey('first')).publicJwk];
    expect(await verdict(newToken())).toBe('unauthenticated');
  });
});
