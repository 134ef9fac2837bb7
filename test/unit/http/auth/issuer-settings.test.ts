// Settings of issuers, rejected settings by name, and the examples of docs/authentication.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FairleadError } from '../../../../src/domain/errors.ts';
import { callerFrom, claimAt, claimPath } from '../../../../src/http/auth/claims.ts';
import {
  type IssuerSettings,
  IssuerSettingsError,
  readIssuers,
} from '../../../../src/http/auth/issuer-settings.ts';

const least = {
  issuer: 'https://id.example.org',
  audience: 'fairlead',
  organizationClaim: 'org_id',
  rolesClaim: 'roles',
};

const read = (...issuers: readonly unknown[]) =>
  readIssuers(JSON.stringify(issuers), { loopback: false });

describe('settings', () => {
  it('have safe defaults', () => {
    const defaults = { algorithms: ['RS256', 'ES256'], platform: false };
    expect(read(least)).toEqual([{ ...least, ...defaults }]);
  });

  it.each([
    { given: true, development: false, means: 'required', reason: 'nothing is left open' },
    { given: 'required', development: false, means: 'required', reason: 'explicitly' },
    { given: true, development: true, means: true, reason: 'optional in development' },
    {
      given: 'required',
      development: true,
      means: 'required',
      reason: 'explicit in development too',
    },
    { given: false, development: false, means: false, reason: 'not a platform issuer' },
  ])('[T12] define a platform issuer: $given means $means, $reason', (row) => {
    const text = JSON.stringify([{ ...least, platform: row.given }]);
    const [settings] = readIssuers(text, { loopback: false, development: row.development });
    expect(settings?.platform).toBe(row.means);
  });

  it('accept several issuers', () => {
    const names = ['https://a.test', 'https://b.test/', 'https://b.test'];
    const issuers = read(...names.map((issuer) => ({ ...least, issuer })));
    expect(issuers.map(({ issuer }) => issuer)).toEqual(names);
  });

  it.each(['', '{}', '[]', 'https://id.example.org', '[', 'null', '[{}'])(
    'reject the text %j',
    (text) => {
      expect(() => readIssuers(text, { loopback: false })).toThrow(IssuerSettingsError);
    },
  );

  const refused: Record<string, readonly [Record<string, unknown>, RegExp]> = {
    'no address': [{ issuer: 'main' }, /^\[0\] main: issuer: /],
    'a client without a name': [{ cli: {} }, /: cli\.clientId: /],
    'a client with a secret': [{ cli: { clientId: 'a', secret: 'b' } }, /: cli: /],
    'a scope that is a list': [
      { cli: { clientId: 'a', scope: 'openid,email "' } },
      /: cli\.scope: /,
    ],
    'a parameter that the client chooses': [
      { cli: { clientId: 'a', parameters: { state: 'x' } } },
      /: cli\.parameters\.state: /,
    ],
    'an unknown kind of token': [{ cli: { clientId: 'a', token: 'jwt' } }, /: cli\.token: /],
    'a console with a token that is none': [
      { console: { clientId: 'web', token: 'refresh_token' } },
      /: console\.token: /,
    ],
    'an open line': [
      { issuer: 'http://id.test' },
      /http:\/\/id.test: issuer: must begin with https/,
    ],
    'an open line on this machine': [{ issuer: 'http://localhost:1' }, /issuer: must begin/],
    'keys over an open line': [
      { jwksUrl: 'http://id.test/keys' },
      /jwksUrl: must begin with https/,
    ],
    'keys in a file': [{ jwksUrl: 'file:///keys' }, /jwksUrl/],
    'no audience': [{ audience: undefined }, /id.example.org: audience/],
    'an empty audience': [{ audience: '' }, /audience/],
    'a list of no audience': [{ audience: [] }, /audience/],
    'a symmetric algorithm': [{ algorithms: ['RS256', 'HS256'] }, /algorithms/],
    'no signature at all': [{ algorithms: ['none'] }, /algorithms/],
    'no algorithm': [{ algorithms: [] }, /algorithms/],
    'no organization': [{ organizationClaim: undefined }, /organizationClaim: exactly one/],
    'two rules for organizations': [{ organization: 'acme' }, /organizationClaim: exactly one/],
    'a path with nothing in it': [{ organizationClaim: 'a..b' }, /organizationClaim: .*empty/],
    'a path that ends nowhere': [{ rolesClaim: 'a.' }, /rolesClaim: .*empty/],
    'an empty path': [{ rolesClaim: [] }, /rolesClaim/],
    'no way to a role': [{ rolesClaim: undefined }, /rolesClaim: rolesClaim or defaultRole/],
    'a role that is not ours': [{ roles: { boss: 'root' } }, /roles\.boss/],
    'roles to translate from nowhere': [
      { rolesClaim: undefined, defaultRole: 'viewer', roles: {} },
      /roles: requires rolesClaim/,
    ],
    'a default that is not a role': [{ defaultRole: 'root' }, /defaultRole/],
    'an empty list of organizations': [{ allowedOrganizations: [] }, /allowedOrganizations/],
    'a platform in words': [{ platform: 'yes' }, /platform/],
    'a project claim that would mean nothing': [{ projectClaim: 'p' }, /projectClaim/],
    'tokens for years': [{ maxLifetimeSeconds: 1e9 }, /maxLifetimeSeconds/],
    'a field that is not there': [{ orgClaim: 'x' }, /orgClaim/],
    'a required claim without a name': [{ requiredClaims: [{}] }, /requiredClaims\.0\.claim/],
  };

  it.each(Object.entries(refused))('reject %s, by name', (_what, [change, message]) => {
    expect(() => read({ ...least, ...change })).toThrow(IssuerSettingsError);
    expect(() => read({ ...least, ...change })).toThrow(message);
  });

  it('reject duplicate issuers', () => {
    expect(() => read(least, { ...least, audience: 'other' })).toThrow(
      /\[1\].*issuer: must be unique/,
    );
  });

  it('allow this machine without TLS in development only', () => {
    const local = { ...least, issuer: 'http://127.0.0.1:9', jwksUrl: 'http://[::1]:9/keys' };
    expect(readIssuers(JSON.stringify([local]), { loopback: true })).toHaveLength(1);
    for (const issuer of ['http://127.0.0.1.id.test', 'http://10.0.0.1', 'http://localhost.test']) {
      const text = JSON.stringify([{ ...least, issuer }]);
      expect(() => readIssuers(text, { loopback: true })).toThrow(/https/);
    }
  });
});

