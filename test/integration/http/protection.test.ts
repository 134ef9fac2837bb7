// Protected resources over HTTP and with kubectl, on a real API server with RBAC and the policies of an installation.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { annotation } from '../../../src/store/kinds.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane, sharedIdentities } from '../../support/servers/control-plane.ts';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../../support/servers/served-api.ts';
import { type Kubectl, kubectlFor } from '../../support/tools/kubectl.ts';

const organization = `protection-${randomUUID().slice(0, 8)}`;
const audited: string[] = [];
let api: ServedApi;
let ada: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;
let namespace: string;
let kubectl: Kubectl;

beforeAll(async () => {
  api = await serveApi({ audit: (line) => audited.push(line) });
  ada = await api.caller(organization, { sub: 'ada', roles: ['editor'] });
  objects = resourceObjects(api, organization);
  ({ namespace } = organizationOf(api.issuer.url, organization));
  kubectl = kubectlFor(sharedControlPlane().kubeconfig, namespace);
  const admin = await api.caller(organization);
  for (const provider of ['box', 'van']) {
    await admin.post('/resources/register', { provider, resource: 'any' });
  }
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
});

async function apply(name: string, more: object = {}, query = ''): Promise<Answer> {
  const wanted = { provider: 'box', resource: 'any', name, config: {}, lifecycle_state: 'pending' };
  const answer = await ada.post(`/resources/apply${query}`, { ...wanted, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

const pathOf = (name: string) => `/resources/box/any/${name}`;
const stored = (name: string, provider = 'box') => objects.get(`${provider}/any/${name}`);
const refused = (name: string, how = 'deleted') => ({
  status: 409,
  body: {
    code: 'resource_protected',
    detail: `Resource box/any/${name} is protected and cannot be ${how}; apply it with protected: false first`,
    context: { resources: [`box/any/${name}`], resource_count: 1 },
  },
});

describe('PATCH of a resource', () => {
  it('sets the options that it names, whatever else is stored', async () => {
    await apply('big', { lifecycle_state: 'draft', tags: ['blue'], paused: true });
    const { name } = (await stored('big')).metadata;
    const big = '{"spec":{"config":{"list":[{"n":9007199254740993}]}}}';
    await kubectl('patch', 'resources.fairlead.dev', name, '--type=merge', '-p', big);
    const { spec: before } = await stored('big');
    const sent = { protected: true, observe: { every: '10m' } };
    const preview = await ada.patch(`${pathOf('big')}?dry_run=true`, sent);
    expect(preview).toMatchObject({ status: 200, body: { protected: true, paused: true } });
    expect(preview.headers['fairlead-plan']).toBe('options');
    expect((await stored('big')).spec).toEqual(before);
    expect(await ada.patch(pathOf('big'), sent)).toMatchObject({
      status: 200,
      body: { ...sent, observe: { every: '10m', ignore: [] }, paused: true, tags: ['blue'] },
    });
    const { spec, metadata } = await stored('big');
    expect(spec).toEqual({ ...before, ...sent });
    expect((await ada.patch(pathOf('big'), sent)).status).toBe(200);
    expect((await stored('big')).metadata.generation).toBe(metadata.generation);
    expect(audited.find((line) => line.includes('updateResource'))).toBeDefined();
  });

  it('is refused of another version, of none, and where an apply is', async () => {
    await apply('patched', { lifecycle_state: 'draft' });
    const stale = { 'if-match': '"other"' };
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const cases = [
      [await ada.patch(pathOf('patched'), { paused: true }, stale), 412, 'precondition_failed'],
      [await ada.patch(pathOf('absent'), { paused: true }), 404, 'resource_not_found'],
      [await ada.patch(pathOf('patched'), { config: {} }), 422, undefined],
      [await ada.patch(pathOf('patched'), { protected: true, expires_at: later }), 422, undefined],
    ] as const;
    for (const [answer, status, code] of cases) {
      expect([answer.status, (answer.body as { code?: string }).code]).toEqual([status, code]);
    }
    const viewer = await api.caller(organization, { sub: 'vera', roles: ['viewer'] });
    expect((await viewer.patch(pathOf('patched'), { paused: true })).status).toBe(403);
  });
});

describe('a DELETE of a protected resource', () => {
  const ways = ['', '?force=true', '?orphan=true', '?force=true&orphan=true', '?dry_run=true'];

  it('is refused in every way, and changes nothing', async () => {
    const { headers } = await apply('kept', { protected: true });
    await objects.settled('box/any/kept');
    const before = await stored('kept');
    for (const path of [pathOf('kept'), '/resources/box:any:kept']) {
      for (const way of [...ways, '?dry_run=true&force=true']) {
        expect(await ada.delete(`${path}${way}`), way).toMatchObject(refused('kept'));
      }
    }
    const current = (await ada.get(pathOf('kept'))).headers.etag ?? '';
    expect(headers.etag).toBeDefined();
    const sameVersion = { headers: { 'if-match': current } };
    expect(await ada.send('DELETE', pathOf('kept'), sameVersion)).toMatchObject(refused('kept'));
    const { metadata } = await stored('kept');
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(metadata.annotations).toEqual(before.metadata.annotations);
    expect(audited.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
      ...{ subject: 'ada', outcome: 'refused', code: 'resource_protected' },
    });
  });

  it('is refused for a draft, and for a resource that is in deletion already', async () => {
    await apply('sketch', { protected: true, lifecycle_state: 'draft' });
    expect(await ada.delete(pathOf('sketch'))).toMatchObject(refused('sketch'));
    await apply('leaves');
    await objects.hold('box/any/leaves');
    expect((await ada.delete(pathOf('leaves'))).status).toBe(204);
    const { name: leaving } = (await stored('leaves')).metadata;
    await kubectl('patch', 'resource.fairlead.dev', leaving, ...protect);
    expect(await ada.delete(`${pathOf('leaves')}?force=true`)).toMatchObject(refused('leaves'));
    expect((await stored('leaves')).metadata.annotations).not.toHaveProperty([
      annotation.forceDeletion,
    ]);
    // What its deletion waits for can be lifted, and nothing else be changed.
    const wanted = { provider: 'box', resource: 'any', name: 'leaves', config: {} };
    const lifted = { protected: false };
    const changed = { ...wanted, ...lifted, tags: ['blue'] };
    expect(await ada.post('/resources/apply', changed)).toMatchObject({
      ...{ status: 409, body: { code: 'resource_deleting' } },
    });
    const { body } = await apply('leaves', lifted);
    expect(body).toMatchObject({ deletion_requested_at: expect.any(String), protected: false });
    await kubectl('patch', 'resource.fairlead.dev', leaving, ...protect);
    // It is never ready again, so nothing is waited for.
    const { status, headers } = await ada.patch(pathOf('leaves'), lifted, { prefer: 'wait=30' });
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('preference-applied');
    expect((await ada.delete(pathOf('leaves'))).status).toBe(204);
  });

  it('follows an apply that lifts the protection, and no apply that leaves it out', async () => {
    await apply('lifted', { protected: true });
    expect((await apply('lifted')).body).toMatchObject({ protected: true });
    expect(await ada.delete(pathOf('lifted'))).toMatchObject(refused('lifted'));
    const lift = { protected: false };
    const planned = await apply('lifted', lift, '?dry_run=true');
    expect(planned.headers['fairlead-plan']).toBe('options');
    expect(await ada.delete(pathOf('lifted'))).toMatchObject(refused('lifted'));
    const viewer = await api.caller(organization, { roles: ['viewer'] });
    const wanted = { provider: 'box', resource: 'any', name: 'lifted', config: {}, ...lift };
    expect((await viewer.post('/resources/apply', wanted)).status).toBe(403);
    expect((await apply('lifted', lift)).body).toMatchObject({ ...lift, applied_by: 'ada' });
    const [last] = (await ada.get(`${pathOf('lifted')}/history`)).body as object[];
    expect(last).toMatchObject({
      ...{ revision: 2, applied_by: 'ada' },
      changes: [{ path: '/protected', change: 'changed', before: true, after: false }],
    });
    expect((await ada.delete(pathOf('lifted'))).status).toBe(204);
  });
});

const protect = ['--type=merge', '--patch={"spec":{"protected":true}}'];
const lift = ['--type=merge', '--patch={"spec":{"protected":false}}'];

describe('a DELETE of a provider with protected resources', () => {
  it('is refused before anything is removed, with twenty of their names and their number', async () => {
    await objects.create('provider', 'van');
    const names = Array.from({ length: 21 }, (_, at) => `kept-${String(at).padStart(2, '0')}`);
    const inVan = { provider: 'van' };
    await Promise.all(names.map((name) => apply(name, { ...inVan, protected: true })));
    await apply('other', inVan);
    const admin = await api.caller(organization);
    const answer = await admin.delete('/providers/van?cascade=true');
    const resources = names.slice(0, 20).map((name) => `van/any/${name}`);
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'resource_protected', context: { resources, resource_count: 21 } },
    });
    expect((await stored('other', 'van')).metadata.deletionTimestamp).toBeUndefined();
    expect((await admin.get('/providers/')).text).toContain('"van"');
    expect((await admin.get('/resources/types')).text).toContain('van');
    const lifted = { ...inVan, protected: false };
    await Promise.all(names.map((name) => apply(name, lifted)));
    expect((await admin.delete('/providers/van?cascade=true')).status).toBe(200);
  });
});

