// Visibility over HTTP against a real API server: organizations, and tokens that are confined to one project.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf, projectNameOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import {
  type ApiCaller,
  type ServedApi,
  serveApi,
  textOf,
} from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: ApiCaller;
/** Confined to the project `shop`. */
let shop: ApiCaller;
let defaultProject: string;

const body = (name: string, more: object = {}) => ({
  provider: 'box',
  resource: 'crate',
  name,
  config: {},
  ...more,
});

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller('tenancy');
  const [project] = (await admin.get('/projects')).body as readonly { project_id: string }[];
  defaultProject = project?.project_id ?? '';
  await createProject('tenancy', 'shop');
  shop = await api.caller('tenancy', { project_id: 'shop' });
  await admin.post('/resources/apply', body('office'));
  await admin.post('/resources/apply', body('till', { project_id: 'shop' }));
});

afterAll(() => api?.close());

/** Writes as a user of kubectl. */
async function createProject(organization: string, projectId: string): Promise<void> {
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  const { namespace } = organizationOf(api.issuer.url, organization);
  await client.create(kinds.project, {
    apiVersion,
    kind: 'Project',
    metadata: { namespace, name: projectNameOf(projectId) },
    spec: { projectId, displayName: projectId },
  });
  await client.close();
}

const namesIn = (answer: { body: unknown }) =>
  (answer.body as readonly { name: string }[]).map(({ name }) => name);

