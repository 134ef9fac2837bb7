// Tokens of a real issuer on loopback, judged at a time that only the test moves.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FairleadError } from '../../../../src/domain/errors.ts';
import { organizationOf } from '../../../../src/domain/identity.ts';
import {
  type Authenticator,
  createAuthenticator,
  type IssuerSettings,
} from '../../../../src/http/auth/authenticate.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';
import {
  type LoopbackIssuer,
  signingKey,
  startLoopbackIssuer,
} from '../../../support/servers/issuers/loopback-issuer.ts';

const time = manualTime();
const { clock } = time;
const seconds = () => Math.floor(clock.now().getTime() / 1_000);
let issuer: LoopbackIssuer;
let authenticator: Authenticator;

beforeAll(async () => {
  issuer = await startLoopbackIssuer(clock);
});

afterAll(() => issuer.close());

beforeEach(() => {
  authenticator = trusting({});
});

function trusting(settings: Partial<IssuerSettings>): Authenticator {
  const issuers = [{ ...issuer.settings, ...settings }];
  return createAuthenticator({ issuers, clock, log: silentLog });
}

const ask = (token: string, by = authenticator) => by.authenticate(`Bearer ${token}`);

async function refusal(token: string, by = authenticator): Promise<string> {
  try {
    await ask(token, by);
  } catch (thrown) {
    if (thrown instanceof FairleadError) return thrown.code;
    throw thrown;
  }
  return 'accepted';
}

it('identifies the caller of a valid token', async () => {
  expect(await ask(await issuer.token())).toEqual({
    organization: organizationOf(issuer.url, 'acme'),
    subject: 'ada',
    role: 'admin',
    project: undefined,
    expiresAt: expect.any(Date),
  });
});

describe('the header', () => {
  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'Bearer a.b.c',
    'Bearer a b',
    'Bearer ü',
    `Bearer ${'a'.repeat(20_000)}`,
    `Bearer ${'a'.repeat(5_000)}.${'b'.repeat(5_000)}.c`,
    'Bearer eyJhbGciOiJub25lIn0.bnVsbA.',
    'Bearer eyJhbGciOiJub25lIn0.W10.',
  ])('%j is rejected', async (header) => {
    await expect(authenticator.authenticate(header)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'Not authenticated',
    });
  });

  it('accepts any case of the scheme', async () => {
    const token = await issuer.token();
    await expect(authenticator.authenticate(`bearer   ${token} `)).resolves.toBeDefined();
  });
});

