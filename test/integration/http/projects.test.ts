// Projects over HTTP against a real API server: their life, who may touch them, and what a deletion may leave behind.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../../../src/crds/project.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import {
  keyOf,
  objectNameOf,
  organizationOf,
  projectNameOf,
} from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { annotation, apiVersion, kinds } from '../../../src/store/kinds.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: ApiCaller;
let namespace: string;
const client = createKubeClient(loadCluster(sharedControlPlane()));

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller('projects');
  ({ namespace } = organizationOf(api.issuer.url, 'projects'));
  await admin.get('/auth/me');
});

afterAll(async () => {
  await api?.close();
  await client.close();
});

const draft = (name: string, project_id: string) =>
  admin.post('/resources/apply', {
    provider: 'box',
    resource: 'crate',
    name,
    config: {},
    project_id,
  });
const patch = (id: string, body: unknown) => admin.send('PATCH', `/projects/${id}`, { body });

async function defaultProject(): Promise<string> {
  const listed = (await admin.get('/projects')).body as readonly {
    project_id: string;
    managed_by: string | null;
  }[];
  return listed.find(({ managed_by }) => managed_by === 'platform')?.project_id ?? '';
}

async function livingIn(projectId: string): Promise<readonly string[]> {
  const { items } = await client.list<Resource>(kinds.resource, { namespace });
  return items
    .filter(({ spec, metadata }) => spec.project === projectId && !metadata.deletionTimestamp)
    .map(({ spec }) => spec.name);
}

