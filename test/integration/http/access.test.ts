// Every route of the service with every kind of caller: the answers match the table of rules.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ruleOf } from '../../../src/api/permissions.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { documentedEndpoints } from '../../../src/http/auth/access-table.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../../support/servers/served-api.ts';
import { kubectlFor } from '../../support/tools/kubectl.ts';

let api: ServedApi;
const organization = 'access';

beforeAll(async () => {
  api = await serveApi();
});

afterAll(() => api?.close());

/** Names that are legal and of nothing. */
const parameters: Readonly<Record<string, string>> = {
  project_id: 'shop',
  resource_id: 'box:crate:nothing',
  provider: 'box',
  resource: 'crate',
  name: 'nothing',
  revision: '1',
  job_name: 'box-1-0123456789abcdef',
  event_id: 'evt-0123456789abcdef',
  id: 'evt-0123456789abcdef',
  set: 'nothing',
  setting: 'nothing',
  scope: '@acme',
  file: 'nothing.css',
};

const routes = documentedEndpoints().map(({ method, path, access }) => ({
  name: `${method} ${path}`,
  method,
  access,
  path: path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = parameters[parameter];
    if (value === undefined) throw new TypeError(`No value for ${parameter}; give it one above`);
    return value;
  }),
}));
const guarded = routes.flatMap((route) =>
  route.access === 'public' ? [] : [{ ...route, ...ruleOf(route.access) }],
);
type Guarded = (typeof guarded)[number];

const codeOf = ({ body }: Answer) => (body as { code?: string } | undefined)?.code;

/** `passed`, or why not; what the route itself answers to a request without content is its own affair. */
async function doorAnswer(caller: ApiCaller, { method, path }: Guarded): Promise<string> {
  const answer = await caller.send(method, path);
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(500);
  const refused = answer.status === 401 || answer.status === 403;
  return refused ? `${answer.status} ${codeOf(answer)}` : 'passed';
}

async function table(caller: ApiCaller): Promise<Record<string, string>> {
  const answers = guarded.map(async (each) => [each.name, await doorAnswer(caller, each)]);
  return Object.fromEntries(await Promise.all(answers));
}

function expected(verdict: (rule: Guarded) => string): Record<string, string> {
  return Object.fromEntries(guarded.map((each) => [each.name, verdict(each)]));
}

describe('every route', () => {
  it('[T12] rejects requests without a token, and with an invalid one', async () => {
    expect(await table(api.stranger)).toEqual(expected(() => '401 unauthenticated'));
    const bad = (authorization: string): ApiCaller => ({
      ...api.stranger,
      send: (method, path) => api.stranger.send(method, path, { headers: { authorization } }),
    });
    for (const header of ['Bearer garbage', 'Bearer a.b.c', 'Basic YTpi', 'Bearer null']) {
      expect(await table(bad(header))).toEqual(expected(() => '401 unauthenticated'));
    }
  });

  /** The route asks for `mayImport` of the project besides, which no project here has. */
  const needsImport = ({ path }: Guarded) => path.endsWith('/existing');
  const rank = { viewer: 0, editor: 1, admin: 2 };

  it.each(['viewer', 'editor', 'admin'] as const)(
    '[T12] allows %s as in the access table',
    async (role) => {
      const caller = await api.caller(organization, { roles: [role] });
      const verdict = (rule: Guarded) =>
        rank[role] >= rank[rule.role] ? 'passed' : '403 insufficient_role';
      expect(await table(caller)).toEqual(expected(verdict));
    },
  );

  it('[T12] allows a project token only where the access table does, as editor at most', async () => {
    const shop = await api.caller(organization, { project_id: 'shop' });
    const verdict = (rule: Guarded) =>
      rule.inProject && !needsImport(rule) ? 'passed' : '403 outside_project';
    expect(await table(shop)).toEqual(expected(verdict));
    const reader = await api.caller(organization, { project_id: 'shop', roles: ['viewer'] });
    expect(await table(reader)).toEqual(
      expected((rule) => {
        if (!rule.inProject) return '403 outside_project';
        return rule.role === 'viewer' ? 'passed' : '403 insufficient_role';
      }),
    );
  });

  it('[T12] shows nothing of a project to a token of another project', async () => {
    const other = await api.caller(organization, { project_id: 'other' });
    const verdict = (rule: Guarded) => {
      if (!rule.inProject) return '403 outside_project';
      const isRefused = rule.path.startsWith('/projects/') || needsImport(rule);
      return isRefused ? '403 outside_project' : 'passed';
    };
    expect(await table(other)).toEqual(expected(verdict));
  });

  it('is public only where intended', async () => {
    for (const { access, method, path } of routes) {
      if (access !== 'public') continue;
      const { status } = await api.stranger.send(method, path);
      expect([200, 404], path).toContain(status);
    }
  });
});

