// POST /resources/batch over HTTP against a real API server: one plan, all checks before any write, one write for each change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { deployedCode } from '../../support/fixtures/code/deployed-code.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, textOf } from '../../support/servers/served-api.ts';

const organization = 'batches';
const { api: served, admin: acme } = deployedCode(organization);
const client = createKubeClient(loadCluster(sharedControlPlane()));

beforeAll(async () => {
  await acme.post('/resources/register', { provider: 'box', resource: 'any' });
  await acme.post('/resources/register', {
    provider: 'box',
    resource: 'crate',
    schema: {
      type: 'object',
      properties: { size: { type: 'integer' }, key: { type: 'string', sensitive: true } },
      additionalProperties: false,
    },
    outputs_schema: { type: 'object', properties: { url: { type: 'string' } } },
  });
});

afterAll(() => client.close());

type Body = Record<string, unknown>;
interface Member {
  readonly resource: string;
  readonly change: string;
  readonly outcome: string;
  readonly differences: readonly object[];
  readonly [name: string]: unknown;
}
interface Plan {
  readonly plan: string;
  readonly resources: readonly Member[];
  readonly touches: readonly object[];
}

const crateOf = (name: string, config: object, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config, lifecycle_state: 'pending' },
  ...more,
});
const batch = (resources: readonly object[], more: object = {}, query = '') =>
  acme.post(`/resources/batch${query}`, { resources, ...more });
const planned = async (resources: readonly object[], more: object = {}) => {
  const { status, body } = await batch(resources, more, '?dry_run=true');
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as unknown as Plan;
};
const changes = ({ resources }: Plan) =>
  resources.map(({ resource, change, outcome }) => `${resource} ${change} ${outcome}`);

/** Names and generations of all resources of the organization: statuses may change meanwhile. */
async function stored(): Promise<readonly string[]> {
  const { namespace } = organizationOf(served().issuer.url, organization);
  const { items } = await client.list(kinds.resource, { namespace });
  return items.map(({ metadata: { name, uid, generation } }) => `${name} ${uid} ${generation}`);
}

it('plans, writes what changes, and leaves what does not', async () => {
  const both = [crateOf('a', { size: 1 }), crateOf('b', { size: 1 }, { lifecycle_state: 'draft' })];
  const before = await stored();
  expect(changes(await planned(both))).toEqual([
    'box/crate/a create planned',
    'box/crate/b create planned',
  ]);
  expect(await stored()).toEqual(before);
  const made = await batch(both);
  expect(made.status).toBe(200);
  expect(changes(made.body as unknown as Plan)).toEqual([
    'box/crate/a create applied',
    'box/crate/b create applied',
  ]);
  const after = await stored();
  expect(after).toHaveLength(before.length + 2);
  const again = await batch(both);
  expect(changes(again.body as unknown as Plan)).toEqual([
    'box/crate/a none unchanged',
    'box/crate/b none unchanged',
  ]);
  expect(await stored()).toEqual(after);
  const next = [
    crateOf('a', { size: 1 }, { tags: ['x'] }),
    crateOf('b', { size: 2 }, { lifecycle_state: 'draft' }),
  ];
  const { resources } = await planned(next);
  expect(resources.map(({ change, differences }) => ({ change, differences }))).toEqual([
    { change: 'fields', differences: [{ path: 'tags', after: ['x'] }] },
    { change: 'update', differences: [{ path: 'config.size', before: 1, after: 2 }] },
  ]);
});

it('refuses all when one is wrong, and names every place', async () => {
  const before = await stored();
  const { status, body } = await batch([
    crateOf('fine', { size: 1 }),
    crateOf('wrong', { size: 'x' }),
    crateOf('lost', {}, { resource: 'nothing' }),
    crateOf('fine', { size: 2 }),
    crateOf('elsewhere', {}, { project_id: 'nowhere' }),
    crateOf('large', { key: 'x'.repeat(300_000) }),
  ]);
  expect(status).toBe(422);
  expect((body as Body)['detail']).toMatchObject([
    { loc: ['body', 'resources', 1, 'config', 'size'] },
    { loc: ['body', 'resources', 2, 'resource'] },
    { loc: ['body', 'resources', 3], input: 'box/crate/fine' },
    { loc: ['body', 'resources', 4, 'project_id'] },
    { loc: ['body', 'resources', 5], type: 'too_large' },
  ]);
  expect(await stored()).toEqual(before);
});

