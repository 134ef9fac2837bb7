// /sets over HTTP against a real API server: membership, prune, plans, and what the members are after each request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SetAnswer, SetRecord, SetWithMembers } from '../../../src/api/shapes.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { configMapKind, kinds } from '../../../src/store/kinds.ts';
import { deployedCode } from '../../support/fixtures/code/deployed-code.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import type { Answer, ApiCaller } from '../../support/servers/served-api.ts';

const organization = 'sets';
const { api: served, admin: acme } = deployedCode(organization);
const client = createKubeClient(loadCluster(sharedControlPlane()));
const namespaceOf = () => organizationOf(served().issuer.url, organization).namespace;

beforeAll(async () => {
  await acme.post('/resources/register', {
    provider: 'box',
    resource: 'crate',
    schema: {
      type: 'object',
      properties: { size: { type: 'integer' }, key: { type: 'string' } },
      additionalProperties: false,
    },
    outputs_schema: { type: 'object', properties: { url: { type: 'string' } } },
  });
});
afterAll(() => client.close());

const draft = (name: string, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config: {}, lifecycle_state: 'draft' },
  ...more,
});
const user = (name: string, of: string) =>
  draft(name, {
    lifecycle_state: 'pending',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what callers write
    config: { key: '${box/crate/OF.outputs.url}'.replace('OF', of) },
  });
const put = (set: string, resources: readonly object[], more: object = {}, by: ApiCaller = acme) =>
  by.send('PUT', `/sets/${set}`, { body: { resources, ...more } });
const preview = async (set: string, resources: readonly object[], more: object = {}) => {
  const sent = { body: { resources, ...more } };
  const { status, body } = await acme.send('PUT', `/sets/${set}?dry_run=true`, sent);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as SetAnswer;
};
const done = ({ status, body }: Answer): SetAnswer => {
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as SetAnswer;
};
const changes = ({ resources }: SetAnswer) =>
  resources.map(({ resource, change, outcome }) => `${resource.slice(10)} ${change} ${outcome}`);
const refused = ({ status, body }: Answer) => {
  const { code, detail } = body as { code?: string; detail: unknown };
  return [status, code, detail];
};

/** The members that the API server has. */
async function members(set: string): Promise<readonly string[]> {
  const { items } = await client.list<Resource>(kinds.resource, { namespace: namespaceOf() });
  return items
    .filter(({ metadata, spec }) => spec.set === set && metadata.deletionTimestamp === undefined)
    .map(({ spec }) => spec.name)
    .sort();
}

/** Everything that the organization stores, in its versions. */
async function versions(): Promise<readonly string[]> {
  const namespace = namespaceOf();
  const [resources, others] = await Promise.all([
    client.list(kinds.resource, { namespace }),
    client.list(configMapKind, {
      namespace,
      labelSelector: 'fairlead.dev/set=true,app.kubernetes.io/managed-by=fairlead',
    }),
  ]);
  const specs = resources.items.map(({ metadata }) => `${metadata.uid} ${metadata.generation}`);
  return [...specs, ...others.items.map(({ metadata }) => `${metadata.resourceVersion}`)].sort();
}

/** The list is made from a cache, which follows. */
const isListed = (name: string, wanted: Partial<SetRecord>) =>
  eventually(async () => {
    const sets = (await acme.get('/sets/')).body as readonly SetRecord[];
    expect(sets.find(({ set }) => set === name)).toMatchObject(wanted);
  });
const get = async (set: string) => (await acme.get(`/sets/${set}`)).body as SetWithMembers;

it('creates, joins, and leaves what does not change', async () => {
  await acme.post('/resources/apply', draft('j1'));
  const resources = [draft('j1'), draft('j2')];
  const before = await versions();
  const plan = await preview('join', resources);
  expect(changes(plan)).toEqual(['j1 join planned', 'j2 create planned']);
  expect(plan.resources[0]?.differences).toEqual([{ path: 'set', after: 'join' }]);
  expect(await versions()).toEqual(before);
  expect(changes(done(await put('join', resources)))).toEqual([
    'j1 join applied',
    'j2 create applied',
  ]);
  expect(await members('join')).toEqual(['j1', 'j2']);
  const after = await versions();
  expect(changes(done(await put('join', resources)))).toEqual([
    'j1 none unchanged',
    'j2 none unchanged',
  ]);
  expect(await versions()).toEqual(after);
  expect(await get('join')).toMatchObject({
    ...{ set: 'join', project: 'default', prune: 'keep', complete: true, unlisted: [] },
    ...{ resources: 2, states: { draft: 2 }, plan: plan.plan },
    members: [{ resource: 'box/crate/j1' }, { resource: 'box/crate/j2' }],
  });
});

