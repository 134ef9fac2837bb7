// Applying, fetching and deleting over HTTP against a real API server. No provider: what is committed stays pending.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/runner/eventually.ts';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../../support/servers/served-api.ts';

let api: ServedApi;
let acme: ApiCaller;

const schema = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 1 }, at: { type: 'object' } },
  required: ['size'],
  additionalProperties: false,
};

beforeAll(async () => {
  api = await serveApi();
  acme = await api.caller('resources');
  await acme.post('/resources/register', { provider: 'box', resource: 'crate', schema });
  await acme.post('/resources/register', { provider: 'box', resource: 'any' });
});

afterAll(() => api?.close());

const draft = (name: string, more: object = {}) => ({
  provider: 'box',
  resource: 'crate',
  name,
  config: { size: 1 },
  ...more,
});
const apply = (body: object) => acme.post('/resources/apply', body);
const commit = (name: string, more: object = {}) =>
  apply(draft(name, { lifecycle_state: 'pending', ...more }));

function violation(answer: Answer): unknown {
  expect(answer.status).toBe(422);
  const { detail } = answer.body as { detail: readonly unknown[] };
  return detail[0];
}

describe('a record', () => {
  it('has exactly the specified fields', async () => {
    const { status, headers, body } = await apply(draft('whole'));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toStrictEqual({
      id: 'resource:box_crate_whole',
      provider: 'box',
      resource: 'crate',
      name: 'whole',
      project_id: expect.stringMatching(/^default-[0-9a-f]{12}$/),
      project_name: 'default',
      lifecycle_state: 'draft',
      reason: expect.any(String),
      message: null,
      attempt: null,
      next_attempt_at: null,
      progress: null,
      provider_version: null,
      applied_by: 'ada',
      deletion_requested_at: null,
      config: { size: 1 },
      type_version: null,
      outputs: {},
      tags: null,
      error: null,
      dependencies: [],
      protected: false,
      expires_at: null,
      paused: false,
      observe: { every: null, ignore: [], on_drift: 'report' },
      management: 'managed',
      adopt: null,
      drift: null,
      observation: null,
      deletion_policy: 'delete',
      set: null,
      created_at: time,
      updated_at: time,
    });
    const fetched = (await acme.get('/resources/box:crate:whole')).body as object;
    // A reconciler may have seen it by now.
    expect({ ...fetched, updated_at: '' }).toEqual({ ...(body as object), updated_at: '' });
  });

  it('keeps its config unchanged', async () => {
    const config = {
      constructor: { prototype: null },
      toString: 'x',
      hasOwnProperty: [],
      '': '',
      'a.b/c~d': ['😀', '\u0000', '\u2028'],
      z: 1,
      a: [0.1, 1e15, -1.5e-7, 9007199254740991, -9007199254740991],
      nested: { deep: [[[[{ null: null, true: false }]]]] },
    };
    const body = { provider: 'box', resource: 'any', name: 'letter', config };
    for (const lifecycle_state of ['draft', 'pending']) {
      const answer = await apply({ ...body, lifecycle_state });
      expect(answer).toMatchObject({ status: 200, body: { lifecycle_state } });
      expect((answer.body as { config: object }).config).toEqual(config);
      const fetched = await acme.get('/resources/box:any:letter');
      expect((fetched.body as { config: object }).config).toEqual(config);
    }
  });

  it.each(['draft', 'pending'])('of a %s can be sent back as fetched', async (state) => {
    await apply(draft(`back-${state}`, { lifecycle_state: state, tags: ['t'] }));
    const path = `/resources/box:crate:back-${state}`;
    const fetched = await acme.get(path);
    const again = await apply(fetched.body as object);
    expect(again.status).toBe(200);
    const still = await acme.get(path);
    for (const each of [again, still]) {
      expect(each.body).toMatchObject({ lifecycle_state: state, tags: ['t'], config: { size: 1 } });
    }
  });
});

describe('the last applier', () => {
  const path = '/resources/box:crate:mine';
  const bodyOf = (answer: Answer) => answer.body as { applied_by: string; updated_at: string };

  it('is recorded also for a change of tags, and unchanged by a no-op', async () => {
    const bob = await api.caller('resources', { sub: 'bob' });
    expect(bodyOf(await apply(draft('mine'))).applied_by).toBe('ada');
    const same = await bob.post('/resources/apply', draft('mine'));
    expect(bodyOf(same).applied_by).toBe('ada');
    expect(
      bodyOf(await bob.post('/resources/apply', draft('mine', { tags: ['t'] }))),
    ).toMatchObject({ applied_by: 'bob', tags: ['t'] });
    expect(bodyOf(await acme.get(path)).applied_by).toBe('bob');
    const listed = (await acme.get('/resources/?tags=t&resource=crate')).body;
    expect(listed).toContainEqual(expect.objectContaining({ name: 'mine', applied_by: 'bob' }));
  });

  it('has the name that the token shows, also in the history, until another token has none', async () => {
    const called = { applied_by: 'f2d8', applied_by_name: 'ada@example.com' };
    const ada = await api.caller('resources', {
      sub: 'f2d8',
      preferred_username: 'ada@example.com',
    });
    await acme.post('/resources/apply', draft('named'));
    const at = '/resources/box:crate:named';
    expect((await acme.get(at)).body).not.toHaveProperty('applied_by_name');
    const change = { ...draft('named'), config: { size: 2 } };
    expect((await ada.post('/resources/apply?dry_run=true', change)).body).toMatchObject(called);
    const { body } = await ada.post('/resources/apply', change);
    expect(body).toMatchObject(called);
    expect((await acme.post('/resources/apply', body as object)).body, 'sent back').toMatchObject(
      called,
    );
    await acme.post('/resources/apply', draft('named', { config: { size: 3 } }));
    expect((await acme.get(at)).body).not.toHaveProperty('applied_by_name');
    expect((await acme.get(`${at}/history`)).body).toMatchObject([
      { revision: 3, applied_by: 'ada' },
      { revision: 2, ...called },
      { revision: 1, applied_by: 'ada' },
    ]);
    expect((await acme.get('/resources/box/crate/named/history/2')).body).toMatchObject(called);
  });
});

