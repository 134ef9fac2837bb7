// Drift, observations, corrections and imports over HTTP, against a real API server. The test writes what reconcilers would; the
// provider that is asked is a real one.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import type { ResourceStatus } from '../../../src/crds/resource.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { annotation, apiVersion, kinds } from '../../../src/store/kinds.ts';
import { contentHashOf } from '../../../src/store/resources/content.ts';
import { changed } from '../../support/fixtures/explained-resources.ts';
import {
  answer,
  type RecordingProvider,
  type Respond,
  recordingProvider,
} from '../../support/fixtures/receipts.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `observe-${randomUUID().slice(0, 8)}`;
const client = createKubeClient(loadCluster(sharedControlPlane()));
let api: ServedApi;
let admin: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;
let provider: RecordingProvider;
let namespace: string;

const schema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer' },
    password: { type: 'string', writeOnly: true },
    tags: { type: 'array' },
  },
};
const observable = {
  ...{ observe: true, observe_every: '10m', listable: true, schema },
  adopt_schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
};
/** Nothing serves the first two. */
const types = [
  { provider: 'box', resource: 'crate', ...observable },
  { provider: 'box', resource: 'blind' },
  { provider: 'disks', resource: 'disk', ...observable },
];

beforeAll(async () => {
  api = await serveApi();
  provider = await recordingProvider();
  admin = await api.caller(organization);
  for (const type of types) {
    const { status, text } = await admin.post('/resources/register', type);
    expect(status, text).toBe(200);
  }
  objects = resourceObjects(api, organization);
  ({ namespace } = organizationOf(api.issuer.url, organization));
  await client.create<Provider>(kinds.provider, {
    apiVersion,
    kind: kinds.provider.kind,
    metadata: { name: 'disks', namespace },
    spec: { provider: 'disks', endpoint: provider.url },
  });
  provider.respond(says({ exists: false }));
  // The cache of the API has the Provider by then.
  await eventually(async () => expect((await preview()).status).toBe(404));
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
  await provider?.close();
  await client.close();
});

const says =
  (body: object, status = 200): Respond =>
  (_receipt, response) =>
    answer(response, status, body);
const adopt = { id: 'i-7' };
const preview = (more: object = {}, caller = admin) =>
  caller.post('/resources/preview-import', {
    ...{ provider: 'disks', resource: 'disk', name: 'a', adopt },
    ...more,
  });
const existing = (query = '', type = 'disks/disk') =>
  admin.get(`/resources/types/${type}/existing${query}`);
const pathOf = (name: string, type = 'crate') => `/resources/box/${type}/${name}`;
const bodyOf = (name: string, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config: { size: 10 } },
  lifecycle_state: 'pending',
  ...more,
});
const apply = (name: string, more: object = {}, query = '') =>
  admin.post(`/resources/apply${query}`, bodyOf(name, more));
const specOf = async (name: string, type = 'crate') =>
  (await objects.get(`box/${type}/${name}`)).spec;

/** As a reconciler does after an event. */
async function settle(name: string, status: Partial<ResourceStatus> = {}, type = 'crate') {
  const of = `box/${type}/${name}`;
  const { spec } = await objects.get(of);
  await objects.says(of, {
    ...{ state: 'ready', reason: 'Processed', outputs: {}, appliedConfig: spec.config },
    ...{ content: contentHashOf(spec), ...status },
  });
}

async function made(name: string, status: Partial<ResourceStatus> = {}, more: object = {}) {
  const { status: code, text } = await apply(name, more);
  expect(code, text).toBe(200);
  await settle(name, status, (more as { resource?: string }).resource);
}

const drifted = { reason: 'Drifted', drift: changed };

