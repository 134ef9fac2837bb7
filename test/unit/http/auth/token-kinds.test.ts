// Tokens that are signed as they should be, and are something else: by their header, by what they are for, by encryption.
import { generateKeyPairSync } from 'node:crypto';
import { CompactEncrypt, FlattenedSign, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { trustedIssuer } from '../../../support/servers/issuers/trusted-issuer.ts';

const { issuer, trustingWith, verdict } = trustedIssuer();

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a header', () => {
  const headers: Record<string, Record<string, unknown>> = {
    'calls an unknown extension critical': { crit: ['exp'], exp: 1 },
    'calls nothing critical': { crit: [] },
    'calls a missing extension critical': { crit: ['b64'] },
    'has a list for a type': { typ: ['at+jwt'] },
    'has a number for a type': { typ: 7 },
  };

  it.each(Object.entries(headers))('[T01] that %s is rejected', async (_what, header) => {
    // The signature is valid; only the header is wrong.
    const token = await signedWith(header);
    expect(await verdict(token)).toBe('unauthenticated');
  });

  async function signedWith(header: Record<string, unknown>): Promise<string> {
    const [, claims = ''] = (await issuer().token()).split('.');
    const head = encode({ alg: 'ES256', kid: 'first', typ: 'at+jwt', ...header });
    const input = Buffer.from(`${head}.${claims}`);
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      issuer().key.privateKey,
      input,
    );
    return `${input.toString()}.${Buffer.from(signature).toString('base64url')}`;
  }

  it('[T01] with an unencoded payload is rejected, even if signed that way', async () => {
    const [, claims = ''] = (await issuer().token()).split('.');
    const payload = Buffer.from(claims, 'base64url');
    const jws = await new FlattenedSign(payload)
      .setProtectedHeader({ alg: 'ES256', kid: 'first', b64: false, crit: ['b64'] })
      .sign(issuer().key.privateKey);
    expect(await verdict(`${jws.protected}.${claims}.${jws.signature}`)).toBe('unauthenticated');
    expect(await verdict(`${jws.protected}.${payload.toString()}.${jws.signature}`)).toBe(
      'unauthenticated',
    );
  });
});

describe('another kind of token', () => {
  it('[T07] that is encrypted is rejected, and so is a nested one', async () => {
    const inner = await issuer().token();
    const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const jwe = await new CompactEncrypt(Buffer.from(inner))
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'first' })
      .encrypt(pair.publicKey);
    expect(await verdict(jwe)).toBe('unauthenticated');
    const nested = await new SignJWT({ token: inner })
      .setProtectedHeader({ alg: 'ES256', kid: 'first', cty: 'JWT' })
      .sign(issuer().key.privateKey);
    expect(await verdict(nested)).toBe('unauthenticated');
  });

  it('[T07] of a logout is rejected, whatever its type', async () => {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    expect(await verdict(issuer().token({ events }, { type: 'JWT' }))).toBe('unauthenticated');
  });

  it('[T07] is rejected where the issuer marks access tokens in the header', async () => {
    const strict = trustingWith({ tokenTypes: ['at+jwt'] });
    expect(await verdict(issuer().token({}, { type: 'JWT' }), strict)).toBe('unauthenticated');
    expect(await verdict(issuer().token({}, { header: { typ: undefined } }), strict)).toBe(
      'unauthenticated',
    );
    expect(await verdict(issuer().token({}, { type: 'application/at+JWT' }), strict)).toBe(
      'accepted',
    );
  });

  it.each([
    ['ID', 'unauthenticated'],
    ['Refresh', 'unauthenticated'],
    ['Logout', 'unauthenticated'],
    [undefined, 'unauthenticated'],
    ['Bearer', 'accepted'],
  ])('[T07] is rejected where a claim distinguishes them: %s is %s', async (typ, expected) => {
    const strict = trustingWith({ requiredClaims: [{ claim: 'typ', values: ['Bearer'] }] });
    expect(await verdict(issuer().token({ typ }, { type: 'JWT' }), strict)).toBe(expected);
  });

  it('[T07] is rejected where only access tokens have a certain claim', async () => {
    const strict = trustingWith({ requiredClaims: [{ claim: 'scp' }] });
    for (const scp of [undefined, null]) {
      expect(await verdict(issuer().token({ scp }), strict)).toBe('unauthenticated');
    }
    expect(await verdict(issuer().token({ scp: 'read' }), strict)).toBe('accepted');
    const scoped = trustingWith({
      requiredClaims: [{ claim: 'scp', values: ['fairlead', 'all'] }],
    });
    expect(await verdict(issuer().token({ scp: 'read fairlead' }), scoped)).toBe('accepted');
    expect(await verdict(issuer().token({ scp: ['read', 'all'] }), scoped)).toBe('accepted');
    expect(await verdict(issuer().token({ scp: 'read fairleads' }), scoped)).toBe(
      'unauthenticated',
    );
  });
});
