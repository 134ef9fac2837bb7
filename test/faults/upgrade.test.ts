// An upgrade from the release before, and back: the real programs of both, one after the other, on one API server. Nothing is
// sent twice, nothing is lost, and each continues what the other began.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { crdManifests } from '../../src/crds/manifest.ts';
import { createKubeClient, type StreamingClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { installCrds } from '../../src/kube/crd-installer.ts';
import { silentLog } from '../../src/lib/log.ts';
import { apiVersion, kinds } from '../../src/store/kinds.ts';
import { quickRetries } from '../support/faults/fault-fixture.ts';
import {
  fails,
  type Script,
  type ScriptedProvider,
  scriptedProvider,
  works,
} from '../support/faults/history/provider.ts';
import {
  before,
  hasReleaseBefore,
  type ReleaseBefore,
  releaseBefore,
  restoreDefinitions,
} from '../support/releases/release-before.ts';
import { eventually } from '../support/runner/eventually.ts';
import { type OwnControlPlane, ownControlPlane } from '../support/servers/control-plane.ts';
import { type LoopbackIssuer, startLoopbackIssuer } from '../support/servers/loopback-issuer.ts';
import { artifactsFolder, createReplica, type Replica } from '../support/servers/replica.ts';

const isHere = await hasReleaseBefore();
if (!isHere) {
  process.stderr.write(
    `Skipped: the upgrade from ${before.release}. It is not in the history here.\n`,
  );
}

const nextRelease = '0.2.0';

interface Record_ {
  readonly name: string;
  readonly lifecycle_state: string;
  readonly [field: string]: unknown;
}

let stack: AsyncDisposableStack;
let controlPlane: OwnControlPlane;
let client: StreamingClient;
let issuer: LoopbackIssuer;
let provider: ScriptedProvider;
let past: ReleaseBefore;
let token: string;
let namespace: string;
let replica: Replica;

/** By the last part of the name: `fails-…` until it is repaired, `waits-…` until it is released. */
const released = new Set<string>();
const script: Script = (event, earlier) => {
  const [behaviour = ''] = event.name.split('-');
  if (released.has(behaviour)) return works(event, earlier);
  if (behaviour === 'fails') return fails(422)(event, earlier);
  if (behaviour === 'waits') {
    return { status: 202, body: { retry_after: 0.5, message: 'working', context: { step: 1 } } };
  }
  return works(event, earlier);
};

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  if (!isHere) return;
  past = stack.use(await releaseBefore());
  controlPlane = await ownControlPlane();
  stack.defer(() => controlPlane.stop());
  client = createKubeClient(loadCluster({ kubeconfig: controlPlane.kubeconfig }));
  stack.defer(() => client.close());
  issuer = await startLoopbackIssuer();
  stack.defer(() => issuer.close());
  provider = await scriptedProvider(script);
  stack.defer(() => provider.close());
  token = await issuer.token({ org_id: 'upgraded', sub: 's-1', preferred_username: 'Ada' });
}, 120_000);
afterAll(() => stack.disposeAsync());

async function begin(release: 'past' | 'present'): Promise<void> {
  const folder = stack.use(await artifactsFolder());
  const settings = {
    kubeconfig: controlPlane.kubeconfig,
    issuers: [issuer.settings],
    systemNamespace: 'fairlead-system',
    identity: `replica-of-${release}`,
    artifactsFolder: folder.path,
    policy: quickRetries,
    eventTimeoutMs: 2_000,
    workers: 8,
    port: 0,
  };
  replica =
    release === 'past'
      ? createReplica(settings, past.main)
      : createReplica({ ...settings, shards: 2 });
  stack.defer(() => replica.kill());
  await replica.start();
}

