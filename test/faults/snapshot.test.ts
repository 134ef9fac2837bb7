// An upgrade from a recorded snapshot: this program takes over the objects that an earlier commit stored, sends nothing twice, loses
// nothing, and continues what that one began. `npm run update:snapshot` records it.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Resource, ResourceStatus } from '../../src/crds/resource.ts';
import { kinds } from '../../src/store/kinds.ts';
import { fails, type Script, works } from '../support/faults/history/provider.ts';
import { definitions } from '../support/releases/definitions.ts';
import { anInstallation, type Installation } from '../support/releases/installation.ts';
import {
  readSnapshot,
  restore,
  type Snapshot,
  storedIn,
  writeSnapshot,
} from '../support/releases/snapshot.ts';
import { eventually } from '../support/runner/eventually.ts';

const isRecording = process.env['UPDATE_SNAPSHOT'] === 'true';
const snapshot = readSnapshot();

/** By the first part of the name: `fails-…` and `waits-…` until they are released. */
let isReleased = false;
const script: Script = (event, earlier) => {
  const [behaviour = ''] = event.name.split('-');
  if (event.event_type === 'OBSERVE') {
    const { config, name } = event;
    const found = { exists: true, config, outputs: { url: `box://${name}` } };
    return { status: 200, body: behaviour === 'absent' ? { exists: false } : found };
  }
  if (isReleased) return works(event, earlier);
  if (behaviour === 'fails') return fails(422)(event, earlier);
  if (behaviour === 'waits') {
    return { status: 202, body: { retry_after: 0.5, message: 'working', context: { step: 1 } } };
  }
  return works(event, earlier);
};