describe('claims', () => {
  const hour = 3_600;
  const refused: Record<string, () => Record<string, unknown>> = {
    'that have expired': () => ({ iat: seconds() - hour, exp: seconds() - 31 }),
    'that are not valid yet': () => ({ nbf: seconds() + 31 }),
    'issued in the future': () => ({ iat: seconds() + 31, exp: seconds() + hour }),
    'that live too long, dated ahead': () => ({ iat: 4e9 - hour, exp: 4e9 }),
    'that live longer than a day': () => ({ exp: seconds() + 24 * hour + 1 }),
    'without an expiry': () => ({ exp: undefined }),
    'with an expiry in words': () => ({ exp: '2999-01-01' }),
    'with an expiry in digits': () => ({ exp: `${seconds() + hour}` }),
    'with an expiry that is a list': () => ({ exp: [seconds() + hour] }),
    'with an expiry in a hundred years': () => ({ exp: seconds() + 100 * 365 * 24 * hour }),
    'that begin after their expiry': () => ({ nbf: seconds() + 2 * hour }),
    'with an nbf in words': () => ({ nbf: 'now' }),
    'without an iat': () => ({ iat: undefined }),
    'without a subject': () => ({ sub: undefined }),
    'with an empty subject': () => ({ sub: '' }),
    'with a number for a subject': () => ({ sub: 7 }),
    'for another audience': () => ({ aud: 'other' }),
    'for an audience of which ours is a part': () => ({ aud: 'fairlead-staging' }),
    'for a part of our audience': () => ({ aud: ['fair', 'lead', ''] }),
    'for our audience in another case': () => ({ aud: 'Fairlead' }),
    'for no audience': () => ({ aud: undefined }),
    'of another issuer': () => ({ iss: 'https://issuer.test' }),
    'of an issuer with an extra slash': () => ({ iss: `${issuer.url}/` }),
    'of no issuer': () => ({ iss: undefined }),
    'of an issuer that is an object': () => ({ iss: { toString: issuer.url } }),
    'with a number for an organization': () => ({ org_id: 7 }),
    'with several organizations': () => ({ org_id: ['acme', 'rival'] }),
    'with an organization of white space': () => ({ org_id: ' \t\u00a0\u2003' }),
    'with a very long organization': () => ({ org_id: 'a'.repeat(257) }),
    'with a number for a project': () => ({ project_id: 7 }),
    'with an empty project': () => ({ project_id: '' }),
  };

  it.each(Object.entries(refused))('[T04] %s are rejected', async (_what, claims) => {
    expect(await refusal(await issuer.token(claims()))).toBe('unauthenticated');
  });

  const accepted: Record<string, () => Record<string, unknown>> = {
    'that expired within the skew': () => ({ iat: seconds() - hour, exp: seconds() - 29 }),
    'that begin within the skew': () => ({ nbf: seconds() + 29, iat: seconds() + 29 }),
    'that live for a day': () => ({ exp: seconds() + 24 * hour }),
    'for several audiences': () => ({ aud: ['other', 'fairlead'] }),
    'with additional claims': () => ({ admin: true, org: 'rival', email: 'a@b.test' }),
  };

  it.each(Object.entries(accepted))('%s are accepted', async (_what, claims) => {
    expect(await ask(await issuer.token(claims()))).toMatchObject({ role: 'admin' });
  });

  it('[T04] are limited to the lifetime in the settings of their issuer', async () => {
    const brief = trusting({ maxLifetimeSeconds: 600 });
    expect(await refusal(await issuer.token({ exp: seconds() + 600 }), brief)).toBe('accepted');
    expect(await refusal(await issuer.token({ exp: seconds() + 601 }), brief)).toBe(
      'unauthenticated',
    );
  });

  it('[T04] must be for one of the audiences of their issuer', async () => {
    const several = trusting({ audience: ['fairlead', 'api'] });
    expect(await refusal(await issuer.token({ aud: ['api', 'x'] }), several)).toBe('accepted');
    expect(await refusal(await issuer.token({ aud: 'fairlead,api' }), several)).toBe(
      'unauthenticated',
    );
  });

  it.each([undefined, null, ''])('%j is not an organization', async (org_id) => {
    expect(await refusal(await issuer.token({ org_id }))).toBe('no_organization');
  });
});

describe('signatures', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  async function forged(header: object, signature: (input: string) => string): Promise<string> {
    const [, claims = ''] = (await issuer.token()).split('.');
    const input = `${encode({ kid: issuer.key.kid, ...header })}.${claims}`;
    return `${input}.${signature(input)}`;
  }

  it.each(['none', 'None', 'NONE', ''])('[T01] alg %j is rejected', async (alg) => {
    expect(await refusal(await forged({ alg }, () => ''))).toBe('unauthenticated');
  });

  it.each(['logout+jwt', 'dpop+jwt', 'secevent+jwt'])(
    '[T07] a %s is not an access token',
    async (type) => {
      expect(await refusal(await issuer.token({}, { type }))).toBe('unauthenticated');
    },
  );

  it.each(['JWT', 'at+jwt', 'application/at+jwt', 'AT+JWT'])(
    'a %s is an access token',
    async (type) => {
      expect(await ask(await issuer.token({}, { type }))).toMatchObject({ role: 'admin' });
    },
  );

  it.each(['HS256', 'HS512'])(
    '[T01] %s with the public key as the secret is rejected',
    async (alg) => {
      const hash = alg === 'HS256' ? 'sha256' : 'sha512';
      for (const secret of [JSON.stringify(issuer.key.publicJwk), issuer.key.publicJwk.x ?? '']) {
        const token = await forged({ alg }, (input) =>
          createHmac(hash, secret).update(input).digest('base64url'),
        );
        expect(await refusal(token)).toBe('unauthenticated');
      }
    },
  );

  it('[T01] are rejected when the payload was changed', async () => {
    const [head, , signature] = (await issuer.token()).split('.');
    const [, claims] = (await issuer.token({ org_id: 'rival' })).split('.');
    expect(await refusal(`${head}.${claims}.${signature}`)).toBe('unauthenticated');
  });

  it('[T01] are rejected when they are of another key under the same key id', async () => {
    const other = await signingKey('first');
    expect(await refusal(await issuer.token({}, { key: other }))).toBe('unauthenticated');
  });

  it('[T01] are rejected with an algorithm that is not configured for the issuer', async () => {
    const strict = trusting({ algorithms: ['RS256'] });
    expect(await refusal(await issuer.token(), strict)).toBe('unauthenticated');
  });

  it('[T01] are rejected with unknown critical headers', async () => {
    const token = await forged({ alg: 'ES256', crit: ['b64'], b64: false }, () => 'AAAA');
    expect(await refusal(token)).toBe('unauthenticated');
  });

  it.each(['HS256', 'none', 'dir'])('[T01] cannot be configured to be %s', (name) => {
    expect(() => trusting({ algorithms: ['ES256', name] })).toThrow(TypeError);
  });

  it('cannot be configured for symmetric algorithms, or for keys without TLS', () => {
    expect(() => trusting({ algorithms: [] })).toThrow(TypeError);
    expect(() => trusting({ issuer: 'http://issuer.test' })).toThrow(TypeError);
  });
});

