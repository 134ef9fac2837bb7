// The rules of the author of a type, asked of a provider that runs elsewhere: what it receives, and what its answers mean for applies,
// previews, batches and sets, before anything is stored.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { PlanBody, PlannedMemberBody } from '../../../src/domain/event.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { apiOfFile } from '../../support/fixtures/api/api-of-file.ts';
import {
  answer,
  type RecordingProvider,
  recordingProvider,
} from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { readExposition } from '../../support/runner/exposition.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import type { ApiCaller } from '../../support/servers/served-api.ts';

const organization = 'author-rules';
const api = apiOfFile();
const properties = {
  size: { type: 'integer' },
  zone: { type: 'string' },
  from: { type: 'string' },
  rules: { type: 'array', items: { type: 'object' } },
  password: { type: 'string', writeOnly: true },
};
const outputs_schema = {
  type: 'object',
  properties: { url: { type: 'string' }, token: { type: 'string', writeOnly: true } },
};
const object = (of: object) => ({ type: 'object', properties: of, additionalProperties: false });
const disk = {
  ...{ provider: 'disks', resource: 'disk', plan: true },
  schema: object(properties),
  outputs_schema,
};

/** The rules of the provider about one member. */
type Rules = (member: PlanBody['members'][number]) => PlannedMemberBody;

let provider: RecordingProvider;
let admin: ApiCaller;
let namespace: string;

beforeAll(async () => {
  provider = await recordingProvider();
  admin = await api().caller(organization);
  await admin.get('/projects');
  ({ namespace } = organizationOf(api().issuer.url, organization));
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  for (const name of ['disks', 'mute']) {
    await client.create(kinds.provider, {
      ...{ apiVersion, kind: kinds.provider.kind, metadata: { name, namespace } },
      spec: { provider: name, endpoint: provider.url },
    } as never);
  }
  await client.close();
  const plain = { ...disk, resource: 'plain', plan: false };
  const idle = { ...disk, provider: 'idle' };
  const versioned = {
    ...{ provider: 'disks', resource: 'versioned', plan: true, type_version: 2 },
    schema: object({ sizeGb: { type: 'integer' } }),
    earlier_versions: [{ type_version: 1, schema: object({ size: { type: 'integer' } }) }],
  };
  for (const type of [disk, plain, idle, versioned, { ...disk, provider: 'mute' }]) {
    const { status, text } = await admin.post('/resources/register', type);
    expect(status, text).toBe(200);
  }
  says(() => ({ error: 'ready?' }));
  // The cache of the API has the Provider by then.
  await eventually(async () => {
    expect((await preview('first')).headers['warning']).toContain('ready?');
  });
});

afterAll(() => provider?.close());

beforeEach(() => says(() => ({})));

const outputs = { url: 'disk://here', token: 'open sesame' };

function says(rules: Rules): void {
  provider.respond(({ body }, response) => {
    const asked = body as unknown as PlanBody;
    const isPlan = asked.event_type === 'PLAN';
    answer(response, 200, isPlan ? { members: asked.members.map(rules) } : { outputs });
  });
}

const plans = () =>
  provider.receipts
    .map(({ body }) => body as unknown as PlanBody)
    .filter(({ event_type }) => event_type === 'PLAN');

const body = (name: string, config: object = { size: 5 }, more: object = {}) => ({
  ...{ provider: 'disks', resource: 'disk', name, config, lifecycle_state: 'pending' },
  ...more,
});
const apply = (
  name: string,
  config?: object,
  more: { query?: string; readonly [member: string]: unknown } = {},
) => {
  const { query = '', ...rest } = more;
  return admin.post(`/resources/apply${query}`, body(name, config, rest));
};
const preview = (name: string, config?: object) => apply(name, config, { query: '?dry_run=true' });
const stored = async (name: string) =>
  (await admin.get(`/resources/disks%2Fdisk%2F${name}`)).body as Record<string, unknown>;
const isStored = async (name: string, type = 'disk') =>
  (await admin.get(`/resources/disks%2F${type}%2F${name}`)).status === 200;

async function made(name: string, config: object = { size: 5 }): Promise<void> {
  const { status, text } = await apply(name, config);
  expect(status, text).toBe(200);
  await eventually(async () => {
    expect(await stored(name)).toMatchObject({ lifecycle_state: 'ready' });
  });
}

const of = (name: string, output: string) => `\${disks/disk/${name}.outputs.${output}}`;

const tooSmall: Rules = ({ config, previous_config: before }) =>
  before !== null && Number(config['size']) < Number(before['size'])
    ? { refuse: [{ path: '/size', message: `A disk cannot shrink; it has ${before['size']}` }] }
    : {};

