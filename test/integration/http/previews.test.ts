// Requests with `dry_run=true`, over HTTP against a real API server: the answers of the change, and no write.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { hasReason } from '../../../src/kube/errors.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { crate, deployedCode, sized } from '../../support/fixtures/code/deployed-code.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import type { Answer, ServedApi } from '../../support/servers/served-api.ts';

const organization = 'previews';
const { api: served, admin: acme, built, deploy, serves, commit } = deployedCode(organization);
let api: ServedApi;
let objects: ReturnType<typeof resourceObjects>;
const client = createKubeClient(loadCluster(sharedControlPlane()));

beforeAll(async () => {
  api = served();
  await acme.post('/resources/register', { provider: 'box', resource: 'any' });
  await acme.post('/resources/register', {
    provider: 'box',
    resource: 'crate',
    schema: sized('size'),
  });
  objects = resourceObjects(api, organization);
});

afterAll(async () => {
  await objects?.close();
  await client.close();
});

const wanting = (name: string, more: object = {}) => ({
  provider: 'box',
  resource: 'any',
  name,
  config: {},
  ...more,
});
const apply = (body: object, query = '') => acme.post(`/resources/apply${query}`, body);
const preview = (body: object) => apply(body, '?dry_run=true');
const planOf = ({ status, headers }: Answer) => [status, headers['fairlead-plan']];

/** The versions of everything that a user of the organization could have changed; statuses are not among it. */
async function stored(): Promise<readonly string[]> {
  const { namespace } = organizationOf(api.issuer.url, organization);
  const { resource, provider, project, definition } = kinds;
  const lists = [resource, provider, project, definition].map(async (kind) => {
    const { items } = await client.list(kind, { namespace });
    return items.map(({ metadata: { name, uid, generation, annotations, deletionTimestamp } }) =>
      JSON.stringify({ kind: kind.kind, name, uid, generation, annotations, deletionTimestamp }),
    );
  });
  return (await Promise.all(lists)).flat().sort();
}

describe('an apply', () => {
  it('shows a resource that it would create', async () => {
    const before = await stored();
    const pending = { lifecycle_state: 'pending' };
    const created = await preview(wanting('new', { ...pending, tags: ['a'] }));
    expect(planOf(created)).toEqual([200, 'create']);
    expect(created.headers).not.toHaveProperty('etag');
    expect(created.body).toMatchObject({
      id: 'resource:box_any_new',
      lifecycle_state: 'pending',
      applied_by: 'ada',
      tags: ['a'],
      created_at: expect.stringMatching(/^20/),
    });
    expect((await acme.get('/resources/box/any/new')).status).toBe(404);
    expect(await stored()).toEqual(before);
    const real = await apply(wanting('new', { ...pending, tags: ['a'] }));
    expect(Object.keys(real.body as object)).toEqual(Object.keys(created.body as object));
    expect(real.headers).not.toHaveProperty('fairlead-plan');
  });

  it('names the change of an existing resource', async () => {
    await apply(wanting('old', { config: { a: 1 } }));
    await objects.settled('box/any/old');
    const first = await acme.get('/resources/box/any/old');
    const before = await stored();
    const changed = await preview(wanting('old', { config: { a: 2 } }));
    expect(planOf(changed)).toEqual([200, 'update']);
    expect(changed).toMatchObject({
      headers: { etag: first.headers.etag },
      body: { config: { a: 2 } },
    });
    const tagged = await preview(wanting('old', { config: { a: 1 }, tags: ['b'] }));
    expect(planOf(tagged)).toEqual([200, 'tags']);
    expect(planOf(await preview(wanting('old', { config: { a: 1 } })))).toEqual([200, 'none']);
    expect(await stored()).toEqual(before);
    expect((await acme.get('/resources/box/any/old')).body).toMatchObject({ config: { a: 1 } });
  });

  it.each([
    { name: 'an unknown type', body: { resource: 'none', lifecycle_state: 'pending' } },
    { name: 'an invalid config', body: { resource: 'crate', lifecycle_state: 'pending' } },
    { name: 'an unknown project', body: { project_id: 'nowhere' } },
    { name: 'an unknown field', body: { conifg: {} } },
    { name: 'a large config', body: { config: { text: 'x'.repeat(262_144) } } },
    { name: 'a dependency on itself', body: { dependencies: [wanting('same')].map(tupleOf) } },
  ])('is rejected like without a preview: $name', async ({ body }) => {
    const whole = wanting('same', body);
    const [shown, real] = [await preview(whole), await apply(whole)];
    const { request_id: _id, ...problem } = shown.body as Record<string, unknown>;
    expect(real).toMatchObject({ status: shown.status, body: problem });
    expect(shown.status).toBeOneOf([413, 422]);
  });

  it('of a provider in deletion is rejected', async () => {
    await acme.post('/resources/register', { provider: 'leaving', resource: 'any' });
    const { namespace } = organizationOf(api.issuer.url, organization);
    await client.create(kinds.provider, {
      apiVersion,
      kind: kinds.provider.kind,
      metadata: { namespace, name: 'leaving', finalizers: ['test.example/hold'] },
      ...{ spec: { provider: 'leaving', endpoint: 'http://127.0.0.1:9' } },
    });
    // With kubectl, so that its types stay.
    await client.delete(kinds.provider, { namespace, name: 'leaving' });
    const late = wanting('late', { provider: 'leaving', lifecycle_state: 'pending' });
    expect(await preview(late)).toMatchObject({
      status: 409,
      body: { code: 'provider_deleting' },
    });
  });

  it('in an organization that does not exist creates none', async () => {
    const nobody = await api.caller('previews-only');
    const answer = await nobody.post('/resources/apply?dry_run=true', wanting('first'));
    expect(planOf(answer)).toEqual([200, 'create']);
    const typed = wanting('first', { lifecycle_state: 'pending' });
    expect((await nobody.post('/resources/apply?dry_run=true', typed)).status).toBe(422);
    expect(planOf(await nobody.delete('/resources/box:any:first?dry_run=true'))).toEqual([
      204,
      'none',
    ]);
    expect((await nobody.post('/providers/box/deploy?dry_run=true', {})).status).toBe(404);
    const { namespace: name } = organizationOf(api.issuer.url, 'previews-only');
    const found = await client.get(kinds.organization, { name }).catch((thrown: unknown) => thrown);
    expect(hasReason(found, 'notFound')).toBe(true);
  });

  it('[T12] needs the rights of the change, and stays in the project of its token', async () => {
    const viewer = await api.caller(organization, { roles: ['viewer'] });
    expect((await viewer.post('/resources/apply?dry_run=true', wanting('x'))).status).toBe(403);
    await acme.post('/projects', { project_id: 'shop', name: 'Shop' });
    const shop = await api.caller(organization, { roles: ['editor'], project_id: 'shop' });
    expect((await acme.post('/resources/apply', wanting('other'))).status).toBe(200);
    const theirs = await shop.post(
      '/resources/apply?dry_run=true',
      wanting('other', { config: { a: 9 } }),
    );
    expect(theirs).toMatchObject({ status: 409, body: { code: 'project_immutable' } });
    expect(theirs.text).not.toContain('"a"');
    expect(planOf(await shop.delete('/resources/box:any:other?dry_run=true'))).toEqual([
      204,
      'none',
    ]);
  });
});

