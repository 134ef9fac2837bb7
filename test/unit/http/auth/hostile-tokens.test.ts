// Forged tokens: other keys, other algorithms, other places.
import {
  createPrivateKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import { exportJWK, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { headerVerdict } from '../../../support/fixtures/api/token-verdict.ts';
import {
  keysPath,
  type SigningKey,
  signingKey,
} from '../../../support/servers/issuers/loopback-issuer.ts';
import { trustedIssuer } from '../../../support/servers/issuers/trusted-issuer.ts';

const { issuer, authenticator, trustingWith, verdict } = trustedIssuer();

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signed by hand, so that nothing refuses to make what is wrong. */
async function handmade(header: object, key: KeyObject): Promise<string> {
  const [, claims = ''] = (await issuer().token()).split('.');
  const input = `${encode(header)}.${claims}`;
  return `${input}.${createSign('sha256').update(input).sign(key, 'base64url')}`;
}

describe('another key', () => {
  it('[T01] of 1024 bits is rejected, even if published', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    issuer().published.push({ ...(await exportJWK(pair.publicKey)), kid: 'short' } as JWK);
    for (const alg of ['RS256', 'PS256', 'ES256']) {
      expect(await verdict(handmade({ alg, kid: 'short' }, pair.privateKey))).toBe(
        'unauthenticated',
      );
    }
  });

  it('[T01] of 2048 bits is accepted', async () => {
    const key = await signingKey('rsa', 'RS256');
    issuer().published.push(key.publicJwk);
    expect(await verdict(issuer().token({}, { key, algorithm: 'RS256' }))).toBe('accepted');
  });

  it('[T01] of RSA is not accepted as one of a curve, nor the other way round', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const [kid, { publicKey }] of Object.entries({ rsa, curve })) {
      issuer().published.push({ ...(await exportJWK(publicKey)), kid });
    }
    const crossed = [
      handmade({ alg: 'ES256', kid: 'rsa' }, rsa.privateKey),
      handmade({ alg: 'RS256', kid: 'curve' }, curve.privateKey),
      handmade({ alg: 'ES384', kid: 'curve' }, curve.privateKey),
    ];
    for (const token of crossed) expect(await verdict(token)).toBe('unauthenticated');
  });

  it('[T01] for encryption is not accepted for signatures', async () => {
    const key = await signingKey('enc');
    issuer().published.push({ ...key.publicJwk, use: 'enc' });
    expect(await verdict(issuer().token({}, { key }))).toBe('unauthenticated');
  });

  it('[T01] in the token itself, or at a URL in the token, is ignored', async () => {
    const mine = await signingKey('mine');
    const headers = [
      { kid: undefined, jwk: mine.publicJwk },
      { jwk: mine.publicJwk },
      { jku: `${issuer().url}/attacker` },
      { x5u: `${issuer().url}/attacker` },
      { x5c: ['AAAA'], x5t: 'AAAA' },
    ];
    for (const header of headers) {
      expect(await verdict(issuer().token({}, { key: mine, header }))).toBe('unauthenticated');
      expect(await verdict(issuer().token({}, { key: { ...mine, kid: 'first' }, header }))).toBe(
        'unauthenticated',
      );
    }
    expect(issuer().asked).not.toContain('/attacker');
  });

  it('[T01] in the token does not prevent the use of the right one', async () => {
    const mine = await signingKey('mine');
    const header = { jwk: mine.publicJwk, jku: `${issuer().url}/attacker` };
    expect(await verdict(issuer().token({}, { header }))).toBe('accepted');
    expect(issuer().asked).not.toContain('/attacker');
  });

  it('[T01] is not matched by an empty or all-zero signature', async () => {
    const [head, claims] = (await issuer().token()).split('.');
    for (const bytes of [0, 1, 64, 70, 96]) {
      const zeros = Buffer.alloc(bytes).toString('base64url');
      expect(await verdict(`${head}.${claims}.${zeros}`)).toBe('unauthenticated');
    }
  });

  it('[T01] requires the canonical form of the signature', async () => {
    const jwk = { ...issuer().key.publicJwk };
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    issuer().published = [{ ...(await exportJWK(pair.publicKey)), kid: jwk.kid ?? '' }];
    const [head, claims] = (await issuer().token()).split('.');
    const input = Buffer.from(`${head}.${claims}`);
    const key = createPrivateKey(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const good = signBytes('sha256', input, { key, dsaEncoding: 'ieee-p1363' });
    const der = signBytes('sha256', input, { key, dsaEncoding: 'der' });
    const signed = (signature: Buffer) => `${input.toString()}.${signature.toString('base64url')}`;
    expect(await verdict(signed(der))).toBe('unauthenticated');
    expect(await verdict(signed(Buffer.concat([good, Buffer.alloc(1)])))).toBe('unauthenticated');
    expect(await verdict(signed(good))).toBe('accepted');
  });
});