describe('the place of a token', () => {
  it('[T01] is the header, and not the query, a cookie or the body', async () => {
    const token = await api.issuer.token({ org_id: organization });
    const headers: Readonly<Record<string, string>>[] = [
      { cookie: `token=${token}; access_token=${token}` },
      { 'x-authorization': `Bearer ${token}`, 'x-forwarded-authorization': `Bearer ${token}` },
      { 'proxy-authorization': `Bearer ${token}` },
    ];
    for (const each of headers) {
      expect((await api.stranger.send('GET', '/auth/me', { headers: each })).status).toBe(401);
    }
    for (const query of [
      `access_token=${token}`,
      `token=${token}`,
      `Authorization=Bearer ${token}`,
    ]) {
      const path = `/auth/me?${query.replace(' ', '%20')}`;
      expect((await api.stranger.get(path)).status).toBe(401);
    }
    const form = {
      body: `access_token=${token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect((await api.stranger.send('POST', '/resources/apply', form)).status).toBe(401);
  });

  it('[T01] is one header: two are rejected', async () => {
    const token = await api.issuer.token({ org_id: organization });
    const good = `Authorization: Bearer ${token}`;
    expect(await rawStatus([good])).toBe(200);
    expect(await rawStatus([good, 'Authorization: Bearer other'])).toBe(401);
    expect(await rawStatus(['Authorization: Bearer other', good])).toBe(401);
    expect(await rawStatus([good, good])).toBe(401);
    expect(await rawStatus([good, 'authorization: Basic YTpi'])).toBe(401);
  });

  it('[T01] is a head within the limit: a longer one is rejected before parsing', async () => {
    expect(await rawStatus([`Authorization: Bearer ${'a'.repeat(60_000)}`])).toBe(431);
  });

  async function rawStatus(lines: readonly string[]): Promise<number> {
    const socket = connect(api.port, '127.0.0.1');
    const head = ['GET /auth/me HTTP/1.1', 'Host: x', 'Connection: close', ...lines, '', ''];
    socket.write(head.join('\r\n'));
    const answer = await text(socket);
    return Number(answer.slice(9, 12));
  }
});

describe('a suspended organization', () => {
  it('[T13] is rejected everywhere within seconds, with valid tokens, and accepted again after resuming', async () => {
    const client = createKubeClient(loadCluster(sharedControlPlane()));
    const kubectl = kubectlFor(sharedControlPlane().kubeconfig, 'default');
    const name = 'suspended';
    const { namespace } = organizationOf(api.issuer.url, name);
    const caller = await api.caller(name);
    const me = async () => (await caller.get('/auth/me')).status;
    try {
      expect(await me()).toBe(200);
      const suspend = (suspended: boolean) =>
        client.patch(kinds.organization, { name: namespace }, { spec: { suspended } });
      const shown = () => kubectl('get', 'organizations', namespace, '--no-headers');
      expect(await shown()).toMatch(/True +Provisioned +\S+\s*$/);
      await suspend(true);
      await eventually(async () => expect(await me()).toBe(403));
      await eventually(async () => expect(await shown()).toMatch(/True +Provisioned +True +\S+/));
      expect(await table(caller)).toEqual(expected(() => '403 forbidden'));
      expect((await (await api.caller(organization)).get('/auth/me')).status).toBe(200);
      await suspend(false);
      await eventually(async () => expect(await me()).toBe(200));
      await eventually(async () => expect(await shown()).toMatch(/True +Provisioned +\S+\s*$/));
      await eventually(async () => {
        const about = ['--field-selector', `involvedObject.name=${namespace}`];
        const reasons = await kubectl(
          'get',
          'events',
          ...about,
          '-o',
          'jsonpath={.items[*].reason}',
        );
        expect(reasons.split(' ').sort()).toEqual(['Provisioned', 'Resumed', 'Suspended']);
      });
    } finally {
      await client.close();
    }
  });
});

describe('a start while the issuer is unreachable', () => {
  it('[T10] is not ready, answers 503, and recovers by itself', async () => {
    const alone = await serveApi({ systemNamespace: api.systemNamespace }, (issuer) => {
      issuer.respond = (req) => req.socket.destroy();
    });
    try {
      const caller = await alone.caller(organization);
      expect(await alone.stranger.get('/readyz')).toMatchObject({
        status: 503,
        body: { checks: { issuers: false } },
      });
      expect(await caller.get('/auth/me')).toMatchObject({
        status: 503,
        headers: { 'retry-after': expect.any(String) },
      });
      expect((await alone.stranger.get('/livez')).status).toBe(200);
      alone.issuer.respond = undefined;
      await eventually(async () => expect((await alone.stranger.get('/readyz')).status).toBe(200));
      expect((await caller.get('/auth/me')).status).toBe(200);
    } finally {
      await alone.close();
    }
  });
});
