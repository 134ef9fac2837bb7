// `fairlead apply --replace`, `diff`, protection and expiry on a real API.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { contentHashOf } from '../../../src/store/resources/content.ts';
import { newHome, runClient } from '../../support/clients/client.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `replace-${randomUUID().slice(0, 8)}`;
const home = newHome();
let api: ServedApi;
let admin: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;
let variables: Readonly<Record<string, string>>;
let name: string;

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller(organization);
  const properties = { region: { type: 'string', immutable: true }, size: { type: 'number' } };
  const schema = { type: 'object', properties };
  await admin.post('/resources/register', { provider: 'box', resource: 'crate', schema });
  objects = resourceObjects(api, organization);
  const token = await api.issuer.token({ org_id: organization });
  variables = { FAIRLEAD_URL: `http://127.0.0.1:${api.port}`, FAIRLEAD_TOKEN: token };
});

afterAll(async () => {
  await objects?.close();
  await api?.close();
});

/** A resource that its provider has made. */
async function made(resource: string, more: object = {}): Promise<void> {
  const tuple = { provider: 'box', resource: 'crate', name: resource };
  const config = { region: 'eu', size: 1 };
  const body = { ...tuple, config, lifecycle_state: 'pending', ...more };
  expect((await admin.post('/resources/apply', body)).status).toBe(200);
  const ref = `box/crate/${resource}`;
  await objects.settled(ref);
  const content = contentHashOf((await objects.get(ref)).spec);
  await objects.says(ref, { state: 'ready', reason: 'Processed', appliedConfig: config, content });
}

beforeEach(async () => {
  name = `c${randomUUID().slice(0, 8)}`;
  await made(name);
});

const documentOf = (resource: string, config: string) =>
  `resource: box/crate/${resource}\nconfig: ${config}\n`;

async function client(words: string, ...documents: readonly string[]) {
  writeFileSync(join(home, 'a.yaml'), documents.join('---\n'));
  return await runClient([...words.split(' '), '-f', 'a.yaml'], { home, variables });
}

const specOf = async (resource = name) => (await objects.get(`box/crate/${resource}`)).spec;

it('refuses the change in the words of the client, and names the flag', async () => {
  const { code, stderr } = await client('apply', documentOf(name, '{region: us, size: 1}'));
  expect(code).toBe(2);
  expect(stderr).toContain('it changes 1 field that cannot change.');
  expect(stderr).toMatch(/a\.yaml:2:18 +config\.region +cannot change once the resource exists/);
  expect(stderr).toContain('To delete it and create it again: fairlead apply -f a.yaml --replace');
  expect(stderr).not.toMatch(/replace=true|"us"/);
  const piped = await runClient(['apply', '-f', '-'], {
    ...{ home, variables, input: documentOf(name, '{region: us}') },
  });
  expect(piped.stderr).toContain('To delete it and create it again, pass --replace.');
  expect(await specOf()).not.toHaveProperty('replace');
});

it('replaces with --replace, and only what an update cannot do', async () => {
  const other = `${name}-other`;
  await made(other);
  const documents = [
    documentOf(name, '{region: us, size: 2}'),
    documentOf(other, '{region: eu, size: 2}'),
  ];
  const diff = await client('diff', ...documents);
  expect(diff.stdout).toContain(
    `-/+ box/crate/${name}  replace: deleted, and created again\n    ~ config.region: "eu" → "us"  # forces replacement\n    ~ config.size: 1 → 2\n~ box/crate/${other}`,
  );
  expect(diff.stderr).toBe('2 resources: 0 to create, 1 to change, 1 to replace, 0 unchanged.\n');
  const planned = await client('apply --replace --dry-run -o json', ...documents);
  expect(JSON.parse(planned.stdout)).toMatchObject([
    { change: 'replace', forced_by: ['config.region'] },
    { change: 'update', forced_by: [] },
  ]);
  const { code, stdout, stderr } = await client('apply --replace --no-wait', ...documents);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`${name} +replaced`));
  expect(stdout).toMatch(new RegExp(`${other} +updated`));
  expect(stderr).toContain('# forces replacement');
  expect(await specOf()).toMatchObject({ replace: 1, config: { region: 'us' } });
  expect(await specOf(other)).not.toHaveProperty('replace');
});