it('asks with a signature, with what an event would have', async () => {
  await made('signed');
  await apply('signed', { size: 6 });
  const receipt = provider.receipts.filter((each) => (each.body.event_type as string) === 'PLAN');
  const { headers, body: asked } = receipt.at(-1) ?? {};
  expect(headers).toMatchObject({
    'ce-type': 'dev.fairlead.type.plan',
    'ce-subject': 'disks/disk',
    'ce-id': asked?.event_id,
  });
  expect(asked).toEqual({
    ...{ event_id: headers?.['ce-id'], event_type: 'PLAN', organization_id: organization },
    ...{ provider: 'disks', resource: 'disk' },
    members: [
      {
        ...{ project_id: expect.any(String), name: 'signed', unknown: [] },
        ...{ config: { size: 6 }, schema_version: 1, outputs, outputs_schema_version: 1 },
        ...{ previous_config: { size: 5 }, previous_schema_version: 1 },
        secrets: ['/outputs/token'],
      },
    ],
  });
  const token = `${headers?.authorization}`.replace('Bearer ', '');
  const keys = (await api().stranger.get('/.well-known/jwks.json')).body as JSONWebKeySet;
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer: 'fairlead' });
  expect(payload).toMatchObject({ aud: `provider:${organization}/disks`, sub: asked?.event_id });
});

it('refuses at the place, and stores nothing', async () => {
  says(() => ({
    refuse: [
      { path: '/rules/0/port', message: 'Port 80 needs zone b' },
      { path: '', message: 'The account is full' },
    ],
  }));
  const config = { size: 5, rules: [{ port: 80 }] };
  const violations = [
    {
      loc: ['body', 'config', 'rules', 0, 'port'],
      msg: 'Port 80 needs zone b',
      type: 'value_error',
    },
    { loc: ['body', 'config'], msg: 'The account is full', type: 'value_error' },
  ];
  for (const refused of [await apply('refused', config), await preview('refused', config)]) {
    expect(refused).toMatchObject({ status: 422, body: { detail: violations } });
  }
  expect(await isStored('refused')).toBe(false);
});

it('names a field of the newest version in the sentence about a config of an earlier one', async () => {
  says(() => ({ refuse: [{ path: '/sizeGb', message: 'Too large' }] }));
  const versioned = { resource: 'versioned', type_version: 1 };
  expect(await apply('old', { size: 5 }, versioned)).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'config'], msg: 'sizeGb: Too large' }] },
  });
  expect(plans().at(-1)?.members).toMatchObject([{ config: { size: 5 }, schema_version: 1 }]);
});

it('asks about each change once, and about nothing else', async () => {
  await made('calm');
  const before = plans().length;
  expect((await apply('calm')).status, 'nothing changes').toBe(200);
  expect((await apply('calm', undefined, { tags: ['a'] })).status).toBe(200);
  expect((await admin.patch('/resources/disks%2Fdisk%2Fcalm', { paused: true })).status).toBe(200);
  expect((await apply('sketch', undefined, { lifecycle_state: 'draft' })).status).toBe(200);
  expect((await apply('plain', undefined, { resource: 'plain' })).status).toBe(200);
  expect(plans()).toHaveLength(before);
  expect((await apply('sketch')).status).toBe(200);
  expect(plans()).toHaveLength(before + 1);
});

it('keeps what exists when a change is refused', async () => {
  await made('shrinking');
  says(tooSmall);
  const refused = await apply('shrinking', { size: 3 });
  expect(refused).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'config', 'size'], msg: 'A disk cannot shrink; it has 5' }] },
  });
  expect(await stored('shrinking')).toMatchObject({
    config: { size: 5 },
    lifecycle_state: 'ready',
  });
  const replaced = await apply('shrinking', { size: 3 }, { query: '?replace=true&dry_run=true' });
  expect(replaced.headers['fairlead-plan'], 'the new object has no earlier size').toBe('replace');
});

const zoned: Rules = ({ config, previous_config: before }) =>
  before !== null && config['zone'] !== before['zone'] ? { replace: ['/zone'] } : {};