let installation: Installation;
beforeAll(async () => {
  installation = await anInstallation(script);
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

const states = {
  base: 'ready',
  dependent: 'ready',
  draft: 'draft',
  'fails-once': 'failed',
  'waits-once': 'processing',
  imported: 'ready',
  seen: 'ready',
  'absent-seen': 'pending',
  Options: 'ready',
};

/** Volatile fields are those of times, and what an attempt counts. */
async function shown(): Promise<unknown> {
  const fields = [
    ...['lifecycle_state', 'reason', 'config', 'outputs', 'error', 'project_id', 'dependencies'],
    ...['tags', 'type_version', 'protected', 'expires_at', 'deletion_policy', 'observe'],
    ...['management', 'adopt', 'drift', 'applied_by', 'applied_by_name'],
  ];
  return [...(await installation.records()).values()]
    .map((record) => [record.name, ...fields.map((field) => record[field] ?? null)])
    .sort();
}

const deliveriesTo = (name: string) =>
  installation.provider.deliveries.filter((each) => each.name.endsWith(`/${name}`));

it.runIf(isRecording)(
  'is recorded',
  async () => {
    const { apply, ask, become, found } = installation;
    await installation.begin('present');
    const namespace = await found();
    const type = { provider: 'box', resource: 'crate', observe: true, observe_every: '7d' };
    expect((await ask('POST', '/resources/register', type)).status).toBe(200);
    const project = await ask('POST', '/projects', { name: 'Web shop' });
    expect(project.body).toMatchObject({ project_id: 'web-shop' });

    await apply('base', { size: 1 });
    await become({ base: 'ready' });
    await apply('base', { size: 2 });
    const made_by = `\${box/crate/base.outputs.made_by}`;
    await apply('dependent', { of: made_by }, { options: { tags: ['a'] } });
    await apply('draft', { size: 1 }, { state: 'draft' });
    await apply('fails-once', { size: 1 });
    await apply('waits-once', { size: 1 });
    await apply('imported', { size: 2 }, { options: { adopt: { id: 'i-1' } } });
    await apply('seen', { size: 3 }, { options: { management: 'observed' } });
    await apply('absent-seen', { size: 3 }, { options: { management: 'observed' } });
    const expires_at = '2099-01-01T00:00:00.000Z';
    const observe = { every: '7d', ignore: ['/size'], on_drift: 'correct' };
    await apply(
      'Options',
      { size: 4 },
      { options: { project_id: 'web-shop', expires_at, deletion_policy: 'orphan', observe } },
    );
    await become(states);
    await eventually(() => expect(deliveriesTo('waits-once').length).toBeGreaterThan(1));
    const records = await shown();
    await installation.end();
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    const stored = await storedIn(installation.etcdSocket, namespace);
    const recordedAt = new Date().toISOString();
    const accepted = definitions();
    writeSnapshot({ commit, recordedAt, definitions: accepted, stored, shown: records });
  },
  120_000,
);

it.runIf(!isRecording)('is taken over', async () => {
  if (snapshot === undefined) throw new Error('no snapshot; record it: npm run update:snapshot');
  const { apply, become, ask, client, provider } = installation;
  await installation.install();
  await restore(installation.etcdSocket, snapshot, new Date());
  const [namespace = ''] = Object.keys(snapshot.stored).flatMap(
    (key) => /^\/registry\/fairlead.dev\/providers\/([^/]+)/.exec(key)?.[1] ?? [],
  );
  const box = { namespace, name: 'box' };
  await eventually(() => client.patch(kinds.provider, box, { spec: { endpoint: provider.url } }));
  await installation.begin('present');
  await become(states);
  expect(await shown()).toEqual(snapshot.shown);

  await eventually(() => expect(deliveriesTo('waits-once').length).toBeGreaterThan(1));
  const events = new Set(deliveriesTo('waits-once').map(({ eventId }) => eventId));
  expect([...events], 'the operation of before').toEqual([
    eventOf(snapshot, namespace, 'waits-once'),
  ]);
  const quiet = Object.keys(states).filter((name) => name !== 'waits-once');
  expect(quiet.flatMap(deliveriesTo), 'what is settled').toEqual([]);

  // Resources of before a type had an identity have none in their status: their outputs have it.
  await register({ identity: { outputs: { id: '/config/size' }, adopt: { id: '/id' } } });
  await isTaken(2, 'box/crate/base');
  expect(quiet.flatMap(deliveriesTo), 'what has an identity since').toEqual([]);
  await apply('base', { size: 5 });
  const base = { namespace, name: 'box.crate.base' };
  await eventually(async () => {
    const stored = await client.get<Resource>(kinds.resource, base);
    expect(stored.status?.identity).toMatch(/^[0-9a-f]{32}$/);
    // As an earlier program writes it.
    const { identity: _, ...status } = stored.status as ResourceStatus;
    await client.replaceStatus<Resource>(kinds.resource, { ...stored, status });
  });
  await isTaken(5, 'box/crate/base');
  await register({});

  isReleased = true;
  await become({ 'waits-once': 'ready' });
  const letters = await ask('GET', '/ops/dead-letter');
  expect(letters.body).toMatchObject([{ resource_name: 'fails-once' }]);
  const [{ event_id: letter }] = letters.body;
  expect((await ask('POST', `/ops/dead-letter/${letter}/retry`)).status).toBe(200);
  await become({ 'fails-once': 'ready' });
  const revisions = await ask('GET', '/resources/resource:box_crate_base/history');
  expect(revisions.status).toBe(200);
  expect((await ask('DELETE', '/resources/resource:box_crate_dependent')).status).toBe(204);
  await eventually(async () => expect((await installation.records()).has('dependent')).toBe(false));
  expect((await ask('DELETE', '/resources/resource:box_crate_base')).status).toBe(204);
  await eventually(async () => expect((await installation.records()).has('base')).toBe(false));
});

const crate = { provider: 'box', resource: 'crate' };

async function register(more: object): Promise<void> {
  const type = { ...crate, observe: true, observe_every: '7d', ...more };
  expect((await installation.ask('POST', '/resources/register', type)).status).toBe(200);
}

async function isTaken(id: number, by: string): Promise<void> {
  const imported = {
    ...crate,
    name: 'twin',
    config: {},
    lifecycle_state: 'pending',
    adopt: { id },
  };
  await eventually(async () => {
    const refused = await installation.ask('POST', '/resources/apply?dry_run=true', imported);
    expect(refused).toMatchObject({ status: 409, body: { code: 'object_taken' } });
    expect(refused.body.detail).toContain(`Resource ${by} `);
  });
}

function eventOf({ stored }: Snapshot, namespace: string, name: string): unknown {
  const key = `/registry/fairlead.dev/resources/${namespace}/box.crate.${name}`;
  const { status } = stored[key] as { status: { event: { id: string } } };
  return status.event.id;
}
