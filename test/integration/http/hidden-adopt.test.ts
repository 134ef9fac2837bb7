// Secrets of `adopt` over HTTP: what the schema of a type marks there is hidden wherever a secret of a config is.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import {
  answer,
  type RecordingProvider,
  recordingProvider,
} from '../../support/fixtures/receipts.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { openEvents } from '../../support/runner/event-stream.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `adopt-${randomUUID().slice(0, 8)}`;
const canary = 'canary-5d20';
const adopt = { id: 'i-1', token: canary };
const path = '/resources/disks/disk/a';
let client: StreamingClient;
let api: ServedApi;
let provider: RecordingProvider;
let admin: ApiCaller;
let viewer: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;
let audited: string[] = [];

const register = (token: object) =>
  admin.post('/resources/register', {
    ...{ provider: 'disks', resource: 'disk', observe: true, listable: true, schema: {} },
    adopt_schema: { type: 'object', properties: { id: { type: 'string' }, token } },
  });
const secret = { type: 'string', writeOnly: true };
const apply = (name: string, more: object = {}) =>
  admin.post('/resources/apply', {
    ...{ provider: 'disks', resource: 'disk', name, config: {}, adopt },
    ...{ lifecycle_state: 'draft', ...more },
  });

beforeAll(async () => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
  api = await serveApi({ audit: (line) => audited.push(line) });
  provider = await recordingProvider();
  admin = await api.caller(organization);
  viewer = await api.caller(organization, { roles: ['viewer'] });
  objects = resourceObjects(api, organization);
  await register(secret);
  await client.create<Provider>(kinds.provider, {
    apiVersion,
    kind: kinds.provider.kind,
    metadata: { name: 'disks', namespace: organizationOf(api.issuer.url, organization).namespace },
    spec: { provider: 'disks', endpoint: provider.url },
  });
  await apply('a');
  const outputs = { host: 'h', url: `x://${canary}@h` };
  const status = { state: 'draft', reason: 'Draft', outputs, appliedConfig: {} } as const;
  await objects.says('disks/disk/a', { ...status, appliedSecrets: [] });
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
  await provider?.close();
  await client?.close();
});

describe.each([
  ['a resource', path],
  ['a list', '/resources/?limit=5'],
] as const)('%s', (_name, at) => {
  it('shows them to editors, with an audit line', async () => {
    audited = [];
    const reader = await api.caller(organization, { roles: ['editor'], sub: `reads-${at}` });
    const { text } = await reader.get(at);
    expect(text.split(canary)).toHaveLength(3);
    await eventually(() => expect(audited.join('')).toContain(`reads-${at}`));
    expect(audited.join('')).not.toContain(canary);
  });

  it.each([
    ['viewers', () => viewer, ''],
    ['editors who ask to hide secrets', () => admin, 'secrets=hide'],
  ] as const)('shows null and the paths to %s', async (_who, caller, query) => {
    const { text, body } = await caller().get(`${at}${at.includes('?') ? '&' : '?'}${query}`);
    expect(text).not.toContain(canary);
    expect([body].flat()[0]).toMatchObject({
      adopt: { id: 'i-1', token: null },
      outputs: { host: 'h', url: null },
      masked: ['/outputs/url', '/adopt/token'],
    });
  });
});

it('are hidden in watches, explanations and histories', async () => {
  const token = await api.issuer.token({ org_id: organization, roles: ['viewer'] });
  const stream = await openEvents(api, { token });
  try {
    await apply('c');
    await eventually(() => expect(stream.text).toContain('resource:disks_disk_c'));
    expect(stream.text).toContain('"masked":["/adopt/token"]');
    expect(stream.text).not.toContain(canary);
  } finally {
    stream.close();
  }
  const other = { adopt: { id: 'i-2', token: `${canary}-2` } };
  expect((await apply('c', other)).status).toBe(200);
  const at = '/resources/disks/disk/c';
  for (const each of ['history', 'history/1', 'history/2', 'explanation', 'events']) {
    for (const caller of [viewer, admin]) {
      expect((await caller.get(`${at}/${each}`)).text, each).not.toContain(canary);
    }
  }
  expect((await viewer.get(`${at}/history`)).body).toMatchObject([
    {
      changes: [
        { path: '/adopt/id', change: 'changed', before: 'i-1', after: 'i-2' },
        { path: '/adopt/token', change: 'changed' },
      ],
    },
    {},
  ]);
  expect(await objects.history('disks/disk/c')).not.toContain(canary);
});

it('are left out of a list of existing objects, and of what a preview reads', async () => {
  provider.respond((_receipt, response) => answer(response, 200, { items: [{ adopt }] }));
  const listed = await eventually(async () => {
    const found = await admin.get('/resources/types/disks/disk/existing');
    expect(found.status, found.text).toBe(200);
    return found;
  });
  expect(listed.body).toMatchObject([{ adopt: { id: 'i-1' }, managed_by: 'disks/disk/a' }]);
  expect(listed.text).not.toContain(canary);

  const found = { exists: true, config: {}, outputs: { host: 'h', url: `x://${canary}` } };
  provider.respond((_receipt, response) => answer(response, 200, found));
  const asked = { provider: 'disks', resource: 'disk', name: 'x', adopt };
  const { body } = await admin.post('/resources/preview-import', asked);
  // The request has it, and so has the apply that follows.
  expect(body).toMatchObject({ adopt });
  expect((body as { outputs: object }).outputs).toEqual({ host: 'h' });
});

it('stay hidden when a later schema marks nothing, also after an apply of another config', async () => {
  await register({ type: 'string' });
  const hidden = { adopt: { id: 'i-1', token: null }, outputs: { url: null } };
  expect((await viewer.get(path)).body).toMatchObject(hidden);
  expect((await apply('a', { config: { size: 2 }, adopt: undefined })).status).toBe(200);
  expect((await viewer.get(path)).body).toMatchObject({ config: { size: 2 }, ...hidden });
  await register(secret);
});

it('are everything while the type is not registered', async () => {
  await admin.post('/resources/apply', {
    ...{ provider: 'disks', resource: 'chest', name: 'a', config: {}, adopt },
    lifecycle_state: 'draft',
  });
  expect((await viewer.get('/resources/disks/chest/a')).body).toMatchObject({
    adopt: { id: null, token: null },
  });
});