it('refuses to replace a resource that is protected or used, and names why in the plan', async () => {
  const document = documentOf(name, '{region: us}');
  await made(`${name}-user`, {
    dependencies: [{ provider: 'box', resource: 'crate', name }],
  });
  const used = await client('apply --replace', document);
  expect(used.code).toBe(6);
  expect(used.stderr).toMatch(
    new RegExp(`^Error: .*/${name} is used by 1 resource: box/crate/${name}-user\\.\n`),
  );
  expect(used.stderr).toContain('Nothing was applied');
  expect(await runClient(['protect', `box/crate/${name}`], { home, variables })).toMatchObject({
    code: 0,
  });
  const kept = await client('apply --replace', document);
  expect(kept.code).toBe(6);
  expect(kept.stderr).toMatch(/^Error: .* is protected and cannot be replaced/);
  expect(kept.stderr).toContain(`If it may go: fairlead unprotect box/crate/${name}`);
  const diff = await client('diff -o json', document);
  expect(JSON.parse(diff.stdout)).toMatchObject([
    { change: 'replace', forced_by: ['config.region'], blocked_by: { code: 'resource_protected' } },
  ]);
  expect(await specOf()).not.toHaveProperty('replace');
});

it('names the resources that are protected before it deletes', async () => {
  const ref = `box/crate/${name}`;
  await runClient(['protect', ref], { home, variables });
  const only = await runClient(['delete', ref, '--force'], { home, variables });
  expect(only).toMatchObject({ code: 6, stderr: expect.stringContaining(`${ref} is protected`) });
  const several = await runClient(['delete', 'box/crate'], { home, variables });
  expect(several.stderr).toContain(`  ${ref}  protected\n`);
  expect(several.stderr).toMatch(new RegExp(`may go: fairlead unprotect .*${ref}`));
  const dry = await runClient(['delete', ref, '--dry-run'], { home, variables });
  expect(dry).toMatchObject({ code: 6, stderr: expect.stringContaining('fairlead unprotect') });
  const provider = await runClient(['provider', 'delete', 'box', '--cascade', '--yes'], {
    ...{ home, variables },
  });
  expect(provider).toMatchObject({ code: 6, stderr: expect.stringContaining(`  ${ref}\n`) });
});

it('sets, moves and clears the time of expiry', async () => {
  const document = documentOf(name, '{region: eu, size: 1}');
  const ref = `box/crate/${name}`;
  const first = await client('apply --ttl 2h', document);
  expect(first.stdout).toMatch(/options changed/);
  expect(first.stderr).toMatch(new RegExp(`^${ref} expires in 2h, at 20\\S+Z\\.\n`));
  const again = await client('apply --ttl 8h', document);
  expect(again.stderr).toContain(`so the time has moved: ${ref} (was in 2h).`);
  const { stdout } = await runClient(['get', ref], { home, variables });
  expect(stdout).toMatch(/^RESOURCE +STATE +AGE +OPTIONS[\s\S]*expires in 8h/);
  const unchanged = await client('apply', document);
  expect(unchanged.stdout).toMatch(/unchanged/);
  const yaml = await runClient(['get', ref, '-o', 'yaml'], { home, variables });
  expect(yaml.stdout).toMatch(/^expires_at: "20\S+Z"$/m);
  expect(await client('apply --expires never', document)).toMatchObject({ code: 0 });
  expect(await specOf()).not.toHaveProperty('expiresAt');
});

it.each([
  ['--expires tomorrow', /--expires must be never or a time such as/],
  ['--expires 2026-02-30T08:00:00', /--expires must be never or a time/],
  ['--ttl 0', /--ttl must be longer than 0/],
  ['--ttl soon', /--ttl must be a time such as/],
  ['--ttl 1h --expires never', /not both/],
])('refuses %s', async (flags, message) => {
  const result = await client(`apply ${flags}`, documentOf(name, '{}'));
  expect(result).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});
