// `fairlead migrate` on a real API, with a provider that runs elsewhere and renames a field.
import { randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { newHome, runClient } from '../../support/clients/client.ts';
import {
  answer,
  type RecordingProvider,
  recordingProvider,
} from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `migrate-${randomUUID().slice(0, 8)}`;
const home = newHome();
const object = (properties: object) => ({
  type: 'object',
  properties,
  additionalProperties: false,
});
const first = object({ size: { type: 'integer' }, note: { type: 'string' } });
const second = object({ sizeGib: { type: 'integer', maximum: 9 }, note: { type: 'string' } });
const type = { provider: 'disks', resource: 'disk' };

let api: ServedApi;
let admin: ApiCaller;
let provider: RecordingProvider;
let token: string;

beforeAll(async () => {
  provider = await recordingProvider(({ body }, response) => {
    if (`${body.event_type}` !== 'MIGRATE') return answer(response, 200, { outputs: {} });
    const { size, ...rest } = body.config as { size?: number };
    if (size === 7) {
      const error = { code: 'migration_failed', message: 'Step 1 to 2: size 7 has no equal.' };
      return answer(response, 422, { error });
    }
    return answer(response, 200, { config: { sizeGib: size, ...rest }, schema_version: 2 });
  });
  api = await serveApi();
  admin = await api.caller(organization);
  token = await api.issuer.token({ org_id: organization });
  await admin.get('/projects');
  const { namespace } = organizationOf(api.issuer.url, organization);
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  const spec = { provider: 'disks', endpoint: provider.url };
  const head = { apiVersion, kind: kinds.provider.kind, metadata: { name: 'disks', namespace } };
  await client.create(kinds.provider, { ...head, spec } as never);
  await client.close();
  expect((await admin.post('/resources/register', { ...type, schema: first })).status).toBe(200);
  for (const [name, size] of Object.entries({ a: 1, b: 2 })) {
    const config = { size, note: name };
    const wanted = { ...type, name, config, lifecycle_state: 'pending' };
    expect((await admin.post('/resources/apply', wanted)).status).toBe(200);
  }
  await eventually(async () => {
    for (const name of ['a', 'b']) {
      const { body } = await admin.get(`/resources/disks/disk/${name}`);
      expect(body).toMatchObject({ lifecycle_state: 'ready', type_version: 1 });
    }
  });
  const earlier_versions = [{ type_version: 1, schema: first }];
  const versions = { ...type, type_version: 2, schema: second, earlier_versions };
  const registered = await admin.post('/resources/register', versions);
  expect(registered.status, registered.text).toBe(200);
});

afterAll(async () => {
  await api?.close();
  await provider?.close();
});

function fairlead(...argv: string[]) {
  const variables = {
    FAIRLEAD_URL: `http://127.0.0.1:${api.port}`,
    FAIRLEAD_TOKEN: token,
    SIZE: '4',
  };
  return runClient(argv, { home, variables });
}

function file(name: string, text: string): () => string {
  const path = join(home, name);
  writeFileSync(path, text);
  return () => readFileSync(path, 'utf8');
}

const old = `# the team's disks
resource: disks/disk/one
config:
  size: 3 # GiB
---
provider: disks
resource: disk
name: two
type_version: 1
config: {size: 4}
---
resource: disks/disk/three
config:
  sizeGib: 5
`;
const migrated = old
  .replace('size: 3', 'sizeGib: 3')
  .replace('size: 4', 'sizeGib: 4')
  .replace('type_version: 1', 'type_version: 2');

it('shows what it would write with --dry-run, then rewrites files and keeps their comments', async () => {
  const read = file('disks.yaml', old);
  chmodSync(join(home, 'disks.yaml'), 0o640);
  const preview = await fairlead('migrate', '-f', 'disks.yaml', '--dry-run');
  expect(preview, preview.stderr).toMatchObject({
    code: 0,
    stderr: 'Nothing was written: 2 documents of 3 in 1 file would be migrated.\n',
  });
  expect(preview.stdout).toContain('-   size: 3 # GiB\n+   sizeGib: 3 # GiB\n');
  expect(read()).toBe(old);
  const done = await fairlead('migrate', '-f', 'disks.yaml');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(done.stderr).toBe('2 documents of 3 in 1 file migrated.\n');
  expect(done.stdout).toMatch(/disks\/disk\/one +1 → 2 +migrated +disks\.yaml:2:1/);
  expect(done.stdout).toMatch(/disks\/disk\/three +2 +unchanged/);
  expect(read()).toBe(migrated);
  expect(statSync(join(home, 'disks.yaml')).mode & 0o777).toBe(0o640);
  const again = await fairlead('migrate', '-f', 'disks.yaml', '-o', 'json');
  expect(JSON.parse(again.stdout)).toContainEqual(
    expect.objectContaining({ resource: 'disks/disk/two', from: 2, to: 2, result: 'unchanged' }),
  );
  expect(read()).toBe(migrated);
});

const refusals: Record<string, readonly [text: string, code: number, says: string]> = {
  'a migration that fails': [
    'resource: disks/disk/x\nconfig: {size: 7}\n',
    2,
    'size 7 has no equal',
  ],
  'a config that fits no version': [
    'resource: disks/disk/x\nconfig: {sizes: 7}\n',
    2,
    'bad.yaml:2:10',
  ],
  'a result that does not fit': [
    'resource: disks/disk/x\nconfig: {size: 10}\n',
    2,
    'after the migration',
  ],
  'a version that the type lacks': ['resource: disks/disk/x\ntype_version: 3\n', 2, 'newer than 2'],
  'a type that nobody has': ['resource: disks/disc/x\n', 5, 'disks/disk'],
};

it.each(Object.entries(refusals))('writes nothing after %s', async (_name, [text, code, says]) => {
  const good = file('good.yaml', old);
  file('bad.yaml', text);
  const refused = await fairlead('migrate', '-f', 'good.yaml', '-f', 'bad.yaml');
  expect(refused, refused.stderr).toMatchObject({ code, stdout: '' });
  expect(refused.stderr).toContain(says);
  expect(refused.stderr).toContain('Nothing was written.');
  expect(good()).toBe(old);
});

it('asks before it applies the stored resources of a type in the newest form', async () => {
  const plan = await fairlead('migrate', 'disks/disk', '--dry-run');
  expect(plan, plan.stderr).toMatchObject({ code: 0 });
  expect(plan.stdout).toMatch(/disks\/disk\/a +update\n.*disks\/disk\/b +update/s);
  const unsure = await fairlead('migrate', 'disks/disk');
  expect(unsure.code, unsure.stderr).not.toBe(0);
  expect((await admin.get('/resources/disks/disk/a')).body).toMatchObject({ type_version: 1 });
  const done = await fairlead('migrate', 'disks/disk', '--yes', '--wait');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/disks\/disk\/a +updated +✓ ready/);
  const { body } = await admin.get('/resources/disks/disk/a');
  expect(body).toMatchObject({ type_version: 2, config: { sizeGib: 1, note: 'a' } });
  const again = await fairlead('migrate', 'disks/disk', '--yes');
  expect(again).toMatchObject({
    code: 0,
    stderr: 'No resource of disks/disk has a version before 2.\n',
  });
});