describe('a key id', () => {
  const ids: Record<string, unknown> = {
    'is a path': '../../../../etc/passwd',
    'is a path with a null byte': 'first\0',
    'is a query': "first' OR '1'='1",
    'has 10 kB': 'k'.repeat(10_000),
    'is empty': '',
    'is a number': 1,
    'is an object': { toString: 'first' },
    'is a list': ['first'],
    'is null': null,
    'is a name of every object': '__proto__',
    'is an address': 'https://issuer.test/key',
  };

  it.each(Object.entries(ids))('[T03] that %s is rejected', async (_what, kid) => {
    expect(await verdict(issuer().token({}, { header: { kid } }))).toBe('unauthenticated');
    expect(await verdict(issuer().token())).toBe('accepted');
  });

  it('[T03] may be missing with one published key, and not with two', async () => {
    const nameless = () =>
      issuer().token({ jti: `${Math.random()}` }, { header: { kid: undefined } });
    expect(await verdict(nameless())).toBe('accepted');
    issuer().published = [issuer().key.publicJwk, (await signingKey('second')).publicJwk];
    expect(await verdict(nameless(), trustingWith({}))).toBe('unauthenticated');
  });

  it('[T03] is rejected with two published keys without ids', async () => {
    const bare = ({ publicJwk: { kid: _kid, ...rest } }: SigningKey): JWK => rest;
    issuer().published = [bare(issuer().key), bare(await signingKey('second'))];
    expect(await verdict(issuer().token())).toBe('unauthenticated');
    expect(await verdict(issuer().token({}, { header: { kid: undefined } }))).toBe(
      'unauthenticated',
    );
  });
});

describe('a token', () => {
  it('[T01] of 9 kB is accepted, and one of 17 kB is not', async () => {
    const padded = (size: number) => issuer().token({ groups: 'g'.repeat(size) });
    expect(await verdict(padded(6_700))).toBe('accepted');
    expect(await verdict(padded(13_000))).toBe('unauthenticated');
  });

  it('[T01] causes no request to its issuer when it is malformed or names another issuer', async () => {
    const good = await issuer().token();
    for (const token of [
      'a.b.c',
      `${good}.x`,
      `${good}.x.y`,
      `.${good}`,
      good.replace('.', '..'),
    ]) {
      expect(await verdict(token)).toBe('unauthenticated');
    }
    const fake = `${issuer().url}/`;
    expect(await verdict(issuer().token({ iss: fake }))).toBe('unauthenticated');
    expect(await verdict(issuer().token({ iss: issuer().url.toUpperCase() }))).toBe(
      'unauthenticated',
    );
    expect(await verdict(issuer().token({ iss: [issuer().url] }))).toBe('unauthenticated');
    expect(issuer().asked).toEqual([]);
  });

  it('[T01] of an issuer with a trailing slash is accepted if the settings have it, too', async () => {
    const slashed = `${issuer().url}/`;
    const settings = { issuer: slashed, jwksUrl: `${issuer().url}${keysPath}` };
    expect(await verdict(issuer().token({ iss: slashed }), trustingWith(settings))).toBe(
      'accepted',
    );
    expect(await verdict(issuer().token(), trustingWith(settings))).toBe('unauthenticated');
  });

  it.each([
    (token: string) => `Bearer,${token}`,
    (token: string) => `Bearer ${token}, Bearer ${token}`,
    (token: string) => `Bearer Bearer ${token}`,
    (token: string) => `Bearer\t${token}`,
    (token: string) => `Token ${token}`,
    (token: string) => `DPoP ${token}`,
    (token: string) => `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
    (token: string) => `Bearer "${token}"`,
    (token: string) => `Bearer ${token}\nX: y`,
    (token: string) => token,
  ])('[T01] comes after the single word Bearer (%#)', async (header) => {
    expect(await headerVerdict(authenticator(), header(await issuer().token()))).toBe(
      'unauthenticated',
    );
  });
});