describe('a path to a claim', () => {
  it.each([
    ['roles', ['roles']],
    ['realm_access.roles', ['realm_access', 'roles']],
    ['https://acme.example/org', ['https://acme.example/org']],
    ['acme\\.example/org', ['acme.example/org']],
    ['a.b\\.c.d', ['a', 'b.c', 'd']],
    [
      ['acme.example', 'org'],
      ['acme.example', 'org'],
    ],
  ])('%j is %j', (path, names) => {
    expect(claimPath(path)).toEqual(names);
  });

  const claims = { a: { b: 'c' }, list: ['x'], text: 'y', nothing: null };

  it.each(['b', 'a.c', 'a.b.length', 'list.0', 'list.length', 'text.length', 'nothing.a'])(
    '%s finds nothing',
    (path) => expect(claimAt(claims, path)).toBeUndefined(),
  );

  it.each(['__proto__', 'constructor', 'constructor.name', 'a.__proto__', 'toString'])(
    '[T04] %s finds no inherited property',
    (path) => expect(claimAt(claims, path)).toBeUndefined(),
  );
});

describe('roles', () => {
  const [settings] = read({ ...least, roles: { 'fl-admins': 'admin', 'Read Only': 'viewer' } });

  it.each([
    [['fl-admins'], 'admin'],
    [['Read Only', 'other'], 'viewer'],
    ['openid fl-admins', 'admin'],
  ])('%j map to %s', (roles, role) => {
    expect(callerOf({ roles }, settings)).toMatchObject({ role });
  });

  it.each([[['admin']], ['admin'], [['toString']], [['__proto__']], [['Read']]])(
    '[T04] %j are not mapped, and grant nothing',
    (roles) => expect(callerOf({ roles }, settings)).toBe('insufficient_role'),
  );

  it('may come from a scope', () => {
    const [scoped] = read({ ...least, rolesClaim: 'scp' });
    expect(callerOf({ scp: 'openid editor' }, scoped)).toMatchObject({ role: 'editor' });
    expect(callerOf({ scp: 'openid administrator' }, scoped)).toBe('insufficient_role');
  });
});

describe('an issuer of one organization', () => {
  it('takes its organization from the settings, whatever the token contains', () => {
    const [settings] = read({ ...least, organizationClaim: undefined, organization: 'acme' });
    const caller = { organization: { id: 'acme' } };
    expect(callerOf({ roles: ['viewer'], org_id: 'rival' }, settings)).toMatchObject(caller);
    expect(callerOf({ roles: ['viewer'], org_id: undefined }, settings)).toMatchObject(caller);
  });
});

describe('a project', () => {
  it('[T12] is read from the configured claim', () => {
    const [settings] = read({ ...least, platform: true, projectClaim: 'ctx.project' });
    const claims = { roles: ['admin'], ctx: { project: 'shop' }, project_id: 'other' };
    expect(callerOf(claims, settings)).toMatchObject({ project: 'shop', role: 'editor' });
  });
});