it('replaces what the provider cannot change, when that is permitted', async () => {
  await made('moved', { size: 5, zone: 'a' });
  says(zoned);
  const config = { size: 5, zone: 'b' };
  const refused = await apply('moved', config);
  expect(refused).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'config', 'zone'], type: 'immutable' }] },
  });
  expect(refused.text).toContain('replace=true');
  const planned = await apply('moved', config, { query: '?replace=true&dry_run=true' });
  expect(planned.headers).toMatchObject({
    'fairlead-plan': 'replace',
    'fairlead-forced-by': '/config/zone',
  });
  const batch = { resources: [body('moved', config)], replace: true };
  const plan = (await admin.post('/resources/batch?dry_run=true', batch)).body as {
    plan: string;
    resources: object[];
  };
  expect(plan.resources).toMatchObject([{ change: 'replace', forced_by: ['config.zone'] }]);
  const again = await admin.post('/resources/batch?dry_run=true', batch);
  expect(again.body, 'the digest is stable').toMatchObject({ plan: plan.plan });
  // An approved replacement is not carried out as an update, because the provider is silent by then.
  says(() => ({ error: 'out of order' }));
  const stale = await admin.post('/resources/batch', { ...batch, plan: plan.plan });
  expect(stale).toMatchObject({ status: 412, body: { code: 'plan_stale' } });
  says(zoned);
  const done = await admin.post('/resources/batch', { ...batch, plan: plan.plan });
  expect(done, done.text).toMatchObject({ status: 200 });
  await eventually(async () => {
    expect(await stored('moved')).toMatchObject({ lifecycle_state: 'ready', config });
  });
});

it('replaces the users of what the provider cannot change, and asks about them as new ones', async () => {
  await made('used', { size: 5, zone: 'a' });
  const user = { size: 5, from: of('used', 'url') };
  await made('user', user);
  says(zoned);
  const resources = [body('used', { size: 5, zone: 'b' }), body('user', user)];
  const before = plans().length;
  const planned = await admin.post('/resources/batch?dry_run=true', { resources, replace: true });
  expect(planned.body, planned.text).toMatchObject({
    resources: [
      { change: 'replace', forced_by: ['config.zone'] },
      { change: 'replace', forced_by: ['config.from'] },
    ],
  });
  expect(
    plans()
      .slice(before)
      .map(({ members }) => members),
  ).toMatchObject([
    [{ name: 'used', previous_config: { zone: 'a' } }],
    [
      { name: 'used', previous_config: null, outputs: {} },
      { name: 'user', previous_config: null, unknown: ['/from'] },
    ],
  ]);
});

it('asks once about all members of a type, and refuses all of them together', async () => {
  says(({ name }) => (name === 'm1' ? { refuse: [{ path: '/size', message: 'Too large' }] } : {}));
  const before = plans().length;
  const resources = ['m0', 'm1', 'm2'].map((name) => body(name));
  const place = ['body', 'resources', 1, 'config', 'size'];
  for (const query of ['', '?dry_run=true']) {
    const refused = await admin.post(`/resources/batch${query}`, { resources });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ loc: place, msg: 'Too large' }] },
    });
  }
  const set = await admin.send('PUT', '/sets/shop', { body: { resources } });
  expect(set, set.text).toMatchObject({ status: 422, body: { detail: [{ loc: place }] } });
  const asked = plans().slice(before);
  expect(asked.map(({ members }) => members.map(({ name }) => name))).toEqual(
    Array(3).fill(['m0', 'm1', 'm2']),
  );
  for (const name of ['m0', 'm1', 'm2']) expect(await isStored(name)).toBe(false);
});

it('names all that is wrong with a batch at once', async () => {
  says(() => ({ refuse: [{ path: '/size', message: 'No' }] }));
  const resources = [body('good'), body('bad', { size: 'x' })];
  const refused = await admin.post('/resources/batch', { resources });
  expect(refused).toMatchObject({
    status: 422,
    body: {
      detail: [
        { loc: ['body', 'resources', 0, 'config', 'size'], msg: 'No' },
        { loc: ['body', 'resources', 1, 'config', 'size'], type: 'int_type' },
      ],
    },
  });
});

it('accepts with a warning what could not be judged', async () => {
  says(() => ({ error: 'Cannot read properties of undefined' }));
  const accepted = await apply('doubtful');
  expect(accepted.status, accepted.text).toBe(200);
  expect(accepted.headers['warning']).toContain(
    'The rules of type disks/disk were not applied to disks/disk/doubtful: Cannot read properties of undefined; its event decides',
  );
  const batch = await admin.post('/resources/batch', { resources: [body('unsure')] });
  expect(batch).toMatchObject({
    status: 200,
    body: { resources: [{ warnings: [expect.stringContaining('were not applied')] }] },
  });
  provider.respond(({ body: event }, response) => {
    const isPlan = (event.event_type as string) === 'PLAN';
    const error = { code: 'not_an_event', message: 'What?' };
    answer(response, isPlan ? 400 : 200, isPlan ? { error } : { outputs });
  });
  const old = await apply('old-sdk');
  expect(old.status).toBe(200);
  expect(old.headers['warning']).toContain('does not know the request PLAN');
});