describe('drift', () => {
  it('is shown, listed and explained', async () => {
    await made('well');
    await made('off', drifted);
    const { body } = await admin.get(pathOf('off'));
    expect(body).toMatchObject({
      ...{ lifecycle_state: 'ready', reason: 'Drifted' },
      drift: {
        ...{ kind: 'changed', total: 2, compared: 7, unknown: 1 },
        changes: [{ path: '/size', declared: 10, actual: 20 }, { path: '/tags' }],
      },
    });
    const names = async (query: string) =>
      ((await admin.get(`/resources/${query}`)).body as { name: string }[]).map(({ name }) => name);
    expect(await names('?drift=true')).toEqual(['off']);
    expect(await names('?drift=false&limit=50')).toContain('well');
    expect(await names('?drift=false')).not.toContain('off');
    expect((await admin.get('/resources/?drift=yes')).status).toBe(422);
    await eventually(async () => {
      expect((await admin.get('/resources/explanations?provider=box')).body).toMatchObject([
        { count: 1, resources: ['box/crate/off'], cause: { reason: 'Drifted' } },
      ]);
    });
    const why = (await admin.get(`${pathOf('off')}/explanation`)).body;
    expect(why).toMatchObject({
      summary: 'box/crate/off has drifted: 2 of 7 compared values differ: /size, /tags.',
      next: [{ do: 'correct' }, { do: 'apply_actual' }, { do: 'edit' }],
    });
  });
});