describe('an organization', () => {
  it('has a default project, which the platform manages', async () => {
    const { body: found } = await admin.get(`/projects/${defaultProject}`);
    expect(found).toStrictEqual({
      project_id: expect.stringMatching(/^default-[0-9a-f]{12}$/),
      organization_id: 'tenancy',
      name: 'default',
      managed_by: 'platform',
      require_plan: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('sees its caller in /auth/me', async () => {
    expect((await admin.get('/auth/me')).body).toStrictEqual({
      organization_id: 'tenancy',
      organization_name: null,
      issuer: api.issuer.url,
      subject: 'ada',
      user_id: 'ada',
      email: null,
      role: 'admin',
      project_id: null,
      namespace: organizationOf(api.issuer.url, 'tenancy').namespace,
      display: 'ada',
      limits: { resources: 20_000, resource_bytes: 67_108_864 },
      usage: { resources: expect.any(Number), resource_bytes: expect.any(Number) },
    });
  });

  it('[H17] sees nothing of another one, with the same responses as for missing objects', async () => {
    await admin.post('/resources/register', { provider: 'box', resource: 'secret' });
    const rival = await api.caller('rival');
    expect((await rival.get('/resources/')).body).toEqual([]);
    expect((await rival.get('/resources/types')).body).toEqual([]);
    const [theirs, missing] = [
      await rival.get('/resources/box/crate/office'),
      await rival.get('/resources/box/crate/office2'),
    ];
    expect(theirs.status).toBe(404);
    expect(textOf(theirs).replace('office', 'office2')).toBe(textOf(missing));
    const [project, none] = [
      await rival.get(`/projects/${defaultProject}`),
      await rival.get('/projects/none'),
    ];
    expect(project.status).toBe(404);
    expect(textOf(project).replace(defaultProject, 'none')).toBe(textOf(none));
  });

  it('is not affected by another one with the same names', async () => {
    const rival = await api.caller('rival');
    await rival.post('/resources/apply', body('office', { config: { mine: true } }));
    expect((await rival.delete('/resources/box/crate/till')).status).toBe(204);
    expect((await rival.delete('/resources/unregister/box/secret')).status).toBe(204);
    expect((await admin.get('/resources/box/crate/office')).body).toMatchObject({ config: {} });
    expect((await admin.get('/resources/box/crate/till')).status).toBe(200);
    expect((await admin.get('/resources/types')).body).toMatchObject([{ resource: 'secret' }]);
    const foreign = await rival.post('/resources/apply', body('x', { project_id: 'shop' }));
    expect(foreign.status).toBe(422);
  });

  it.each([
    'ACME',
    'acme/../other',
    '.',
    '日本',
    'a'.repeat(256),
    'kube-system',
    'a\nb',
    '\u0000',
    '{"a":1}',
  ])('may have the id %j', async (name) => {
    const caller = await api.caller(name);
    const { status, body: me } = await caller.get('/auth/me');
    expect(status).toBe(200);
    expect(me).toMatchObject({
      organization_id: name,
      namespace: expect.stringMatching(/^fl-[a-z0-9]/),
    });
  });

  it('is served at once for a hundred parallel first callers', async () => {
    const caller = await api.caller('crowd');
    const answers = await Promise.all(Array.from({ length: 100 }, () => caller.get('/resources/')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('a project token', () => {
  it('sees the record of its project, and is rejected for any other, existing or not', async () => {
    expect(await shop.get('/projects/shop')).toMatchObject({
      status: 200,
      body: { project_id: 'shop', managed_by: null },
    });
    for (const id of [defaultProject, 'none']) {
      expect(await shop.get(`/projects/${id}`)).toMatchObject({
        status: 403,
        body: { code: 'outside_project' },
      });
    }
  });

  it.each([
    ['GET', '/auth/me'],
    ['GET', '/projects'],
    ['GET', '/resources/types'],
    ['POST', '/resources/register'],
    ['DELETE', '/resources/unregister/box/crate'],
  ])('is rejected for %s %s', async (method, path) => {
    expect(await shop.send(method, path)).toMatchObject({
      status: 403,
      body: { code: 'outside_project' },
    });
  });

  it('lists only resources of its project', async () => {
    expect(namesIn(await shop.get('/resources/'))).toEqual(['till']);
    expect(namesIn(await shop.get('/resources/?project_id=shop'))).toEqual(['till']);
    expect(namesIn(await shop.get(`/resources/?project_id=${defaultProject}`))).toEqual([]);
    expect(namesIn(await admin.get('/resources/?project_id=shop'))).toEqual(['till']);
  });

  it('gets 404 for resources of other projects', async () => {
    expect((await shop.get('/resources/box/crate/till')).status).toBe(200);
    for (const id of ['box/crate/office', 'resource:box_crate_office', 'box:crate:office']) {
      const theirs = await shop.get(`/resources/${id}`);
      const missing = await shop.get(`/resources/${id.replace('office', 'nobody')}`);
      expect(theirs.status).toBe(404);
      expect(textOf(theirs).replace('office', 'nobody')).toBe(textOf(missing));
    }
  });

  it('deletes nothing in other projects, with the same response', async () => {
    expect((await shop.delete('/resources/box/crate/office')).status).toBe(204);
    expect((await admin.get('/resources/box/crate/office')).status).toBe(200);
  });

  it('applies only to its project, named or not', async () => {
    for (const more of [{}, { project_id: 'shop' }, { project_id: null }]) {
      const answer = await shop.post('/resources/apply', body('shelf', more));
      expect(answer).toMatchObject({ status: 200, body: { project_id: 'shop' } });
    }
    const elsewhere = body('shelf2', { project_id: defaultProject });
    expect(await shop.post('/resources/apply', elsewhere)).toMatchObject({
      status: 403,
      body: { code: 'outside_project' },
    });
    expect((await admin.get('/resources/box/crate/shelf2')).status).toBe(404);
  });

  it('changes nothing in other projects, and does not reveal which one has it', async () => {
    const answer = await shop.post('/resources/apply', body('office', { config: { x: 1 } }));
    expect(answer.status).toBe(409);
    expect(answer.text).not.toContain(defaultProject);
    expect((await admin.get('/resources/box/crate/office')).body).toMatchObject({
      config: {},
      project_id: defaultProject,
    });
  });

  it('of a viewer reads and does not write', async () => {
    const reader = await api.caller('tenancy', { project_id: 'shop', roles: ['viewer'] });
    expect((await reader.get('/resources/')).status).toBe(200);
    expect((await reader.post('/resources/apply', body('no'))).status).toBe(403);
  });

  it('for a missing project sees nothing and creates nothing', async () => {
    const lost = await api.caller('tenancy', { project_id: 'closed' });
    expect((await lost.get('/resources/')).body).toEqual([]);
    expect((await lost.get('/projects/closed')).status).toBe(404);
    expect((await lost.post('/resources/apply', body('lost'))).status).toBe(422);
  });
});

describe('the project of a resource', () => {
  it('cannot change', async () => {
    const moved = body('till', { project_id: defaultProject });
    expect(await admin.post('/resources/apply', moved)).toMatchObject({
      status: 409,
      body: { code: 'project_immutable' },
    });
    const same = await admin.post('/resources/apply', body('till'));
    expect(same).toMatchObject({ status: 200, body: { project_id: 'shop' } });
  });
});