async function ask(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await fetch(`${replica.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? null : JSON.parse(text),
  };
}

const baseOutput = (output: string) => `\${box/crate/base.outputs.${output}}`;

async function apply(
  name: string,
  config: object,
  state = 'pending',
  { headers = {}, options = {} } = {},
): Promise<void> {
  const tuple = { provider: 'box', resource: 'crate', name };
  const body = { ...tuple, config, lifecycle_state: state, ...options };
  // A new release answers 503 until it leads.
  await eventually(async () => {
    const { status, body: said } = await ask('POST', '/resources/apply', body, headers);
    expect(status, JSON.stringify(said)).toBe(200);
  });
}

async function records(): Promise<ReadonlyMap<string, Record_>> {
  const { status, body } = await ask('GET', '/resources/');
  expect(status, JSON.stringify(body)).toBe(200);
  return new Map((body as readonly Record_[]).map((each) => [each.name, each]));
}

async function become(wanted: Readonly<Record<string, string>>): Promise<void> {
  await eventually(async () => {
    const all = await records();
    const states = Object.keys(wanted).map((name) => [name, all.get(name)?.lifecycle_state]);
    expect(Object.fromEntries(states)).toEqual(wanted);
  }, 30_000);
}

/** What both releases show of every resource. */
async function shown(): Promise<unknown> {
  const fields = [
    'lifecycle_state',
    'config',
    'outputs',
    'error',
    'project_id',
    'dependencies',
    'tags',
  ];
  return [...(await records()).values()]
    .map((record) => [record.name, ...fields.map((field) => record[field])])
    .sort();
}

/** Subjects and names, which the release before neither shows nor removes. */
async function appliers(...names: readonly string[]): Promise<unknown> {
  const all = await records();
  return names.flatMap((name) =>
    ['applied_by', 'applied_by_name'].map((each) => all.get(name)?.[each]),
  );
}

const deliveriesTo = (name: string) =>
  provider.deliveries.filter((each) => each.name.endsWith(`/${name}`));
const eventsOf = (name: string) => new Set(deliveriesTo(name).map(({ eventId }) => eventId));

async function deadLetters(): Promise<readonly { resource_name: string; event_id: string }[]> {
  const { status, body } = await ask('GET', '/ops/dead-letter');
  expect(status, JSON.stringify(body)).toBe(200);
  return body as never;
}

async function retry(name: string): Promise<void> {
  const letter = (await deadLetters()).find((each) => each.resource_name === name);
  const { status } = await ask('POST', `/ops/dead-letter/${letter?.event_id}/retry`);
  expect(status).toBe(200);
}

it.skipIf(!isHere)('takes over from the release before, and gives back', async () => {
  await begin('past');
  await eventually(async () => {
    const type = { provider: 'box', resource: 'crate', description: 'A crate' };
    expect((await ask('POST', '/resources/register', type)).status).toBe(200);
  });
  ({ namespace } = (await ask('GET', '/auth/me')).body as { namespace: string });
  const box = { apiVersion, kind: 'Provider', metadata: { name: 'box', namespace } };
  await client.create(kinds.provider, {
    ...box,
    spec: { provider: 'box', endpoint: provider.url },
  } as never);

  await apply('base', { size: 1 });
  await apply('dependent', { of: baseOutput('made_by') });
  await apply('draft', { size: 1 }, 'draft');
  await apply('fails-past', { size: 1 });
  await apply('waits-past', { size: 1 });
  await become({ base: 'ready', dependent: 'ready', draft: 'draft', 'fails-past': 'failed' });
  await eventually(() => expect(deliveriesTo('waits-past').length).toBeGreaterThan(1));
  const ofPast = await shown();
  await replica.drain();

  const quiet = ['base', 'dependent', 'draft', 'fails-past'];
  const sent = () => quiet.map((name) => deliveriesTo(name).length);
  const sentByPast = sent();
  await installCrds(client, crdManifests(nextRelease), { log: silentLog });
  await begin('present');
  await become({ base: 'ready', dependent: 'ready', draft: 'draft', 'fails-past': 'failed' });
  expect(await shown()).toEqual(ofPast);
  expect(await appliers('base')).toEqual([null, undefined]);
  const polled = deliveriesTo('waits-past').length;
  await eventually(() => expect(deliveriesTo('waits-past').length).toBeGreaterThan(polled), 30_000);
  expect(eventsOf('waits-past').size).toBe(1);
  expect(sent()).toEqual(sentByPast);
  released.add('waits').add('fails');
  await become({ 'waits-past': 'ready' });
  await eventually(async () => {
    const { body } = await ask('GET', '/ops/dead-letter?group_by=error');
    expect(body).toMatchObject([{ count: 1 }]);
  });
  await retry('fails-past');
  await become({ 'fails-past': 'ready' });
  released.clear();

  // What 0.1.0 stored has no version of its type: it counts as version 1, and what nobody changes is not sent again.
  const earlier_versions = [{ type_version: 1, schema: { type: 'object' } }];
  const versioned = { provider: 'box', resource: 'crate', description: 'A crate' };
  const registered = { ...versioned, type_version: 2, earlier_versions };
  expect((await ask('POST', '/resources/register', registered)).status).toBe(200);
  const beforeApply = provider.deliveries.length;
  await apply('dependent', { of: baseOutput('made_by') });
  const { body: dependent } = await ask('GET', '/resources/resource:box_crate_dependent');
  expect(dependent).toMatchObject({ type_version: 1, lifecycle_state: 'ready' });
  expect(provider.deliveries.length).toBe(beforeApply);
  expect((await ask('POST', '/resources/register', versioned)).status).toBe(200);

  // What only this release stores.
  const { headers } = await ask('GET', '/resources/resource:box_crate_base');
  const same = { 'if-match': headers.get('etag') ?? '' };
  await apply('base', { size: 2 }, 'pending', { headers: same });
  await eventually(() => expect(eventsOf('dependent').size).toBe(2));
  await become({ base: 'ready', dependent: 'ready' });
  const beforeOptions = provider.deliveries.length;
  const ofDependent = { protected: true, deletion_policy: 'orphan' };
  const dependentConfig = { of: baseOutput('made_by') };
  await apply('dependent', dependentConfig, 'pending', { options: ofDependent });
  const kept = await ask('DELETE', '/resources/resource:box_crate_dependent?force=true');
  expect(kept).toMatchObject({ status: 409, body: { code: 'resource_protected' } });
  await client.patch(
    kinds.provider,
    { namespace, name: 'box' },
    {
      spec: {
        settings: { secret: 'provider-box-settings', revision: 'a', values: {}, entries: [] },
      },
    },
  );
  expect(provider.deliveries.length, 'options are no content').toBe(beforeOptions);
  await apply('new', { size: 1 });
  const options = { expires_at: '2099-01-01T00:00:00.000Z' };
  await apply('draft-2', { size: 1 }, 'draft', { options });
  await apply('fails-present', { size: 1 });
  await apply('waits-present', { size: 1 });
  await become({ new: 'ready', 'draft-2': 'draft', 'fails-present': 'failed' });
  await eventually(() => expect(deliveriesTo('waits-present').length).toBeGreaterThan(1));
  expect(await appliers('base', 'new')).toEqual(['s-1', 'Ada', 's-1', 'Ada']);
  const ofPresent = await shown();
  await replica.drain();

  quiet.push('new', 'draft-2', 'fails-present');
  const sentByPresent = sent();
  await restoreDefinitions(client, past);
  await begin('past');
  await become({ base: 'ready', new: 'ready', 'draft-2': 'draft', 'fails-present': 'failed' });
  expect(await shown()).toEqual(ofPresent);
  const polledBack = deliveriesTo('waits-present').length;
  await eventually(
    () => expect(deliveriesTo('waits-present').length).toBeGreaterThan(polledBack),
    30_000,
  );
  expect(eventsOf('waits-present').size).toBe(1);
  expect(sent()).toEqual(sentByPresent);
  released.add('waits').add('fails');
  await become({ 'waits-present': 'ready' });
  await retry('fails-present');
  await apply('draft-2', { size: 2 });
  await apply('draft', { size: 2 });
  await become({ 'fails-present': 'ready', 'draft-2': 'ready', draft: 'ready' });
  const again = await shown();
  const all = provider.deliveries.length;
  await replica.drain();

  await installCrds(client, crdManifests(nextRelease), { log: silentLog });
  await begin('present');
  await become({ base: 'ready', new: 'ready', 'draft-2': 'ready', 'fails-present': 'ready' });
  expect(await shown()).toEqual(again);
  expect(await appliers('new', 'draft')).toEqual(['s-1', 'Ada', null, undefined]);
  expect(provider.deliveries.length).toBe(all);
  // The definitions of 0.1.0 hide what it does not know. What it wrote meanwhile has lost that, and the rest shows it again.
  const back = await records();
  expect(back.get('dependent')).toMatchObject(ofDependent);
  expect(back.get('draft-2')).toMatchObject({ expires_at: null });
  const path = '/resources/resource:box_crate_dependent';
  expect((await ask('DELETE', path)).status).toBe(409);
  await apply('dependent', dependentConfig, 'pending', { options: { protected: false } });
  expect((await ask('DELETE', path)).status).toBe(204);
  await eventually(async () => expect((await records()).has('dependent')).toBe(false));
});