describe('a member that the request does not name', () => {
  const three = (set: string) => ['1', '2', '3'].map((each) => draft(`${set}-${each}`));

  it('stays, and is listed until somebody decides', async () => {
    await put('keep', three('keep'));
    const left = three('keep').slice(0, 2);
    const answer = done(await put('keep', left));
    expect(changes(answer)[2]).toBe('keep-3 unlisted unchanged');
    expect(answer.unlisted).toEqual(['box/crate/keep-3']);
    expect(await get('keep')).toMatchObject({ unlisted: ['box/crate/keep-3'], unlisted_count: 1 });
    await isListed('keep', { resources: 3, unlisted_count: 1 });
    expect(done(await put('keep', left)).unlisted).toEqual(['box/crate/keep-3']);
    await acme.patch('/resources/box:crate:keep-3', { set: null });
    expect(done(await put('keep', left)).unlisted).toEqual([]);
    expect(await members('keep')).toEqual(['keep-1', 'keep-2']);
    await isListed('keep', { resources: 2, unlisted_count: 0 });
  });

  it.each([
    ['leave', 'applied', 200],
    ['orphan', 'applied', 404],
    ['delete', 'applied', 404],
  ])('%s: it goes, as the set was first applied with this', async (prune, outcome, status) => {
    const set = `p-${prune}`;
    expect(done(await put(set, three(set), { prune })).stored_prune).toBe(prune);
    const answer = done(await put(set, three(set).slice(0, 2)));
    expect(changes(answer)[2]).toBe(`${set}-3 ${prune} ${outcome}`);
    expect(await members(set)).toEqual([`${set}-1`, `${set}-2`]);
    expect((await acme.get(`/resources/box:crate:${set}-3`)).status).toBe(status);
  });

  it('is pruned more carefully by one request, and less carefully only with a plan', async () => {
    await put('care', three('care'), { prune: 'delete' });
    const two = three('care').slice(0, 2);
    expect(done(await put('care', two, { prune: 'keep' }))).toMatchObject({
      ...{ prune: 'keep', stored_prune: 'delete', unlisted: ['box/crate/care-3'] },
    });
    expect((await get('care')).prune).toBe('delete');
    const keep = await preview('care', two, { prune: 'keep' });
    done(await put('care', two, { prune: 'keep', plan: keep.plan }));
    expect((await get('care')).prune).toBe('keep');
    expect(refused(await put('care', two, { prune: 'delete' }))).toEqual([
      409,
      'plan_required',
      expect.stringContaining('less carefully'),
    ]);
    const { plan, plan_required: why } = await preview('care', two, { prune: 'delete' });
    expect(why).toContain('less carefully');
    done(await put('care', two, { prune: 'delete', plan }));
    expect(await members('care')).toEqual(['care-1', 'care-2']);
  });

  it('is not removed while it is protected, or used by what stays; users go first', async () => {
    const all = [
      draft('u-base', { lifecycle_state: 'pending' }),
      user('u-user', 'u-base'),
      draft('u-safe', { protected: true }),
      draft('u-rest'),
      draft('u-more'),
    ];
    await put('users', all, { prune: 'delete' });
    await acme.post('/resources/apply', user('u-outside', 'u-base'));
    await eventually(async () => {
      const before = await versions();
      const answer = await put('users', all.slice(3));
      expect(refused(answer)).toEqual([
        ...[422, undefined],
        expect.arrayContaining([
          expect.objectContaining({ loc: ['body', 'prune'], type: 'resource_protected' }),
          expect.objectContaining({ loc: ['body', 'prune'], type: 'resource_in_use' }),
        ]),
      ]);
      expect(await versions()).toEqual(before);
    });
  });
});

