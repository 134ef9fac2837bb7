// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// Immutable fields and replacements, over HTTP and as kubectl writes them, with a provider behind them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import type { EventBody } from '../../../src/domain/event.ts';
import { keyOf, objectNameOf, organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import {
  type ScriptedProvider,
  scriptedProvider,
  works,
} from '../../support/faults/history/provider.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const client = createKubeClient(loadCluster(sharedControlPlane()));
const events: EventBody[] = [];
let api: ServedApi;
let acme: ApiCaller;
let provider: ScriptedProvider;
let namespace: string;

const schema = {
  type: 'object',
  properties: {
    zone: { type: 'string', immutable: true },
    disk: { type: 'object', properties: { kind: { type: 'string', immutable: true } } },
    size: { type: 'integer' },
    tier: { type: 'string', immutable: true, default: 'small' },
    on: { type: 'string' },
  },
};

beforeAll(async () => {
  api = await serveApi();
  acme = await api.caller('replacements');
  await acme.post('/resources/register', { provider: 'box', resource: 'vm', schema });
  namespace = organizationOf(api.issuer.url, 'replacements').namespace;
  provider = await scriptedProvider((event, earlier) => {
    events.push(event);
    return works(event, earlier);
  });
  await client.create(kinds.provider, {
    apiVersion,
    kind: 'Provider',
    metadata: { name: 'box', namespace },
    spec: { provider: 'box', endpoint: provider.url },
  } as never);
});

afterAll(async () => {
  await api?.close();
  await provider?.close();
  await client.close();
});

const tuple = (name: string) => ({ provider: 'box', resource: 'vm', name });
const path = (name: string) => `/resources/box/vm/${name}`;
const apply = (name: string, config: object, { query = '', ...more }: { query?: string } = {}) =>
  acme.post(`/resources/apply${query}`, {
    ...tuple(name),
    config,
    lifecycle_state: 'pending',
    ...more,
  });
const eventsOf = (name: string) => events.filter((event) => event.name === name);
const typesOf = (name: string) => eventsOf(name).map(({ event_type }) => event_type);
const refTo = (name: string) => ({ namespace, name: objectNameOf(keyOf(tuple(name))) });
const stored = (name: string) => client.get<Resource>(kinds.resource, refTo(name));
/** As kubectl does. */
const patch = (name: string, spec: object) =>
  client.patch<Resource>(kinds.resource, refTo(name), { spec });

async function shows(name: string, want: object): Promise<void> {
  await eventually(async () => {
    expect((await acme.get(path(name))).body).toMatchObject(want);
  });
}

async function make(name: string, config: object): Promise<void> {
  const answer = await apply(name, config);
  expect(answer.status, answer.text).toBe(200);
  await shows(name, { lifecycle_state: 'ready', config });
}

async function revisionsOf(name: string): Promise<readonly number[]> {
  const { body } = await acme.get(`${path(name)}/history`);
  return (body as readonly { revision: number }[]).map(({ revision }) => revision);
}

const letters = async () =>
  ((await acme.get('/ops/dead-letter')).body as readonly unknown[]).length;

const changes: Readonly<Record<string, readonly [config: object, loc: readonly string[]]>> = {
  'another value': [{ zone: 'b', disk: { kind: 'ssd' } }, ['zone']],
  'a value that is left out': [{ disk: { kind: 'ssd' } }, ['zone']],
  'a value inside an object': [{ zone: 'a', disk: { kind: 'hdd' } }, ['disk', 'kind']],
  'an object that is left out': [{ zone: 'a' }, ['disk', 'kind']],
};

it('refuses a change of an immutable field before any event, as the preview does', async () => {
  await make('fixed', { zone: 'a', disk: { kind: 'ssd' } });
  const before = await stored('fixed');
  for (const [what, [config, loc]] of Object.entries(changes)) {
    for (const query of ['', '?dry_run=true']) {
      const answer = await apply('fixed', config, { query });
      expect(answer.status, what).toBe(422);
      const message = expect.stringContaining('replace=true');
      const detail = [{ loc: ['body', 'config', ...loc], type: 'immutable', msg: message }];
      expect(answer.body, what).toMatchObject({ detail });
    }
  }
  expect((await stored('fixed')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  await make('fixed', { zone: 'a', disk: { kind: 'ssd' }, size: 2 });
  expect(typesOf('fixed')).toEqual(['CREATE', 'UPDATE']);
  expect((await apply('fixed', { zone: 'a', disk: { kind: 'ssd' }, size: 2 })).status).toBe(200);
});

it('refuses a value that is added', async () => {
  await make('added', { size: 1 });
  const answer = await apply('added', { size: 1, zone: 'a' });
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'config', 'zone'] }] });
});