function tupleOf({ provider, resource, name }: ReturnType<typeof wanting>) {
  return { provider, resource, name };
}

describe('a deletion', () => {
  it('shows what it would do, or all users', async () => {
    const pending = { lifecycle_state: 'pending' };
    await apply(wanting('used', pending));
    const names = Array.from({ length: 22 }, (_, at) => `user${String(at).padStart(2, '0')}`);
    const dependencies = [tupleOf(wanting('used'))];
    await Promise.all(names.map((name) => apply(wanting(name, { ...pending, dependencies }))));
    const before = await stored();
    const refused = await acme.delete('/resources/box:any:used?dry_run=true');
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'resource_in_use',
        context: {
          resource: 'box/any/used',
          users: names.map((name) => `box/any/${name}`),
          more_users: false,
        },
      },
    });
    const forced = await acme.delete('/resources/box/any/used?dry_run=true&force=true');
    expect(planOf(forced)).toEqual([204, 'delete']);
    expect(planOf(await acme.delete('/resources/box:any:user00?dry_run=true'))).toEqual([
      204,
      'delete',
    ]);
    expect(planOf(await acme.delete('/resources/box:any:none?dry_run=true'))).toEqual([
      204,
      'none',
    ]);
    expect(await stored()).toEqual(before);
    await objects.hold('box/any/user00');
    await acme.delete('/resources/box:any:user00');
    expect(planOf(await acme.delete('/resources/box:any:user00?dry_run=true'))).toEqual([
      204,
      'none',
    ]);
  });
});

describe('a deployment', () => {
  it('shows the version and what it would break', async () => {
    await built('van');
    const created = await deploy('van', {}, '?dry_run=true');
    expect(planOf(created)).toEqual([200, 'create']);
    expect((await acme.get('/providers/van/deployment')).status).toBe(404);
    const first = (await deploy('van')).body as { version: string };
    await serves('van', first.version);
    await commit('van', 'empty');
    const version = await built('van', crate(sized('size')));
    const before = await stored();
    const shown = await deploy('van', { version }, '?dry_run=true');
    expect(planOf(shown)).toEqual([200, 'update']);
    expect(shown.body).toMatchObject({
      version,
      status: 'pending',
      message: `1 of 1 resources does not fit the types of version ${version}: van/crate/empty (size: Field required)`,
      incompatible_count: 1,
      incompatible_resources: ['resource:van_crate_empty'],
    });
    const strict = await deploy('van', { version }, '?dry_run=true&strict=true');
    expect(strict).toMatchObject({ status: 409, body: { code: 'schemas_break' } });
    const same = await deploy('van', { version: first.version }, '?dry_run=true');
    expect(planOf(same)).toEqual([200, 'none']);
    expect(await stored()).toEqual(before);
  });
});