describe('a plan', () => {
  const two = () => [draft('d-1'), draft('d-2')];

  it('is carried out as it was approved, or is stale, with what has changed', async () => {
    await put('digest', two());
    const next = [draft('d-1', { tags: ['x'] }), draft('d-2', { tags: ['x'] })];
    const { plan } = await preview('digest', next);
    expect((await preview('digest', next)).plan).toBe(plan);
    await acme.post('/resources/apply', draft('d-2', { config: { size: 3 } }));
    const before = await versions();
    expect((await put('digest', next, { plan })).body).toMatchObject({
      ...{ code: 'plan_stale', context: { changed: ['box/crate/d-2'] } },
    });
    expect(await versions()).toEqual(before);
    const fresh = await preview('digest', next);
    done(await put('digest', next, { plan: fresh.plan }));
  });

  it('is stale when a member was added, when it is of another set, and with another policy', async () => {
    const { plan } = await preview('digest', two());
    const stale = async (answer: Promise<Answer>) =>
      expect((await answer).body).toMatchObject({ code: 'plan_stale' });
    await stale(put('other', two(), { plan, take: ['box/crate/d-1', 'box:crate:d-2'] }));
    await stale(put('digest', two(), { plan, prune: 'delete' }));
    await client.create(kinds.resource, {
      ...{ apiVersion: 'fairlead.dev/v1alpha1', kind: 'Resource' },
      metadata: { namespace: namespaceOf(), name: 'box.crate.d-3' },
      spec: {
        ...{ provider: 'box', resource: 'crate', name: 'd-3' },
        lifecycle: 'Draft',
        config: {},
        set: 'digest',
      },
    } as never);
    await stale(put('digest', two(), { plan }));
    expect((await preview('digest', two())).unlisted).toEqual(['box/crate/d-3']);
  });

  it.each([
    ['an empty folder', [], {}, 'names no resource'],
    ['all members', ['n-9'], { prune: 'leave' }, 'all members'],
    ['more than half of at least ten', ['n-0', 'n-1', 'n-2', 'n-3'], { prune: 'leave' }, '6 of 10'],
  ])('is required for %s', async (why, left, more, clause) => {
    const set = `mass-${why.length}`;
    const named = (name: string) => draft(`${set}-${name}`);
    const all = Array.from({ length: 10 }, (_each, index) => named(`n-${index}`));
    await put(set, all, { ...more });
    const next = left.map((name) => named(name === 'n-9' ? 'new' : name));
    const before = await versions();
    expect(refused(await put(set, next))).toEqual([
      ...[409, 'plan_required'],
      expect.stringContaining(clause),
    ]);
    expect(await versions()).toEqual(before);
    const { plan, plan_required: required } = await preview(set, next);
    expect(required).toContain(clause);
    const { unlisted } = done(await put(set, next, { plan }));
    expect(await members(set)).toEqual(
      [...next.map(({ name }) => name), ...unlisted.map((each) => each.slice(10))].sort(),
    );
  });
});

it('keeps its members in single applies and batches, which take them out, too', async () => {
  await put('batched', [draft('b-1'), draft('b-2')]);
  const batch = async (resources: readonly object[]) =>
    changes(done(await acme.post('/resources/batch', { resources })));
  expect(await batch([draft('b-1', { tags: ['x'] })])).toEqual(['b-1 fields applied']);
  await acme.post('/resources/apply', draft('b-2', { tags: ['x'] }));
  expect(await members('batched')).toEqual(['b-1', 'b-2']);
  expect(await batch([draft('b-1', { set: null })])).toEqual(['b-1 fields applied']);
  expect(await members('batched')).toEqual(['b-2']);
  const joining = await acme.post('/resources/batch', {
    resources: [draft('b-1', { set: 'batched' })],
  });
  expect(refused(joining)).toEqual([
    ...[422, undefined],
    [expect.objectContaining({ loc: ['body', 'resources', 0, 'set'] })],
  ]);
});