it('takes a default that is written down, or left out again, for no change', async () => {
  await make('usual', { size: 1 });
  const declared = { size: 1, tier: 'small' };
  const resources = [{ ...tuple('usual'), config: declared, lifecycle_state: 'pending' }];
  const plan = await acme.post('/resources/batch?dry_run=true', { resources });
  expect(plan, plan.text).toMatchObject({
    status: 200,
    body: { resources: [{ change: 'update', differences: [], forced_by: [] }] },
  });
  // It is stored as it was declared, since drift is compared with that.
  await make('usual', declared);
  expect((await stored('usual')).status?.appliedConfig).toEqual(declared);
  const { body } = await acme.get(`${path('usual')}/history`);
  expect(body).toMatchObject([{ revision: 2, changes: [] }, { revision: 1 }]);
  await patch('usual', { config: { tier: null } });
  await shows('usual', { lifecycle_state: 'ready', config: { size: 1 } });
  expect(typesOf('usual')).toEqual(['CREATE', 'UPDATE', 'UPDATE']);
  expect((await apply('usual', { size: 1, tier: 'large' })).status).toBe(422);
});

it('deletes the old object and creates the new one, as one resource', async () => {
  await make('moved', { zone: 'a', size: 1 });
  const { metadata: old, status: oldStatus } = await stored('moved');
  expect(await revisionsOf('moved')).toEqual([1]);
  const next = { zone: 'b', size: 2 };
  const preview = await apply('moved', next, { query: '?replace=true&dry_run=true' });
  expect(preview.headers).toMatchObject({
    'fairlead-plan': 'replace',
    'fairlead-forced-by': '/config/zone',
  });
  expect(typesOf('moved')).toEqual(['CREATE']);
  const answer = await apply('moved', next, { query: '?replace=true' });
  expect(answer.status, answer.text).toBe(200);
  await shows('moved', { lifecycle_state: 'ready', config: next });
  const again = await apply('moved', next, { query: '?replace=true' });
  expect(again.body).toMatchObject({ lifecycle_state: 'ready', config: next });
  expect(await revisionsOf('moved')).toEqual([2, 1]);
  expect(typesOf('moved')).toEqual(['CREATE', 'DELETE', 'CREATE']);
  const [, deletion, creation] = eventsOf('moved');
  expect(deletion).toMatchObject({
    config: { zone: 'a', size: 1 },
    outputs: oldStatus?.outputs as object,
  });
  expect(creation).toMatchObject({ config: next, previous_config: null, outputs: {} });
  const sequences = eventsOf('moved').map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.toSorted((left, right) => left - right));
  expect(new Set(eventsOf('moved').map(({ event_id }) => event_id)).size).toBe(3);
  expect((await stored('moved')).metadata.uid).toBe(old.uid);
});

it('replaces nothing that is protected or used', async () => {
  await make('kept', { zone: 'a' });
  await apply('kept', { zone: 'a' }, { protected: true } as object);
  for (const query of ['?replace=true', '?replace=true&dry_run=true']) {
    const answer = await apply('kept', { zone: 'b' }, { query });
    expect(answer.status, answer.text).toBe(409);
    expect(answer.text).toContain('resource_protected');
  }
  await make('used', { zone: 'a' });
  const { status, text } = await apply('user', { zone: '${box/vm/used.outputs.config.zone}' });
  expect(status, text).toBe(200);
  const answer = await apply('used', { zone: 'b' }, { query: '?replace=true' });
  expect(answer.status).toBe(409);
  expect(answer.text).toContain('resource_in_use');
  expect(answer.text).toContain('box/vm/user');
  expect(typesOf('kept')).toEqual(['CREATE']);
  expect(typesOf('used')).toEqual(['CREATE']);
});

it('refuses a change that kubectl makes, and goes on with the old value', async () => {
  await make('edited', { zone: 'a' });
  const before = await letters();
  await patch('edited', { config: { zone: 'b' } });
  const message = expect.stringContaining('config.zone has another value than what exists');
  await shows('edited', { lifecycle_state: 'failed', reason: 'ImmutableField', message });
  expect(await letters()).toBe(before);
  expect((await apply('edited', { zone: 'b' })).status, 'a retry changes it as well').toBe(422);
  await patch('edited', { config: { zone: 'a' } });
  await shows('edited', { lifecycle_state: 'ready' });
  expect(typesOf('edited')).not.toContain('DELETE');
  await patch('edited', { config: { zone: 'b' } });
  await shows('edited', { reason: 'ImmutableField' });
  await apply('edited', { zone: 'b' }, { query: '?replace=true' });
  await shows('edited', { lifecycle_state: 'ready', config: { zone: 'b' } });
  expect(typesOf('edited').slice(-2)).toEqual(['DELETE', 'CREATE']);
});