describe('a correction', () => {
  const correct = (name: string, headers: Record<string, string> = {}, type = 'crate') =>
    admin.send('POST', `${pathOf(name, type)}/correct`, { headers });

  it('of a ready resource that has drifted sends an event, once', async () => {
    await made('again', drifted);
    const { headers } = await admin.get(pathOf('again'));
    expect(await correct('again', { 'if-match': '"old"' })).toMatchObject({ status: 412 });
    const begun = await correct('again', { 'if-match': String(headers.etag) });
    expect(begun).toMatchObject({ status: 200, body: { lifecycle_state: 'pending' } });
    expect(await specOf('again')).toMatchObject({ retry: 1, config: { size: 10 } });
    const repeated = await correct('again', { 'if-match': String(headers.etag) });
    expect(repeated, 'its answer may have been lost').toMatchObject({ status: 200 });
    expect(await specOf('again')).toMatchObject({ retry: 1 });
  });

  it('waits until the resource is ready again', async () => {
    await made('slow', drifted);
    const answered = correct('slow', { prefer: 'wait=30' });
    await eventually(async () => expect((await specOf('slow')).retry).toBe(1));
    await settle('slow', { drift: undefined });
    expect(await answered).toMatchObject({
      status: 200,
      headers: { 'preference-applied': 'wait=30' },
      body: { lifecycle_state: 'ready', drift: null },
    });
  });

  it('without drift changes nothing, and refuses what it cannot correct', async () => {
    await made('same');
    expect(await correct('same')).toMatchObject({ status: 200, body: { drift: null } });
    expect(await specOf('same')).not.toHaveProperty('retry');
    await made('unseen', {}, { resource: 'blind' });
    expect(await correct('unseen', {}, 'blind')).toMatchObject({
      status: 409,
      body: { code: 'not_observable', detail: expect.stringContaining('does not observe') },
    });
    await made('read', drifted, { management: 'observed' });
    expect(await correct('read')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await apply('plan', { lifecycle_state: 'draft' });
    expect(await correct('plan')).toMatchObject({ status: 409, body: { code: 'not_observable' } });
    expect(await correct('nobody')).toMatchObject({ status: 404 });
  });
});

describe('an observation on request', () => {
  const observe = (name: string, headers: Record<string, string> = {}, type = 'crate') =>
    admin.send('POST', `${pathOf(name, type)}/observe`, { headers });
  const requestOf = async (name: string) =>
    (await objects.get(`box/crate/${name}`)).metadata.annotations?.[annotation.observe];

  it('is requested with another text each time, by name and by id', async () => {
    await made('seen');
    expect(await observe('seen')).toMatchObject({ status: 200, body: { name: 'seen' } });
    const first = await requestOf('seen');
    expect(first).toMatch(/^.{1,64}$/);
    const byId = await admin.send('POST', '/resources/resource:box_crate_seen/observe');
    expect(byId.status).toBe(200);
    expect(await requestOf('seen')).not.toBe(first);
    expect(await specOf('seen'), 'no event follows').not.toHaveProperty('retry');
  });

  it('waits for its own observation, and not for an earlier one', async () => {
    await made('slower');
    await observe('slower');
    const at = '2026-01-01T00:00:00.000Z';
    const result = { at, exists: true, compared: 3, unknown: 1 };
    const before = (await requestOf('slower')) ?? '';
    await objects.says('box/crate/slower', { observation: { ...result, request: before } });
    const answered = observe('slower', { prefer: 'wait=30' });
    await eventually(async () => expect(await requestOf('slower')).not.toBe(before));
    const request = (await requestOf('slower')) ?? '';
    const none = { at, request, compared: 0, unknown: 0, error: 'TIMEOUT: no answer' };
    await objects.says('box/crate/slower', { observation: none });
    expect(await answered).toMatchObject({
      headers: { 'preference-applied': 'wait=30' },
      body: { observation: { exists: null, error: expect.any(String) } },
    });
  });

  it('refuses what has no object, and who may not', async () => {
    await made('hidden', {}, { resource: 'blind' });
    expect(await observe('hidden', {}, 'blind')).toMatchObject({
      status: 409,
      body: { code: 'not_observable' },
    });
    await apply('coming');
    expect(await observe('coming')).toMatchObject({
      status: 409,
      body: { code: 'not_observable', detail: expect.stringContaining('never succeeded') },
    });
    await apply('sought', { management: 'observed' });
    expect(await observe('sought'), 'it may exist by now').toMatchObject({ status: 200 });
    expect(await observe('nobody')).toMatchObject({ status: 404 });
    const viewer = await api.caller(organization, { roles: ['viewer'] });
    expect((await viewer.send('POST', `${pathOf('sought')}/observe`)).status).toBe(403);
  });
});

describe('an import', () => {
  it('is planned, stored and repeated, and keeps its object', async () => {
    const planned = await apply('i', { adopt }, '?dry_run=true');
    expect(planned, planned.text).toMatchObject({
      status: 200,
      headers: { 'fairlead-plan': 'import' },
      body: { adopt, deletion_policy: 'orphan' },
    });
    expect((await apply('i', { adopt })).body).toMatchObject({ adopt, deletion_policy: 'orphan' });
    await settle('i', { reason: 'Imported' });
    for (const more of [{}, { adopt }, { adopt: null }]) {
      const again = await apply('i', more, '?dry_run=true');
      expect(again.headers['fairlead-plan']).toBe('none');
      expect(again.body).toMatchObject({ adopt });
    }
    const other = await apply('i', { adopt: { id: 'i-8' } });
    expect(other).toMatchObject({ status: 409, body: { code: 'resource_committed' } });
  });

  it('needs a type that observes, and what the type accepts', async () => {
    const loc = (...more: string[]) => ({
      status: 422,
      body: { detail: [{ loc: ['body', ...more] }] },
    });
    expect(await apply('j', { adopt: {} })).toMatchObject(loc('adopt', 'id'));
    const blind = { resource: 'blind' };
    expect(await apply('j', { ...blind, adopt })).toMatchObject(loc('adopt'));
    expect(await apply('j', { ...blind, management: 'observed' })).toMatchObject(loc('management'));
    expect(
      await apply('j', { management: 'observed', config: {} }),
      'a valid config',
    ).toMatchObject(loc('config', 'size'));
    const draft = await apply('j', { ...blind, adopt, lifecycle_state: 'draft' });
    expect(draft.status, 'a draft need not be valid').toBe(200);
  });

  it('becomes managed with a valid config only', async () => {
    await made('k', { management: 'Observed' }, { management: 'observed' });
    expect((await apply('k', { management: 'managed' })).body).toMatchObject({
      management: 'managed',
    });
    await made('l', {}, { resource: 'blind' });
    const refused = await apply('l', { resource: 'blind', management: 'observed' });
    expect(refused.status).toBe(422);
  });
});

describe('the preview of an import', () => {
  it('asks the provider, and leaves secrets to the caller', async () => {
    const config = { size: 3, password: 'hunter2-canary' };
    const outputs = { url: 'x://hunter2-canary', host: 'h' };
    provider.respond(says({ exists: true, config, outputs }));
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
    const { body, headers } = provider.receipts.at(-1) ?? {};
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
    'another version than the one in force': [
      says({ exists: true, config: {}, outputs: {}, schema_version: 4 }),
      503,
      'unavailable',
    ],
  };
  it.each(Object.entries(answers))('tells of %s', async (_name, [respond, status, code]) => {
    provider.respond(respond);
    const answered = await preview();
    expect(answered, answered.text).toMatchObject({ status });
    expect((answered.body as { code?: string }).code).toBe(code);
  });

  it('asks nobody for what cannot be', async () => {
    const before = provider.receipts.length;
    expect(await preview({ adopt: {} })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'adopt', 'id'] }] },
    });
    expect(await preview({ provider: 'box', resource: 'blind' })).toMatchObject({
      status: 409,
      body: { code: 'not_observable' },
    });
    expect((await preview({ resource: 'dis' })).status).toBe(422);
    const viewer = await api.caller(organization, { roles: ['viewer'] });
    expect((await preview({}, viewer)).status).toBe(403);
    expect(provider.receipts).toHaveLength(before);
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
    await apply('first', { ...disk, adopt: { id: 'i-1' } });
    await apply('two', disk);
    provider.respond(says({ items, cursor: 'next page' }));
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
    provider.respond(says({ items: [] }));
    const last = await existing('?cursor=next+page');
    expect(last.headers.link).toBeUndefined();
    expect(provider.receipts.at(-1)?.body).toMatchObject({
      event_type: 'LIST',
      cursor: 'next page',
    });
  });

  it('tells of a provider that cannot list', async () => {
    provider.respond(says({ items: [{ id: 'i-1' }] }));
    expect(await existing()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await existing('', 'box/blind')).toMatchObject({
      status: 409,
      body: { code: 'not_listable' },
    });
    expect(await existing('', 'box/none')).toMatchObject({ status: 404 });
  });
});