describe('kubectl delete of a protected resource', () => {
  const says = 'set spec.protected to false first, with kubectl patch or fairlead unprotect';
  const kind = 'resource.fairlead.dev';
  let name: string;

  beforeAll(async () => {
    await apply('by-kubectl', { protected: true });
    ({ name } = (await stored('by-kubectl')).metadata);
    const verbs = '--verb=get,list,watch,patch,delete,deletecollection';
    await kubectl('create', 'role', 'editors', verbs, '--resource=resources.fairlead.dev');
    await kubectl('create', 'rolebinding', 'editors', '--role=editors', '--user=carl');
  });

  it('[K01] is refused with the way to lift it, for everybody', async () => {
    const controller = kubectlFor(sharedIdentities().controller, namespace);
    await expect(kubectl('delete', kind, name)).rejects.toThrow(says);
    // Roles are in force a moment after they were written.
    await eventually(() =>
      expect(kubectl('delete', kind, name, '--as=carl')).rejects.toThrow(says),
    );
    await expect(controller('delete', kind, name)).rejects.toThrow(says);
    const all = `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/resources`;
    await expect(kubectl('delete', '--raw', all, '--as=carl'), 'all at once').rejects.toThrow(says);
    const { metadata } = await stored('by-kubectl');
    expect(metadata.deletionTimestamp).toBeUndefined();
  });

  it('[K01] is refused to those without the right to it, as before', async () => {
    const asking = kubectl('delete', kind, name, '--as=eve');
    await expect(asking).rejects.toThrow('cannot delete resource');
  });

  it('[K01] follows the patch that lifts it, by those who may patch', async () => {
    await expect(kubectl('patch', kind, name, '--as=eve', ...lift)).rejects.toThrow('is forbidden');
    await kubectl('patch', kind, name, '--as=carl', ...lift);
    const [last] = (await ada.get(`${pathOf('by-kubectl')}/history`)).body as object[];
    expect(last, 'nobody is named').toMatchObject({
      ...{ revision: 2, applied_by: null, applied_at: null, current: true },
    });
    await kubectl('delete', kind, name, '--as=carl', '--wait=false');
    await eventually(async () => {
      const gone = await stored('by-kubectl').catch(() => undefined);
      expect(gone?.metadata.deletionTimestamp ?? 'gone').toEqual(expect.any(String));
    });
  });
});

