// `fairlead edit` on a real API: changes that others make while the editor is open.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newHome, spawnClient } from '../../support/clients/client.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `edit-${randomUUID().slice(0, 8)}`;
let api: ServedApi;
let admin: ApiCaller;

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller(organization);
  await admin.post('/resources/register', { provider: 'box', resource: 'crate' });
});

afterAll(() => api?.close());

const apply = (name: string, config: object) =>
  admin.post('/resources/apply', { provider: 'box', resource: 'crate', name, config });

/** Edits a resource: replaces a text, and saves once `meanwhile` is done. */
async function edit(name: string, [from, to]: readonly [string, string], meanwhile: () => unknown) {
  const home = newHome();
  const [opened, saved] = [join(home, 'opened'), join(home, 'saved')];
  const editor = join(home, 'editor');
  const script = `#!/bin/sh\ntouch ${opened}\nwhile [ ! -e ${saved} ]; do sleep 0.02; done\nsed -i 's/${from}/${to}/' "$1"\n`;
  writeFileSync(editor, script, { mode: 0o755 });
  const token = await api.issuer.token({ org_id: organization });
  const variables = {
    ...{ FAIRLEAD_URL: `http://127.0.0.1:${api.port}`, FAIRLEAD_TOKEN: token },
    ...{ EDITOR: editor, TMPDIR: home },
  };
  const { result } = await spawnClient(['edit', `box/crate/${name}`], { home, variables });
  await eventually(() => expect(existsSync(opened)).toBe(true));
  await meanwhile();
  writeFileSync(saved, '');
  return await result;
}

const configOf = async (name: string) => {
  const { body } = await admin.get(`/resources/box/crate/${name}`);
  return (body as { config: object }).config;
};

it('applies what was saved, also when only the status has changed meanwhile', async () => {
  await apply('quiet', { size: 1 });
  const objects = resourceObjects(api, organization);
  const annotate = () => objects.annotate('box/crate/quiet', { 'test.example/note': 'changed' });
  expect(await edit('quiet', ['size: 1', 'size: 2'], annotate)).toMatchObject({ code: 0 });
  expect(await configOf('quiet')).toEqual({ size: 2 });
  await objects.close();
});

it('keeps the text when the resource was changed meanwhile', async () => {
  await apply('busy', { size: 1 });
  const other = () => apply('busy', { size: 5 });
  const { code, stderr } = await edit('busy', ['size: 1', 'size: 2'], other);
  expect({ code, stderr }).toEqual({
    code: 6,
    stderr: expect.stringMatching(/box\/crate\/busy was changed while you edited it\./),
  });
  const [, kept = ''] = /fairlead apply -f (\S+)/.exec(stderr) ?? [];
  expect(readFileSync(kept, 'utf8')).toContain('size: 2');
  expect(await configOf('busy')).toEqual({ size: 5 });
});

it('applies nothing of a file that was not changed', async () => {
  await apply('same', { size: 1 });
  const { stderr } = await edit('same', ['nothing', 'else'], () => undefined);
  expect(stderr).toBe('box/crate/same is unchanged.\n');
});