it('takes a member of another set only by name', async () => {
  await put('owner', [draft('t-1'), draft('t-2')]);
  const answer = await put('taker', [draft('t-1'), draft('t-3')]);
  expect(refused(answer)).toEqual([
    ...[409, 'owned_by_set'],
    [expect.objectContaining({ loc: ['body', 'resources', 0], type: 'owned_by_set' })],
  ]);
  expect(await members('taker')).toEqual([]);
  expect(refused(await put('taker', [draft('t-3')], { take: ['box/crate/t-1'] }))[0]).toBe(422);
  const taken = done(await put('taker', [draft('t-1'), draft('t-3')], { take: ['box:crate:t-1'] }));
  expect(changes(taken)).toEqual(['t-1 take applied', 't-3 create applied']);
  expect(await members('owner')).toEqual(['t-2']);
});

it('500 resources of which one is invalid: nothing is written', async () => {
  const resources = Array.from({ length: 500 }, (_each, index) => draft(`many-${index}`));
  resources[321] = draft('many-321', { lifecycle_state: 'pending', config: { size: 'x' } });
  const before = await versions();
  const answer = await put('many', resources);
  expect(refused(answer)).toEqual([
    ...[422, undefined],
    [expect.objectContaining({ loc: ['body', 'resources', 321, 'config', 'size'] })],
  ]);
  expect(await versions()).toEqual(before);
});

it('deletes a set as the request says, and never without saying', async () => {
  await put('del', [draft('x-1'), draft('x-2', { protected: true })]);
  const remove = (query: string) => acme.delete(`/sets/del${query}`);
  expect((await remove('')).status).toBe(422);
  expect(refused(await remove('?resources=delete'))).toEqual([
    ...[409, 'resource_protected'],
    [expect.objectContaining({ loc: ['query', 'resources'] })],
  ]);
  const before = await versions();
  const plan = done(await remove('?resources=leave&dry_run=true'));
  expect(changes(plan)).toEqual(['x-1 leave planned', 'x-2 leave planned']);
  expect(await versions()).toEqual(before);
  expect(changes(done(await remove(`?resources=leave&plan=${plan.plan}`)))).toEqual([
    'x-1 leave applied',
    'x-2 leave applied',
  ]);
  expect((await acme.get('/sets/del')).status).toBe(404);
  expect((await acme.get('/resources/box:crate:x-1')).body).toMatchObject({ set: null });
  expect(changes(done(await remove('?resources=delete')))).toEqual([]);
});

describe('a set of a project', () => {
  let own: ApiCaller;
  let viewer: ApiCaller;
  beforeAll(async () => {
    for (const name of ['own', 'other']) {
      expect((await acme.post('/projects', { name, project_id: name })).status).toBe(200);
    }
    own = await served().caller(organization, { project_id: 'own', roles: ['editor'] });
    viewer = await served().caller(organization, { roles: ['viewer'] });
    await put('shop', [draft('s-other')], { project_id: 'other' });
    await put('hidden', [draft('h-other')], { project_id: 'other' });
  });

  it('is another one in another project; a token of one reaches no other', async () => {
    done(await put('shop', [draft('s-own')], {}, own));
    expect((await own.get('/sets/shop')).body).toMatchObject({
      ...{ project_id: 'own', resources: 1, members: [{ resource: 'box/crate/s-own' }] },
    });
    expect((await own.get('/sets/')).body).toMatchObject([{ set: 'shop', project_id: 'own' }]);
    expect((await own.get('/sets/?project_id=other')).body).toEqual([]);
    for (const query of ['', '?project_id=other']) {
      expect((await own.get(`/sets/hidden${query}`)).status).toBe(404);
    }
    const before = await versions();
    for (const answer of [
      await put('hidden', [draft('h-other')], { project_id: 'other' }, own),
      await own.delete('/sets/hidden?resources=delete&project_id=other'),
    ]) {
      expect(refused(answer)[1]).toBe('outside_project');
    }
    const taken = await put('mine', [draft('h-other')], { take: ['box/crate/h-other'] }, own);
    expect(refused(taken)[1]).toBe('project_immutable');
    expect(taken.text).not.toContain('hidden');
    expect(changes(done(await own.delete('/sets/hidden?resources=delete')))).toEqual([]);
    expect(await versions()).toEqual(before);
  });

  it('has no resource of another project', async () => {
    const answer = await put('shop', [draft('s-own'), draft('s-x', { project_id: 'other' })], {
      project_id: 'own',
    });
    expect(refused(answer)).toEqual([
      ...[422, undefined],
      [expect.objectContaining({ loc: ['body', 'resources', 1, 'project_id'] })],
    ]);
    expect(refused(await put('shop', [], { project_id: 'nowhere' }))[0]).toBe(422);
  });

  it('is read by viewers, and written by editors', async () => {
    expect((await viewer.get('/sets/shop?project_id=other')).status).toBe(200);
    await eventually(async () => {
      expect((await viewer.get('/sets/?project_id=other')).body).toMatchObject([
        { set: 'hidden', resources: 1 },
        { set: 'shop', resources: 1, states: { draft: 1 } },
      ]);
    });
    expect((await put('shop', [draft('s-other')], {}, viewer)).status).toBe(403);
    expect((await viewer.delete('/sets/shop?resources=leave')).status).toBe(403);
  });

  it('goes with its project', async () => {
    await acme.post('/projects', { name: 'gone', project_id: 'gone' });
    await put('policy', [draft('g-1')], { project_id: 'gone', prune: 'delete' });
    await acme.delete('/resources/box:crate:g-1');
    await eventually(async () => {
      expect((await acme.delete('/projects/gone')).status).toBe(204);
    });
    await acme.post('/projects', { name: 'gone', project_id: 'gone' });
    expect((await acme.get('/sets/policy?project_id=gone')).status).toBe(404);
  });
});