describe('resources that use each other', () => {
  const user = (name: string, of: string) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what callers write
    crateOf(name, { key: '${box/crate/OF.outputs.url}'.replace('OF', of) });

  it('may come in any order', async () => {
    const plan = await planned([user('u1', 'base'), crateOf('base', { size: 1 })]);
    expect(plan.resources[0]).toMatchObject({
      waits_for: ['box/crate/base'],
      known_after: [{ path: 'config.key', resource: 'box/crate/base' }],
    });
    expect((await batch([user('u1', 'base'), crateOf('base', { size: 1 })])).status).toBe(200);
    const touching = await planned([crateOf('base', { size: 2 })]);
    await eventually(async () => {
      expect((await planned([crateOf('base', { size: 3 })])).touches).toEqual([
        { resource: 'box/crate/u1', through: 'box/crate/base' },
      ]);
    });
    expect(touching.resources[0]).toMatchObject({ change: 'update' });
  });

  it('form no circle, also with what is stored', async () => {
    const circle = await batch([user('c1', 'c2'), user('c2', 'c1')]);
    expect(circle.status).toBe(422);
    expect((circle.body as Body)['detail']).toMatchObject([
      {
        loc: ['body', 'resources', 0, 'config', 'key'],
        msg: expect.stringContaining('form a cycle'),
      },
      { loc: ['body', 'resources', 1, 'config', 'key'] },
    ]);
    const draft = { lifecycle_state: 'draft' };
    await batch([{ ...user('v1', 'v3'), ...draft }, crateOf('v3', {}, draft)]);
    const withStored = await batch([user('v3', 'v2'), user('v2', 'v1')]);
    expect(withStored.status).toBe(422);
    expect((withStored.body as Body)['detail']).toMatchObject([
      { msg: expect.stringContaining('form a cycle') },
      { msg: expect.stringContaining('form a cycle') },
    ]);
  });
});

it('names what a change waits for, and nothing for one without an event', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what callers write
  const key = '${box/crate/w0.outputs.url}';
  const waiting = crateOf('w1', { key });
  const waits = async (members: readonly object[]) =>
    (await planned(members)).resources.map(({ change, waits_for }) => [change, waits_for]);
  await batch([crateOf('w0', {}), waiting]);
  expect(await waits([waiting])).toEqual([['none', []]]);
  expect(await waits([{ ...waiting, tags: ['x'] }])).toEqual([['fields', []]]);
  expect(await waits([{ ...waiting, name: 'w2' }])).toEqual([['create', ['box/crate/w0']]]);
});