describe('a resource that kubectl created in a missing project', () => {
  it('is refused to an apply without a project and to a PATCH, with the project in the message', async () => {
    const tuple = { provider: 'box', resource: 'crate', name: 'lost' };
    const metadata = { name: objectNameOf(keyOf(tuple)), namespace };
    const spec = { ...tuple, project: 'nowhere', lifecycle: 'Draft', config: {} };
    const kind = kinds.resource;
    await client.create(kind, { apiVersion, kind: kind.kind, metadata, spec } as KubeObject);
    const applied = { ...tuple, config: { other: true } };
    const answers = [
      await admin.post('/resources/apply', applied),
      await admin.patch('/resources/box/crate/lost', { paused: true }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(422);
      expect((body as { detail: unknown }).detail).toStrictEqual([
        {
          loc: ['body'],
          msg: 'The project "nowhere" of this resource does not exist; create a project with this id, or delete the resource and apply it again',
          type: 'value_error',
        },
      ]);
    }
  });
});

describe('a project', () => {
  it('is created, renamed and deleted', async () => {
    const created = await admin.post('/projects', { name: 'Web shop', project_id: 'web-shop' });
    expect(created.status).toBe(200);
    expect(created.body).toStrictEqual({
      project_id: 'web-shop',
      organization_id: 'projects',
      name: 'Web shop',
      managed_by: null,
      require_plan: false,
      created_at: expect.any(String),
      updated_at: (created.body as { created_at: string }).created_at,
    });
    const renamed = await patch('web-shop', { name: 'Shop' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Shop' } });
    const { updated_at } = renamed.body as { updated_at: string };
    expect(updated_at > (created.body as { updated_at: string }).updated_at).toBe(true);
    expect((await admin.get('/projects/web-shop')).body).toEqual(renamed.body);
    expect(await admin.delete('/projects/web-shop')).toMatchObject({ status: 204, text: '' });
    expect((await admin.get('/projects/web-shop')).status).toBe(404);
    expect((await admin.delete('/projects/web-shop')).status).toBe(404);
    expect((await patch('web-shop', { name: 'x' })).status).toBe(404);
  });

  it('has the slug of its name as its id if that is free', async () => {
    const made = async (name: string) => {
      const { body } = await admin.post('/projects', { name });
      return (body as { project_id: string }).project_id;
    };
    expect(await made('Größe: XL!')).toBe('gr-e-xl');
    const [one, other] = await Promise.all([made('Größe: XL!'), made('Größe: XL!')]);
    expect(one).not.toBe(other);
    for (const id of [one, other]) expect(id).toMatch(/^gr-e-xl-[0-9a-f]{8}$/);
    expect(await made('日本'), 'no letter of a slug').toMatch(/^project-[0-9a-f]{8}$/);
    // `default` means the default project wherever a project is named.
    expect(await made('Default')).toMatch(/^default-[0-9a-f]{8}$/);
    await admin.post('/projects', { name: 'payments', project_id: 'team-7' });
    expect(await made('Payments!'), 'the name of another project').toMatch(/^payments-/);
  });

  it('is created twice by two requests with equal names at the same time', async () => {
    const answers = await Promise.all(
      [1, 2].map(() => admin.post('/projects', { name: 'At once' })),
    );
    const ids = answers.map(({ body }) => (body as { project_id: string }).project_id);
    expect(ids.sort()).toEqual(['at-once', expect.stringMatching(/^at-once-[0-9a-f]{8}$/)]);
  });

  it('has no id of a default project', async () => {
    const wanted = { name: 'Mine', project_id: 'default-0123456789ab' };
    expect((await admin.post('/projects', wanted)).body).toMatchObject({ code: 'project_exists' });
  });

  it('is created once for parallel equal requests', async () => {
    const wanted = { name: 'Once', project_id: 'once' };
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => admin.post('/projects', wanted)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await admin.post('/projects', { ...wanted, name: 'Other' })).toMatchObject({
      status: 409,
      body: { code: 'project_exists' },
    });
  });

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name that is too long', { name: 'x'.repeat(257) }],
    ['a manager', { name: 'x', managed_by: 'platform' }],
    ['a path for an id', { name: 'x', project_id: '../x' }],
    ['an id that is too long', { name: 'x', project_id: 'x'.repeat(64) }],
  ])('is rejected with %s', async (_what, wanted) => {
    expect((await admin.post('/projects', wanted)).status).toBe(422);
  });

  it('cannot get an invalid name or a manager', async () => {
    await admin.post('/projects', { name: 'Stays', project_id: 'stays' });
    for (const body of [{}, { name: '' }, { name: 'x', managed_by: 'user' }, { project_id: 'y' }]) {
      expect((await patch('stays', body)).status).toBe(422);
    }
    expect((await admin.get('/projects/stays')).body).toMatchObject({ name: 'Stays' });
  });

  it('belongs to one organization: another may use the same id, and does not see this one', async () => {
    await admin.post('/projects', { name: 'Mine', project_id: 'same-id' });
    const rival = await api.caller('rival-of-projects');
    expect((await rival.delete('/projects/same-id')).status).toBe(404);
    expect((await rival.send('PATCH', '/projects/same-id', { body: { name: 'x' } })).status).toBe(
      404,
    );
    expect((await rival.post('/projects', { name: 'x', project_id: 'same-id' })).status).toBe(200);
    expect((await rival.delete('/projects/same-id')).status).toBe(204);
    expect((await admin.get('/projects/same-id')).body).toMatchObject({ name: 'Mine' });
  });

  it('is writable for admins only', async () => {
    const editor = await api.caller('projects', { roles: ['editor'] });
    const refused = { status: 403, body: { code: 'insufficient_role' } };
    expect(await editor.post('/projects', { name: 'x' })).toMatchObject(refused);
    expect(await editor.send('PATCH', '/projects/stays', { body: {} })).toMatchObject(refused);
    expect(await editor.delete('/projects/stays')).toMatchObject(refused);
  });

  it.each(['stays', 'none'])('is not writable for a project token: %s', async (id) => {
    const confined = await api.caller('projects', { project_id: 'stays' });
    const refused = { status: 403, body: { code: 'outside_project' } };
    expect(await confined.send('PATCH', `/projects/${id}`, { body: {} })).toMatchObject(refused);
    expect(await confined.delete(`/projects/${id}`)).toMatchObject(refused);
    expect(await confined.post('/projects', { name: 'x' })).toMatchObject(refused);
  });
});

describe('the default project', () => {
  it('cannot be changed, deleted or created by users', async () => {
    const id = await defaultProject();
    const refused = { status: 403, body: { code: 'project_managed_by_platform' } };
    expect(await patch(id, { name: 'mine' })).toMatchObject(refused);
    expect(await patch(id, { name: 'default' })).toMatchObject(refused);
    expect(await admin.delete(`/projects/${id}`)).toMatchObject(refused);
    const made = await admin.post('/projects', { name: 'default', project_id: id });
    expect(made).toMatchObject({ status: 409, body: { code: 'project_exists' } });
  });

  it('is recreated after its deletion', async () => {
    const id = await defaultProject();
    const ref = { namespace, name: projectNameOf(id) };
    const before = await client.get<Project>(kinds.project, ref);
    await client.delete(kinds.project, ref);
    await eventually(async () => {
      const after = await client.get<Project>(kinds.project, ref);
      expect(after.metadata.uid).not.toBe(before.metadata.uid);
    });
    expect((await admin.get(`/projects/${id}`)).body).toMatchObject({ managed_by: 'platform' });
  });
});