describe('what a pending resource waits for', () => {
  it('is shown in a message, and a delay with its end', async () => {
    await commit('waits');
    await eventually(async () => {
      expect((await acme.get('/resources/box:crate:waits')).body).toMatchObject({
        reason: 'WaitingForProvider',
        message: 'Waiting for provider box to become ready',
        attempt: null,
      });
    });
    const { body } = await commit('waits', { config: { size: 9 } });
    expect(body).toMatchObject({
      detail:
        'Resource box/crate/waits is being processed and cannot be modified until it is ready or failed; it can be deleted',
    });
  });
});

describe('an invalid apply', () => {
  it.each<[string, object, (string | number)[], string]>([
    ['an unknown field', { size: 1 }, ['body', 'size'], 'extra_forbidden'],
    ['no config', { config: undefined }, ['body', 'config'], 'missing'],
    ['a list for a config', { config: [] }, ['body', 'config'], 'dict_type'],
    [
      'a state it cannot ask for',
      { lifecycle_state: 'ready' },
      ['body', 'lifecycle_state'],
      'enum',
    ],
    ['an empty tag', { tags: ['a', ''] }, ['body', 'tags', 1], 'string_too_short'],
    ['too many tags', { tags: Array(65).fill('t') }, ['body', 'tags'], 'too_long'],
    ['a tag that is a number', { tags: [1] }, ['body', 'tags', 0], 'string_type'],
    [
      'half a dependency',
      { dependencies: [{}] },
      ['body', 'dependencies', 0, 'provider'],
      'missing',
    ],
    ['an unknown project', { project_id: 'nope' }, ['body', 'project_id'], 'value_error'],
  ])('with %s is rejected by name', async (_what, more, loc, type) => {
    expect(violation(await apply(draft('wrong', more)))).toMatchObject({ loc, type });
    expect((await acme.get('/resources/box:crate:wrong')).status).toBe(404);
  });

  it('reports the position of a schema violation, once it is to be processed', async () => {
    const config = { size: 'big' };
    expect((await apply(draft('odd', { config }))).status).toBe(200);
    expect(violation(await commit('odd', { config }))).toStrictEqual({
      loc: ['body', 'config', 'size'],
      msg: 'Input should be a valid integer',
      type: 'int_type',
      input: 'big',
    });
    expect((await acme.get('/resources/box:crate:odd')).body).toMatchObject({
      lifecycle_state: 'draft',
    });
    expect(violation(await commit('odd', { config: {} }))).toMatchObject({
      loc: ['body', 'config', 'size'],
      type: 'missing',
    });
  });

  it('requires a registered type only once it is to be processed', async () => {
    const body = { provider: 'box', resource: 'unheard', name: 'of', config: {} };
    expect((await apply(body)).status).toBe(200);
    expect(violation(await apply({ ...body, lifecycle_state: 'pending' }))).toMatchObject({
      loc: ['body', 'resource'],
      msg: 'Type box/unheard is not registered; provider box has any, crate',
    });
    const other = { ...body, provider: 'bax', lifecycle_state: 'pending' };
    expect(violation(await apply(other))).toMatchObject({
      msg: 'Type bax/unheard is not registered; provider bax has no types',
    });
  });

  it('limits the config to 256 KiB', async () => {
    const config = { text: 'x'.repeat(262_144 - '{"text":""}'.length) };
    const body = { provider: 'box', resource: 'any', name: 'large' };
    expect((await apply({ ...body, config })).status).toBe(200);
    config.text += 'x';
    expect(await apply({ ...body, config })).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    });
  });
});

describe('a repeated apply', () => {
  it('keeps omitted tags, and clears empty ones', async () => {
    const tagsAfter = async (more: object) =>
      ((await apply(draft('tagged', more))).body as { tags: unknown }).tags;
    expect(await tagsAfter({ tags: ['b', 'a', 'b'] })).toEqual(['b', 'a']);
    expect(await tagsAfter({})).toEqual(['b', 'a']);
    expect(await tagsAfter({ tags: [] })).toSatisfy(isEmpty);
    await tagsAfter({ tags: ['c'] });
    expect(await tagsAfter({ tags: null })).toSatisfy(isEmpty);
  });

  it('changes a draft, but not a pending resource', async () => {
    await apply(draft('twice'));
    const changed = await apply(draft('twice', { config: { size: 2 } }));
    expect(changed.body).toMatchObject({ lifecycle_state: 'draft', config: { size: 2 } });
    await commit('twice');
    expect(await commit('twice')).toMatchObject({
      status: 200,
      body: { lifecycle_state: 'pending' },
    });
    for (const answer of [
      await commit('twice', { config: { size: 3 } }),
      await apply(draft('twice')),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'resource_busy' } });
    }
  });
});

function isEmpty(tags: unknown): boolean {
  return tags === null || (Array.isArray(tags) && tags.length === 0);
}