it('counts what is accepted without rules, by the reason', async () => {
  const counted = async (name: string, reason: string) => {
    const scraped = await fetch(`http://127.0.0.1:${api().metricsPort}/metrics`);
    const { value } = readExposition(await scraped.text());
    const labels = { organization: namespace, provider: name, type: 'disk', reason };
    return value('fairlead_author_rules_unapplied_total', labels) ?? 0;
  };
  const asked = [
    { of: 'idle', reason: 'no_process' },
    { of: 'disks', reason: 'failed', rules: () => ({ error: 'No luck' }) },
    { of: 'disks', reason: 'no_answer', status: 400 },
  ];
  for (const { of: name, reason, rules = () => ({}), status } of asked) {
    const before = await counted(name, reason);
    says(rules);
    if (status !== undefined) {
      const error = { code: 'not_an_event', message: 'No' };
      provider.respond((_, response) => answer(response, status, { error }));
    }
    expect(
      (await apply(`counted-${reason}`, undefined, { provider: name, query: '?dry_run=true' }))
        .status,
    ).toBe(200);
    expect(await counted(name, reason), reason).toBe(before + 1);
  }
  says(() => ({}));
  const failed = await counted('disks', 'failed');
  expect((await preview('judged')).status).toBe(200);
  expect(await counted('disks', 'failed'), 'rules that were applied').toBe(failed);
});

it('shows outputs that are known before, without secrets', async () => {
  says(({ name }) => ({ outputs: { url: `disk://${name}`, token: 'open sesame' } }));
  const batch = { resources: [body('foretold')] };
  const [planned] = (
    (await admin.post('/resources/batch?dry_run=true', batch)).body as { resources: object[] }
  ).resources;
  expect(planned).toMatchObject({ known_outputs: { url: 'disk://foretold', token: null } });
  const [shown] = (
    (await admin.post('/resources/batch?dry_run=true&secrets=show', batch)).body as {
      resources: object[];
    }
  ).resources;
  expect(shown).toMatchObject({ known_outputs: { token: 'open sesame' } });
});

it('shows what references supply, and says what is not known yet', async () => {
  await made('source');
  says(({ config }) => ({
    refuse: [{ path: '/zone', message: `${config['zone']} with ${config['password']} is taken` }],
  }));
  const config = {
    zone: of('source', 'token'),
    password: 'correct horse',
    from: of('later', 'url'),
  };
  const batch = { resources: [body('reader', config), body('later')] };
  const refused = await admin.post('/resources/batch', batch);
  expect(plans().at(-1)?.members).toMatchObject([
    {
      config: { zone: 'open sesame', password: 'correct horse', from: config.from },
      unknown: ['/from'],
      secrets: ['/config/zone'],
    },
    { name: 'later', unknown: [] },
  ]);
  const both = { resources: [body('reader', config), body('source', { size: 6 }), body('later')] };
  await admin.post('/resources/batch?dry_run=true', both);
  expect(plans().at(-1)?.members[0], 'an output may change with its resource').toMatchObject({
    config: { zone: config.zone },
    unknown: ['/zone', '/from'],
  });
  expect(refused.text).toContain('[masked] with [masked] is taken');
  expect(refused.text).not.toMatch(/sesame|horse/);
});

it('needs no answer of a provider that is not there, and says nothing', async () => {
  const accepted = await apply('asleep', undefined, { provider: 'idle' });
  expect(accepted.status, accepted.text).toBe(200);
  expect(accepted.headers['warning']).toBeUndefined();
});

it('[I7] does not wait for a provider that has not answered three times', async () => {
  const release = Promise.withResolvers<void>();
  provider.respond(async ({ body: event }, response) => {
    if ((event.event_type as string) === 'PLAN') await release.promise;
    answer(response, 200, { outputs });
  });
  const mute = (name: string) => apply(name, undefined, { provider: 'mute' });
  const before = plans().length;
  const waited = await Promise.all(['a', 'b', 'c'].map(mute));
  const began = performance.now();
  const unasked = await mute('d');
  expect(performance.now() - began, 'nobody waits').toBeLessThan(2_000);
  for (const each of [...waited, unasked]) {
    expect(each.status, each.text).toBe(200);
    expect(each.headers['warning']).toContain('its provider does not answer');
  }
  expect(plans()).toHaveLength(before + 3);
  release.resolve();
});