describe('a project that holds resources', () => {
  it('is kept, and reports their count and names', async () => {
    await admin.post('/projects', { name: 'Full', project_id: 'full' });
    const names = Array.from({ length: 22 }, (_, index) => `r${String(index).padStart(2, '0')}`);
    await Promise.all(names.map((name) => draft(name, 'full')));
    const answer = await admin.delete('/projects/full');
    expect(answer).toMatchObject({ status: 409, body: { code: 'project_in_use' } });
    expect(answer.text).toContain('holds 22 resources: resource:box_crate_r00,');
    expect(answer.text).toContain('resource:box_crate_r19 and 2 more');
    expect(answer.text).not.toContain('r20');
    expect((await draft('r99', 'full')).status).toBe(200);
  });

  it('counts a resource until its provider has cleaned up', async () => {
    await admin.post('/projects', { name: 'Leaving', project_id: 'leaving' });
    await draft('lingers', 'leaving');
    const { items } = await client.list<Resource>(kinds.resource, { namespace });
    const name = items.find(({ spec }) => spec.name === 'lingers')?.metadata.name ?? '';
    const held = { metadata: { finalizers: ['fairlead.dev/a-test'] } };
    await client.patch(kinds.resource, { namespace, name }, held);
    await admin.delete('/resources/box/crate/lingers');
    expect((await admin.delete('/projects/leaving')).status).toBe(409);
    await client.patch(kinds.resource, { namespace, name }, { metadata: { finalizers: [] } });
    await eventually(async () => {
      expect((await admin.delete('/projects/leaving')).status).toBe(204);
    });
  });
});

describe('a deletion concurrent with an apply', () => {
  const mark = (projectId: string, since: Date) =>
    client.patch<Project>(
      kinds.project,
      { namespace, name: projectNameOf(projectId) },
      { metadata: { annotations: { [annotation.going]: since.toISOString() } } },
    );

  it('accepts no new resources meanwhile', async () => {
    await admin.post('/projects', { name: 'Going', project_id: 'going' });
    await draft('was-there', 'going');
    await mark('going', new Date());
    expect(await draft('late', 'going')).toMatchObject({ status: 422 });
    expect((await draft('was-there', 'going')).status).toBe(200);
    expect((await draft('late', 'going')).status, 'who is in it keeps it').toBe(200);
  });

  it('is dropped after a crash of its process, and can be requested again', async () => {
    await admin.post('/projects', { name: 'Left', project_id: 'left' });
    await mark('left', new Date(Date.now() - 3_600_000));
    expect((await draft('in-left', 'left')).status).toBe(200);
    const ref = { namespace, name: projectNameOf('left') };
    const { metadata } = await client.get<Project>(kinds.project, ref);
    expect(metadata.annotations?.[annotation.going]).toBeUndefined();
    await admin.delete('/resources/box/crate/in-left');
    await mark('left', new Date());
    await eventually(async () => {
      expect((await admin.delete('/projects/left')).status).toBe(204);
    });
  });

  it('never leaves a resource in a deleted project, in any order', async () => {
    const ends: string[] = [];
    for (let round = 0; round < 15; round += 1) ends.push(await race(round));
    expect(ends).toEqual(expect.arrayContaining(['gone', 'kept']));
  });

  async function race(round: number): Promise<'gone' | 'kept'> {
    const id = `raced-${round}`;
    await admin.post('/projects', { name: 'Raced', project_id: id });
    const apply = (index: number) => draft(`${id}-${index}`, id);
    const remove = () => admin.delete(`/projects/${id}`);
    // Each side is first in one round, so that each wins some; the third round is undetermined.
    const first = round % 3 === 0 ? [await apply(0)] : [];
    const early = round % 3 === 1 ? [await remove()] : [];
    const applies = [1, 2, 3].map(apply);
    const deletions = [remove(), remove()];
    const applied = [...first, ...(await Promise.all(applies))].map(({ status }) => status);
    const deleted = [...early, ...(await Promise.all(deletions))].map(({ status }) => status);
    expect([200, 422]).toEqual(expect.arrayContaining([...new Set(applied)]));
    expect([204, 404, 409]).toEqual(expect.arrayContaining([...new Set(deleted)]));
    const gone = (await admin.get(`/projects/${id}`)).status === 404;
    expect(deleted.includes(204)).toBe(gone);
    const acknowledged = applied.filter((status) => status === 200);
    expect(await livingIn(id)).toHaveLength(acknowledged.length);
    if (gone) expect(acknowledged).toEqual([]);
    return gone ? 'gone' : 'kept';
  }
});