describe('a project that requires plans', () => {
  const project = { project_id: 'careful' };
  const require = (require_plan: boolean) => acme.patch('/projects/careful', { require_plan });
  beforeAll(async () => {
    await acme.post('/projects', { name: 'careful', project_id: 'careful' });
    await put('prod', [draft('c-1')], project);
    await acme.post('/resources/apply', draft('c-single', project));
    expect((await require(true)).body).toMatchObject({ name: 'careful', require_plan: true });
  });

  it('refuses sets and batches without a plan, and previews them', async () => {
    const before = await versions();
    const bodies = { ...project, resources: [draft('c-1', { tags: ['x'] })] };
    for (const [method, path, body] of [
      ['PUT', '/sets/prod', bodies],
      ['POST', '/resources/batch', bodies],
      ['DELETE', '/sets/prod?resources=leave&project_id=careful', undefined],
    ] as const) {
      const sent = body === undefined ? {} : { body };
      expect(refused(await acme.send(method, path, sent)), path).toEqual([
        ...[409, 'plan_required'],
        expect.stringContaining('project careful requires plans'),
      ]);
      const dry = `${path}${path.includes('?') ? '&' : '?'}dry_run=true`;
      expect((await acme.send(method, dry, sent)).status).toBe(200);
    }
    expect(await versions()).toEqual(before);
  });

  it('refuses single changes of a member, and permits those of others', async () => {
    const before = await versions();
    for (const answer of [
      await acme.post('/resources/apply', draft('c-1', { ...project, config: { size: 2 } })),
      await acme.patch('/resources/box:crate:c-1', { protected: true }),
      await acme.patch('/resources/box:crate:c-1', { set: null }),
      await acme.delete('/resources/box:crate:c-1'),
      await acme.delete('/resources/box:crate:c-1?force=true'),
    ]) {
      expect(refused(answer).slice(0, 2)).toEqual([409, 'plan_required']);
    }
    expect((await acme.post('/resources/apply', draft('c-1', project))).status).toBe(200);
    expect(await versions()).toEqual(before);
    const single = draft('c-single', { ...project, tags: ['x'] });
    expect((await acme.post('/resources/apply', single)).status).toBe(200);
    expect((await acme.delete('/resources/box:crate:c-single')).status).toBe(204);
  });

  it('accepts what was approved, of one member and of the set', async () => {
    const one = [draft('c-1', { ...project, tags: ['one'] })];
    const { body } = await acme.post('/resources/batch?dry_run=true', { resources: one });
    const { plan: ofOne } = body as SetAnswer;
    done(await acme.post('/resources/batch', { resources: one, plan: ofOne }));
    const { plan, plan_required: why } = await preview('prod', one, project);
    expect(why).toContain('requires plans');
    done(await put('prod', one, { ...project, plan }));
    expect((await require(false)).body).toMatchObject({ require_plan: false });
    done(await put('prod', one, project));
  });
});