it('releases the corrections of a provider that are held', async () => {
  const release = () => admin.send('POST', '/providers/disks/corrections/release');
  const stored = () => client.get<Provider>(kinds.provider, { namespace, name: 'disks' });
  expect(await release()).toMatchObject({ status: 200, body: { corrections_held: null } });
  expect((await stored()).spec, 'nothing was held').not.toHaveProperty('correctionsReleasedAt');
  const since = '2026-01-01T00:00:00.000Z';
  const message = '12 of 40 objects differ';
  const held = {
    ...{ type: 'CorrectionsHeld', status: 'True', reason: 'CorrectionsHeld', message },
    ...{ lastTransitionTime: since, observedGeneration: 1 },
  };
  // The controller writes, too.
  await eventually(async () => {
    const found = await stored();
    const conditions = [...(found.status?.conditions ?? []), held];
    await client.replaceStatus(kinds.provider, {
      ...found,
      status: { ...found.status, conditions } as never,
    });
    expect((await admin.get('/providers/')).body).toMatchObject([
      { provider: 'disks', corrections_held: { since, message } },
    ]);
  });
  expect(await release()).toMatchObject({ status: 200, body: { corrections_held: null } });
  expect(Date.parse((await stored()).spec.correctionsReleasedAt ?? '')).toBeGreaterThan(0);
  const nobody = await admin.send('POST', '/providers/nobody/corrections/release');
  expect(nobody).toMatchObject({ status: 404, body: { code: 'not_deployed' } });
});
