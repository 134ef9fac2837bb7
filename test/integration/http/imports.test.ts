// Imports over HTTP, against a real API server and a real provider. The test writes what reconcilers would.
import { beforeAll, describe, expect, it } from 'vitest';
import { observableTypes } from '../../support/fixtures/observation/observable-types.ts';
import { answer, type Respond } from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';

const on = observableTypes();
const adopt = { id: 'i-7' };
const says =
  (body: object, status = 200): Respond =>
  (_receipt, response) =>
    answer(response, status, body);
const preview = (more: object = {}, caller = on().admin) =>
  caller.post('/resources/preview-import', {
    ...{ provider: 'disks', resource: 'disk', name: 'a', adopt },
    ...more,
  });
const existing = (query = '', type = 'disks/disk') =>
  on().admin.get(`/resources/types/${type}/existing${query}`);

beforeAll(async () => {
  on().provider.respond(says({ exists: false }));
  // The cache of the API has the Provider by then.
  await eventually(async () => expect((await preview()).status).toBe(404));
});

describe('an import', () => {
  it('is planned, stored and repeated, and keeps its object', async () => {
    const planned = await on().apply('i', { adopt }, '?dry_run=true');
    expect(planned, planned.text).toMatchObject({
      status: 200,
      headers: { 'fairlead-plan': 'import' },
      body: { adopt, deletion_policy: 'orphan' },
    });
    expect((await on().apply('i', { adopt })).body).toMatchObject({
      adopt,
      deletion_policy: 'orphan',
    });
    await on().settle('i', { reason: 'Imported' });
    for (const more of [{}, { adopt }, { adopt: null }]) {
      const again = await on().apply('i', more, '?dry_run=true');
      expect(again.headers['fairlead-plan']).toBe('none');
      expect(again.body).toMatchObject({ adopt });
    }
    const other = await on().apply('i', { adopt: { id: 'i-8' } });
    expect(other).toMatchObject({ status: 409, body: { code: 'resource_committed' } });
  });

  it('needs a type that observes, and what the type accepts', async () => {
    const loc = (...more: string[]) => ({
      status: 422,
      body: { detail: [{ loc: ['body', ...more] }] },
    });
    expect(await on().apply('j', { adopt: {} })).toMatchObject(loc('adopt', 'id'));
    const blind = { resource: 'blind' };
    expect(await on().apply('j', { ...blind, adopt })).toMatchObject(loc('adopt'));
    expect(await on().apply('j', { ...blind, management: 'observed' })).toMatchObject(
      loc('management'),
    );
    expect(
      await on().apply('j', { management: 'observed', config: {} }),
      'a valid config',
    ).toMatchObject(loc('config', 'size'));
    const draft = await on().apply('j', { ...blind, adopt, lifecycle_state: 'draft' });
    expect(draft.status, 'a draft need not be valid').toBe(200);
  });

  it('becomes managed with a valid config only', async () => {
    await on().made('k', { management: 'Observed' }, { management: 'observed' });
    expect((await on().apply('k', { management: 'managed' })).body).toMatchObject({
      management: 'managed',
    });
    await on().made('l', {}, { resource: 'blind' });
    const refused = await on().apply('l', { resource: 'blind', management: 'observed' });
    expect(refused.status).toBe(422);
  });
});