describe('a token of one project', () => {
  let own: Promise<ApiCaller>;
  beforeAll(async () => {
    for (const name of ['own', 'other']) {
      const made = await acme.post('/projects', { name, project_id: name });
      expect(made.status).toBe(200);
    }
    own = served().caller(organization, { project_id: 'own', roles: ['editor'] });
    const others = (name: string, more: object = {}) =>
      crateOf(name, { key: 'hidden' }, { project_id: 'other', ...more });
    const all = [
      others('o-draft', { lifecycle_state: 'draft' }),
      others('o-pending'),
      others('o-protected', { protected: true }),
      others('o-tagged', { tags: ['hidden'] }),
    ];
    expect((await batch(all)).status).toBe(200);
  });
  const send = async (resources: readonly object[], more: object = {}, query = '') =>
    (await own).post(`/resources/batch${query}`, { resources, ...more });

  it('writes into its project, and into no other one', async () => {
    const before = await stored();
    const named = crateOf('mine', {}, { project_id: 'other' });
    for (const query of ['', '?dry_run=true']) {
      for (const answer of [
        await send([crateOf('mine', {}), named], {}, query),
        await send([crateOf('mine', {})], { project_id: 'other' }, query),
      ]) {
        expect([answer.status, answer.body]).toEqual([
          403,
          expect.objectContaining({ code: 'outside_project' }),
        ]);
      }
    }
    expect(await stored()).toEqual(before);
    const made = await send([crateOf('mine', {})]);
    expect(made.status).toBe(200);
    expect((made.body as unknown as Plan).resources[0]).toMatchObject({
      record: { project_id: 'own' },
    });
  });

  it('is refused a name of another project alike, whatever its resource is like', async () => {
    const before = await stored();
    const names = ['o-draft', 'o-pending', 'o-protected', 'o-tagged'];
    const requests = names.flatMap((name) =>
      ['hidden', 'x'].flatMap((key) =>
        ['', '?dry_run=true'].flatMap((query) =>
          [false, true].map((replace) => ({ name, key, query, replace })),
        ),
      ),
    );
    const answers = new Set<string>();
    for (const { name, key, query, replace } of requests) {
      const answer = await send([crateOf(name, { key })], { replace }, query);
      expect(answer.status).toBe(409);
      answers.add(textOf(answer).replaceAll(name, 'NAME'));
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).not.toMatch(/hidden|protected|other\b.*project_id/);
    expect(await stored()).toEqual(before);
  });

  it('finds resources of another project as if they did not exist', async () => {
    const user = (name: string, of: string) =>
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what callers write
      crateOf(name, { key: '${box/crate/OF.outputs.url}'.replace('OF', of) });
    const answers = await Promise.all(
      ['o-pending', 'o-protected', 'o-absent'].map(async (of) => {
        const { body } = await send([user('looks', of)], {}, '?dry_run=true');
        const { resources, touches } = body as unknown as Plan;
        const [{ waits_for, known_after, warnings } = {} as Member] = resources;
        return JSON.stringify({ waits_for, known_after, warnings, touches }).replaceAll(of, 'OF');
      }),
    );
    expect(new Set(answers).size).toBe(1);
  });
});

describe('a digest', () => {
  const wanted = [crateOf('d1', { size: 1 }), crateOf('d2', { size: 1 })];

  it('carries out the plan that it was made of', async () => {
    const { plan } = await planned(wanted);
    expect(await planned(wanted)).toMatchObject({ plan });
    expect((await batch(wanted, { plan })).status).toBe(200);
  });

  it('is stale once a resource has changed, which is named', async () => {
    const draft = { lifecycle_state: 'draft' };
    const next = [crateOf('e1', { size: 2 }, draft), crateOf('e2', { size: 2 }, draft)];
    expect((await batch(next.map((each) => ({ ...each, config: {} })))).status).toBe(200);
    const { plan } = await planned(next);
    await acme.post('/resources/apply', crateOf('e2', { size: 7 }, draft));
    const before = await stored();
    const { status, body } = await batch(next, { plan });
    expect([status, body]).toEqual([
      412,
      expect.objectContaining({ code: 'plan_stale', context: { changed: ['box/crate/e2'] } }),
    ]);
    expect(await stored()).toEqual(before);
  });

  it('is not that of another request', async () => {
    const { plan } = await planned([crateOf('d3', { key: 'one' })]);
    const other = await batch([crateOf('d3', { key: 'two' })], { plan });
    expect([other.status, (other.body as Body)['context']]).toEqual([
      412,
      { changed: ['box/crate/d3'] },
    ]);
    const replacing = await batch([crateOf('d3', { key: 'one' })], { plan, replace: true });
    expect([replacing.status, (replacing.body as Body)['context']]).toEqual([412, { changed: [] }]);
  });
});

it('hides secrets in differences from everybody who does not ask for them', async () => {
  await batch([crateOf('s', { key: 'first-secret' })]);
  const next = [crateOf('s', { key: 'second-secret' })];
  const { resources } = await planned(next);
  expect(resources[0]?.differences).toEqual([
    { path: 'config.key', before: '[masked]', after: '[masked]' },
  ]);
  expect(resources[0]?.['record']).toMatchObject({
    config: { key: null },
    masked: ['/config/key'],
  });
  const { body } = await batch(next, {}, '?dry_run=true&secrets=show');
  expect((body as unknown as Plan).resources[0]?.differences).toEqual([
    { path: 'config.key', before: 'first-secret', after: 'second-secret' },
  ]);
});