describe('roles', () => {
  it.each([
    ['viewer', 'viewer'],
    [['viewer'], 'viewer'],
    [['viewer', 'editor'], 'editor'],
    [['admin', 'viewer'], 'admin'],
    [['unknown', 'editor'], 'editor'],
  ])('%j grant %s', async (roles, role) => {
    expect(await ask(await issuer.token({ roles }))).toMatchObject({ role });
  });

  const none: readonly unknown[] = [undefined, null, [], 'root', 'Admin', ['a', 1], 7, [['admin']]];

  it.each(none)('%j grant nothing without a default role', async (roles) => {
    const token = await issuer.token({ roles });
    expect(await refusal(token)).toBe('insufficient_role');
    const lenient = trusting({ defaultRole: 'viewer' });
    expect(await ask(token, lenient)).toMatchObject({ role: 'viewer' });
  });
});

describe('permissions of an issuer', () => {
  it('[T12] restricts to a project only on a platform issuer', async () => {
    const token = await issuer.token({ project_id: 'shop', roles: 'viewer' });
    expect(await ask(token)).toMatchObject({ project: 'shop', role: 'viewer' });
    const ordinary = trusting({ platform: false });
    expect(await ask(token, ordinary)).toMatchObject({ project: undefined });
  });

  it.each([
    ['no claim', {}],
    ['a claim of another name', { projectId: 'shop' }],
    ['a claim with an empty value', { project_id: null }],
  ])('[T12] rejects %s where a platform issuer requires a project', async (_what, claims) => {
    const token = await issuer.token({ ...claims, roles: ['admin'] });
    const required = trusting({ platform: 'required' });
    const refused = {
      code: 'forbidden',
      message: expect.stringMatching(/no project.*project_id/),
    };
    await expect(ask(token, required)).rejects.toMatchObject(refused);
    expect(await ask(token)).toMatchObject({ project: undefined });
    const confined = await issuer.token({ project_id: 'shop', roles: ['admin'] });
    expect(await ask(confined, required)).toMatchObject({ project: 'shop', role: 'editor' });
  });

  it('[T12] grants no admin role to a program that is restricted to a project', async () => {
    const token = await issuer.token({ project_id: 'shop', roles: ['admin'] });
    expect(await ask(token)).toMatchObject({ project: 'shop', role: 'editor' });
  });

  it('is accepted only for its permitted organizations', async () => {
    const limited = trusting({ allowedOrganizations: ['acme'] });
    expect(await ask(await issuer.token(), limited)).toMatchObject({ subject: 'ada' });
    const foreign = await issuer.token({ org_id: 'rival' });
    expect(await refusal(foreign, limited)).toBe('forbidden');
  });

  it('uses the configured claims', async () => {
    const renamed = trusting({ organizationClaim: 'tenant', rolesClaim: 'groups' });
    const claims = { tenant: 'rival', groups: ['viewer'], org_id: 'acme', roles: ['admin'] };
    expect(await ask(await issuer.token(claims), renamed)).toMatchObject({
      organization: { id: 'rival' },
      role: 'viewer',
    });
  });
});