describe('the examples of docs/authentication.md', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../../../docs/authentication.md'),
    'utf8',
  );
  const section = page.slice(page.indexOf('\n## Configure issuers'));
  const [, text = ''] = /```json\n(.*?)```/s.exec(section) ?? [];
  const [keycloak, auth0] = readIssuers(text, { loopback: false });

  it('match tokens of Keycloak', () => {
    const claims = {
      typ: 'Bearer',
      azp: 'console',
      org_id: 'acme',
      realm_access: { roles: ['offline_access', 'fl-admins', 'default-roles-main'] },
      resource_access: { account: { roles: ['manage-account'] } },
      scope: 'openid profile',
    };
    expect(callerOf(claims, keycloak)).toMatchObject({
      role: 'admin',
      organization: { id: 'acme' },
    });
    expect(callerOf({ ...claims, realm_access: {} }, keycloak)).toMatchObject({ role: 'viewer' });
    expect(callerOf({ ...claims, typ: 'ID' }, keycloak)).toBe('unauthenticated');
    expect(callerOf({ ...claims, org_id: undefined }, keycloak)).toBe('no_organization');
    expect(callerOf({ ...claims, org_id: ['acme', 'rival'] }, keycloak)).toBe('unauthenticated');
  });

  it('match tokens of Auth0', () => {
    const claims = {
      'https://acme.example/org': 'acme-labs',
      'https://acme.example/roles': ['editor'],
      scope: 'openid admin',
      azp: 'client',
    };
    expect(callerOf(claims, auth0)).toMatchObject({
      role: 'editor',
      organization: { id: 'acme-labs', issuer: 'https://acme.eu.auth0.com/' },
    });
    expect(callerOf({ ...claims, 'https://acme.example/org': 'rival' }, auth0)).toBe('forbidden');
    expect(callerOf({ ...claims, 'https://acme.example/roles': [] }, auth0)).toBe(
      'insufficient_role',
    );
  });
});

describe('the table of docs/authentication.md', () => {
  const admin = { role: 'admin', organization: { id: 'acme' } };

  it('matches tokens of Entra ID', () => {
    const [entra] = read({
      issuer: 'https://login.microsoftonline.com/0f3a/v2.0',
      audience: '6e74172b',
      organizationClaim: 'tid',
      rolesClaim: 'roles',
      roles: { 'Fairlead.Admin': 'admin' },
      requiredClaims: [{ claim: 'scp', values: ['fairlead'] }],
    });
    const claims = { ver: '2.0', tid: 'acme', roles: ['Fairlead.Admin'], scp: 'fairlead' };
    expect(callerOf(claims, entra)).toMatchObject(admin);
    expect(callerOf({ ...claims, scp: undefined, nonce: 'n' }, entra)).toBe('unauthenticated');
  });

  it('matches tokens of Okta', () => {
    const [okta] = read({
      issuer: 'https://acme.okta.com/oauth2/default',
      audience: 'api://fairlead',
      organization: 'acme',
      rolesClaim: 'groups',
      roles: { 'Fairlead Admins': 'admin' },
      requiredClaims: [{ claim: 'cid' }],
    });
    const claims = { ver: 1, cid: '0oa', groups: ['Everyone', 'Fairlead Admins'], scp: ['openid'] };
    expect(callerOf(claims, okta)).toMatchObject(admin);
    expect(callerOf({ ...claims, cid: undefined }, okta)).toBe('unauthenticated');
  });

  it('matches tokens of Google', () => {
    const [google] = read({
      issuer: 'https://accounts.google.com',
      audience: 'client.apps.googleusercontent.com',
      organizationClaim: 'hd',
      allowedOrganizations: ['acme.example'],
      defaultRole: 'editor',
    });
    const claims = { hd: 'acme.example', email: 'ada@acme.example', at_hash: 'x' };
    const editor = { role: 'editor', organization: { id: 'acme.example' } };
    expect(callerOf(claims, google)).toMatchObject(editor);
    expect(callerOf({ ...claims, hd: 'rival.example' }, google)).toBe('forbidden');
    expect(callerOf({ ...claims, hd: undefined }, google)).toBe('no_organization');
  });
});

function callerOf(claims: Record<string, unknown>, settings: IssuerSettings | undefined): unknown {
  if (settings === undefined) throw new TypeError('There are no settings');
  const given = Object.entries({ org_id: 'acme', sub: 'ada', ...claims });
  const present = given.filter(([, value]) => value !== undefined);
  try {
    return callerFrom(Object.fromEntries(present), settings);
  } catch (thrown) {
    if (thrown instanceof FairleadError) return thrown.code;
    throw thrown;
  }
}