describe('the preview of an import', () => {
  it('asks the provider, and leaves secrets to the caller', async () => {
    const config = { size: 3, password: 'hunter2-canary' };
    const outputs = { url: 'x://hunter2-canary', host: 'h' };
    on().provider.respond(says({ exists: true, config, outputs }));
    const shown = await preview();
    expect(shown, shown.text).toMatchObject({
      status: 200,
      body: {
        ...{ provider: 'disks', resource: 'disk', name: 'a', adopt, type_version: 1 },
        config: { size: 3 },
        outputs: { host: 'h' },
        missing: [{ path: '/password', secret: true, required: false }],
      },
    });
    expect(shown.text).not.toContain('canary');
    const { body, headers } = on().provider.receipts.at(-1) ?? {};
    expect(headers?.['ce-type']).toBe('dev.fairlead.resource.observe');
    expect(body).toMatchObject({
      event_type: 'OBSERVE',
      config: {},
      outputs: {},
      adopt,
      attempt: 1,
    });
  });

  const answers: Record<string, readonly [Respond, number, string | undefined]> = {
    'an object that does not exist': [says({ exists: false }), 404, 'object_not_found'],
    'an answer that says nothing': [says({ outputs: {} }), 503, 'unavailable'],
    'a failure that passes': [
      says({ error: { code: 'x', message: 'y' } }, 500),
      503,
      'unavailable',
    ],
    'a provider without the handler': [
      says({ error: { code: 'not_observable', message: 'y' } }, 422),
      409,
      'not_observable',
    ],
    'a refusal': [
      says({ error: { code: 'bad_id', message: 'No such zone' } }, 422),
      422,
      undefined,
    ],
    'a config that no resource can have': [
      says({ exists: true, config: { note: 'x'.repeat(300_000) }, outputs: {} }),
      413,
      'too_large',
    ],
    'another version than the one in force': [
      says({ exists: true, config: {}, outputs: {}, schema_version: 4 }),
      503,
      'unavailable',
    ],
  };
  it.each(Object.entries(answers))('tells of %s', async (_name, [respond, status, code]) => {
    on().provider.respond(respond);
    const answered = await preview();
    expect(answered, answered.text).toMatchObject({ status });
    expect((answered.body as { code?: string }).code).toBe(code);
  });

  it('asks nobody for what cannot be', async () => {
    const before = on().provider.receipts.length;
    expect(await preview({ adopt: {} })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'adopt', 'id'] }] },
    });
    expect(await preview({ provider: 'box', resource: 'blind' })).toMatchObject({
      status: 409,
      body: { code: 'not_observable' },
    });
    expect((await preview({ resource: 'dis' })).status).toBe(422);
    expect((await preview({}, on().viewer)).status).toBe(403);
    expect(on().provider.receipts).toHaveLength(before);
  });
});

describe('the list of existing objects', () => {
  it('has pages, no secrets, and the resources that have the objects', async () => {
    const items = [
      { adopt: { id: 'i-1' }, name: 'one', config: { size: 1, password: 'canary' } },
      { adopt: { id: 'i-2' }, name: 'two' },
      { adopt: { id: 'i-3' } },
    ];
    const disk = { provider: 'disks', resource: 'disk', lifecycle_state: 'draft' };
    await on().apply('first', { ...disk, adopt: { id: 'i-1' } });
    await on().apply('two', disk);
    on().provider.respond(says({ items, cursor: 'next page' }));
    const listed = await existing();
    expect(listed, listed.text).toMatchObject({ status: 200 });
    expect(listed.headers.link).toBe(
      '</resources/types/disks/disk/existing?cursor=next+page>; rel="next"',
    );
    expect(listed.body).toEqual([
      {
        ...{ adopt: { id: 'i-1' }, name: 'one', config: { size: 1 } },
        managed_by: 'disks/disk/first',
      },
      { adopt: { id: 'i-2' }, name: 'two', config: null, managed_by: 'disks/disk/two' },
      { adopt: { id: 'i-3' }, name: null, config: null, managed_by: null },
    ]);
    on().provider.respond(says({ items: [] }));
    const last = await existing('?cursor=next+page');
    expect(last.headers.link).toBeUndefined();
    expect(on().provider.receipts.at(-1)?.body).toMatchObject({
      event_type: 'LIST',
      cursor: 'next page',
    });
  });

  it('[C10] proposes only names that a resource can have', async () => {
    const names = ['x$(touch PWNED)', 'a/b', '--all', 'two words', ''];
    const items = names.map((name, at) => ({ adopt: { id: `i-${at}` }, name }));
    on().provider.respond(says({ items }));
    const listed = await existing();
    expect(listed.body).toMatchObject(
      names.map((_, at) => ({ adopt: { id: `i-${at}` }, name: null })),
    );
    const warning = '299 - "The provider proposed 5 names that no resource can have"';
    expect(listed.headers.warning).toBe(warning);
  });

  it('tells of a provider that cannot list', async () => {
    on().provider.respond(says({ items: [{ id: 'i-1' }] }));
    expect(await existing()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await existing('', 'box/blind')).toMatchObject({
      status: 409,
      body: { code: 'not_listable' },
    });
    expect(await existing('', 'box/none')).toMatchObject({ status: 404 });
  });
});

it('registers a type that observes, also from a fetched one, with a usable schema of adopt', async () => {
  const { admin } = on();
  const listed = (await admin.get('/resources/types')).body as { resource: string }[];
  const crate = listed.find(({ resource }) => resource === 'crate');
  expect(crate).toMatchObject({ observable: true, observe_every: '10m', listable: true });
  const again = await admin.post('/resources/register?dry_run=true', crate);
  expect(again.headers['fairlead-plan'], again.text).toBe('none');
  const bad = { ...crate, adopt_schema: { type: 'array' } };
  expect(await admin.post('/resources/register', bad)).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'adopt_schema', 'type'] }] },
  });
});
