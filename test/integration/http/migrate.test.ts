// The migration of a config, asked of a provider that runs elsewhere: what it receives, and what its answers mean to callers.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { apiOfFile } from '../../support/fixtures/api/api-of-file.ts';
import {
  answer,
  type RecordingProvider,
  type Respond,
  recordingProvider,
} from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import type { ApiCaller } from '../../support/servers/served-api.ts';

const organization = 'migrate';
const api = apiOfFile();
const object = (properties: object) => ({
  type: 'object',
  properties,
  additionalProperties: false,
});
const type = {
  provider: 'disks',
  resource: 'disk',
  type_version: 3,
  schema: object({ sizeGib: { type: 'integer' } }),
  earlier_versions: [{ type_version: 1, schema: object({ size: { type: 'integer' } }) }],
};

let provider: RecordingProvider;
let admin: ApiCaller;

beforeAll(async () => {
  provider = await recordingProvider();
  admin = await api().caller(organization);
  await admin.get('/projects');
  const { namespace } = organizationOf(api().issuer.url, organization);
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  await client.create(kinds.provider, {
    apiVersion,
    kind: kinds.provider.kind,
    metadata: { name: 'disks', namespace },
    spec: { provider: 'disks', endpoint: provider.url },
  } as never);
  await client.close();
  expect((await admin.post('/resources/register', type)).status).toBe(200);
  expect((await admin.post('/resources/register', { ...type, provider: 'gone' })).status).toBe(200);
  provider.respond(says(200, { config: { sizeGib: 3 }, schema_version: 3 }));
  // The cache of the API has the Provider by then.
  await eventually(async () => expect((await migrate(1, { size: 3 })).status).toBe(200));
});

afterAll(() => provider?.close());

const says =
  (status: number, body: object): Respond =>
  (_receipt, response) =>
    answer(response, status, body);
const migrate = (from: number, config: object, name = 'disks/disk') =>
  admin.post(`/resources/types/${name}/migrate`, { from, config });

it('is asked with a signature of a published key, and references as they are', async () => {
  const config = { size: `\${disks/disk/a.outputs.size}` };
  provider.respond(says(200, { config: { sizeGib: config.size }, schema_version: 3 }));
  const migrated = await migrate(1, config);
  expect(migrated, migrated.text).toMatchObject({
    status: 200,
    body: { config: { sizeGib: config.size }, type_version: 3 },
  });
  const { headers, body } = provider.receipts.at(-1) ?? {};
  expect(body).toEqual({
    ...{ event_id: headers?.['ce-id'], event_type: 'MIGRATE', organization_id: organization },
    ...{ provider: 'disks', resource: 'disk', schema_version: 1, config },
  });
  const token = `${headers?.authorization}`.replace('Bearer ', '');
  const keys = (await api().stranger.get('/.well-known/jwks.json')).body as JSONWebKeySet;
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer: 'fairlead' });
  expect(payload).toMatchObject({ aud: `provider:${organization}/disks`, sub: body?.event_id });
});

it('validates a config of the newest version, and asks nobody', async () => {
  const before = provider.receipts.length;
  const same = await migrate(3, { sizeGib: 3 });
  expect(same).toMatchObject({ status: 200, body: { config: { sizeGib: 3 }, type_version: 3 } });
  const misfit = await migrate(3, { sizeGib: 'x' });
  expect(misfit).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'config', 'sizeGib'] }] },
  });
  expect(provider.receipts).toHaveLength(before);
});

const refused = (code: string) => ({ error: { code, message: 'Step 1 to 2: size is missing.' } });
const answers: Record<string, readonly [Respond, status: number, body: object]> = {
  'a migration that failed': [
    says(422, refused('migration_failed')),
    422,
    { code: 'migration_failed', detail: [{ msg: 'Step 1 to 2: size is missing.' }] },
  ],
  'a provider that does not know the request': [
    says(400, refused('not_an_event')),
    409,
    { code: 'conflict', detail: expect.stringContaining('push it with a newer SDK') },
  ],
  'a config that does not fit the newest version': [
    says(200, { config: { sizeGib: 'x' }, schema_version: 3 }),
    422,
    {
      code: 'migration_failed',
      detail: [{ loc: ['body', 'config', 'sizeGib'], msg: expect.stringContaining('version 3') }],
    },
  ],
  'success without a config': [says(200, { outputs: {} }), 422, { code: 'migration_failed' }],
  'another version than the one in force': [
    says(200, { config: {}, schema_version: 4 }),
    503,
    { code: 'unavailable' },
  ],
  'a redirect': [
    (_receipt, response) => void response.writeHead(302, { location: 'http://[::1]:1/' }).end(),
    503,
    { code: 'unavailable', detail: expect.stringContaining('redirect') },
  ],
  'more than 512 KiB': [
    says(200, { config: { sizeGib: 'x'.repeat(600_000) } }),
    503,
    { code: 'unavailable', detail: expect.stringContaining('larger than') },
  ],
};

it.each(Object.entries(answers))('tells of %s', async (_name, [respond, status, body]) => {
  provider.respond(respond);
  const answered = await migrate(1, { size: 3 });
  expect(answered, answered.text).toMatchObject({ status, body });
  if (status === 503) expect(answered.headers['retry-after']).toBe('5');
});

it('refuses what no provider could migrate', async () => {
  const unknown = await migrate(2, { size: 3 });
  expect(unknown).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'from'] }] } });
  expect(unknown.text).toContain('does not migrate from version 2; it has 1, 3');
  const misfit = await migrate(1, { sizeGib: 3 });
  expect(misfit).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'config', 'sizeGib'] }] },
  });
  expect(await migrate(1, {}, 'disks/dis')).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  const unserved = await migrate(1, {}, 'gone/disk');
  expect(unserved, unserved.text).toMatchObject({ status: 503, body: { code: 'unavailable' } });
});

it('limits the requests of an organization that a provider leaves open', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  provider.respond(async (_receipt, response) => {
    await held;
    answer(response, 200, { config: {}, schema_version: 3 });
  });
  const open = Array.from({ length: 9 }, () => migrate(1, {}));
  const first = await Promise.race(open);
  expect(first).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
  release();
  const statuses = (await Promise.all(open)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(8);
});