describe('the other options over HTTP', () => {
  const later = new Date(Date.now() + 86_400_000).toISOString();

  it('are stored, shown in UTC, kept when left out, and no other content', async () => {
    await apply('all', { paused: true, deletion_policy: 'orphan' });
    const zoned = later.replace('Z', '+00:00').toLowerCase();
    const { body } = await apply('all', { expires_at: zoned });
    const options = { protected: false, expires_at: later, paused: true };
    expect(body).toMatchObject({ ...options, deletion_policy: 'orphan' });
    const again = await apply('all', body as object, '?dry_run=true');
    expect(again.headers['fairlead-plan'], 'a record that is sent back').toBe('none');
    const kept = await apply('all', { expires_at: null });
    expect(kept.body).toMatchObject({ expires_at: null, paused: true });
    expect((await stored('all')).spec.retry, 'no retry').toBeUndefined();
  });

  it.each([
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'Input should be a time in the future'],
    [
      { expires_at: 'tomorrow' },
      'expires_at',
      'Input should be a time such as 2026-02-01T08:00:00Z, or null',
    ],
    [{ protected: true, expires_at: later }, 'expires_at', 'A protected resource cannot expire'],
    [{ deletion_policy: 'Orphan' }, 'deletion_policy', ''],
    [{ paused: 'yes' }, 'paused', ''],
  ])('are refused when they cannot be: %j', async (options, field, sentence) => {
    const wanted = { provider: 'box', resource: 'any', name: 'refused', config: {} };
    for (const query of ['', '?dry_run=true']) {
      const answer = await ada.post(`/resources/apply${query}`, { ...wanted, ...options });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain(sentence);
      expect(answer.text).toContain(`"${field}"`);
    }
    expect((await ada.get(pathOf('refused'))).status).toBe(404);
  });

  it('are none of a request that orphans: it marks the object before it deletes it', async () => {
    await apply('left');
    await objects.hold('box/any/left');
    expect(await ada.delete(`${pathOf('left')}?orphan=true&dry_run=true`)).toMatchObject({
      headers: { 'fairlead-plan': 'delete' },
    });
    expect((await ada.delete(`${pathOf('left')}?orphan=true`)).status).toBe(204);
    const { metadata } = await stored('left');
    expect(metadata.annotations).toMatchObject({ [annotation.orphanDeletion]: 'true' });
    expect(metadata.deletionTimestamp).toBeDefined();
  });
});