it('replaces when kubectl raises the counter, which it cannot lower', async () => {
  await make('raised', { zone: 'a' });
  await patch('raised', { replace: 2 });
  await eventually(() => expect(typesOf('raised')).toEqual(['CREATE', 'DELETE', 'CREATE']));
  await shows('raised', { lifecycle_state: 'ready', config: { zone: 'a' } });
  await expect(patch('raised', { replace: 1 })).rejects.toThrow('can only be raised');
  await patch('raised', { replace: null });
  await patch('raised', { replace: 2, config: { zone: 'a', size: 7 } });
  await shows('raised', { lifecycle_state: 'ready', config: { size: 7 } });
  expect(typesOf('raised')).toEqual(['CREATE', 'DELETE', 'CREATE', 'UPDATE']);
  const answer = await apply('raised', { zone: 'b' }, { query: '?replace=true' });
  expect(answer.status, answer.text).toBe(200);
  await shows('raised', { lifecycle_state: 'ready', config: { zone: 'b' } });
  expect((await stored('raised')).spec.replace).toBe(3);
});

it('names the reference whose value has changed in an immutable field', async () => {
  await make('source', { size: 1 });
  const reference = '${box/vm/source.outputs.config.size}';
  await make('follower', { zone: `size ${reference}` });
  await make('source', { size: 2 });
  const message = expect.stringContaining(`config.zone, which refers to ${reference}`);
  await shows('follower', { lifecycle_state: 'failed', reason: 'ImmutableField', message });
  const why = await acme.get(`${path('follower')}/explanation`);
  expect(why.text).toContain('replace=true');
  expect(typesOf('follower')).toEqual(['CREATE']);
  await make('source', { size: 1 });
  await shows('follower', { lifecycle_state: 'ready' });
  expect(typesOf('follower')).toEqual(['CREATE', 'UPDATE']);
});

// One uses the other; each has its zone as an immutable field.

const chain = ['ground', 'house', 'roof'] as const;
const onTop = (zone: string) =>
  chain.map((name, index) => {
    const under = chain[index - 1];
    const address = under === undefined ? {} : { on: `\${box/vm/${under}.outputs.made_by}` };
    const config = { ...(under === undefined ? { zone } : {}), ...address };
    return { ...tuple(name), config, lifecycle_state: 'pending' };
  });
const send = (resources: readonly object[], query = '') =>
  acme.post(`/resources/batch${query}`, { resources, replace: true });
const replacementsIn = (since: number) =>
  events
    .slice(since)
    .filter(({ name }) => chain.includes(name as never))
    .map(({ event_type, name }) => `${event_type} ${name}`);
const replacedInOrder = [
  'DELETE roof',
  'DELETE house',
  'DELETE ground',
  'CREATE ground',
  'CREATE house',
  'CREATE roof',
];

it('replaces users with what they use, leaves first, in one plan', async () => {
  expect((await send(onTop('a'))).status).toBe(200);
  await shows('roof', { lifecycle_state: 'ready' });
  const alone = await send(onTop('b').slice(0, 1), '?dry_run=true');
  expect(alone.body).toMatchObject({
    resources: [{ change: 'replace', blocked_by: { code: 'resource_in_use' } }],
  });
  const planned = await send(onTop('b'), '?dry_run=true');
  expect(planned.body).toMatchObject({
    resources: [
      { change: 'replace', forced_by: ['config.zone'] },
      { change: 'replace', forced_by: ['config.on'] },
      { change: 'replace', forced_by: ['config.on'] },
    ],
  });
  const since = events.length;
  expect((await send(onTop('b'))).status).toBe(200);
  await shows('roof', { lifecycle_state: 'ready' });
  await shows('ground', { lifecycle_state: 'ready', config: { zone: 'b' } });
  expect(replacementsIn(since)).toEqual(replacedInOrder);
  const again = await send(onTop('b'), '?dry_run=true');
  expect(again.body).toMatchObject({ resources: chain.map(() => ({ change: 'none' })) });
});

it('finishes a chain of which only the beginning was written', async () => {
  const since = events.length;
  // As a request that ended after its first write, or an administrator with kubectl.
  await patch('ground', { config: { zone: 'c' }, replace: 9 });
  await shows('ground', { reason: 'InUse' });
  const planned = await send(onTop('c'), '?dry_run=true');
  expect(planned.body).toMatchObject({
    resources: [{ change: 'none' }, { change: 'replace' }, { change: 'replace' }],
  });
  expect((await send(onTop('c'))).status).toBe(200);
  await shows('ground', { lifecycle_state: 'ready', config: { zone: 'c' } });
  await shows('roof', { lifecycle_state: 'ready' });
  expect(replacementsIn(since)).toEqual(replacedInOrder);
});

it('replaces nothing of a chain with a protected user', async () => {
  await acme.patch(path('house'), { protected: true });
  const refused = await send(onTop('d'));
  expect(refused.status, refused.text).toBe(409);
  expect(refused.body).toMatchObject({
    detail: [{ loc: ['body', 'resources', 1], type: 'resource_protected' }],
  });
  await shows('ground', { lifecycle_state: 'ready', config: { zone: 'c' } });
});
