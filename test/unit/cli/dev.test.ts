import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { schemaChanges } from '../../../src/cli/dev/schema-changes.ts';
import { secretIn } from '../../../src/cli/pack/secrets.ts';
import { newHome, runClient } from '../../support/clients/client.ts';

async function newProvider() {
  const home = newHome();
  const folder = join(home, 'crates');
  expect(await runClient(['init', 'crates'], { home })).toMatchObject({ code: 0 });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve(import.meta.dirname, '../../../sdk'), join(folder, 'node_modules/fairlead'));
  const edit = (from: string, to: string) => {
    const path = join(folder, 'index.ts');
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  const variables = { PATH: process.env['PATH'] ?? '' };
  const dev = async () => await runClient(['dev', '--once'], { home, folder, variables });
  return { folder, edit, dev };
}

it('passes the new provider of init', async () => {
  const { dev } = await newProvider();
  const { code, stdout, stderr } = await dev();
  expect(stdout, stderr).toMatch(/^✓ crates\/greeting {2}\d\.\ds\n$/);
  expect(code).toBe(0);
});

it('names the promises that a handler breaks', async () => {
  const { dev, edit } = await newProvider();
  edit('return { text: greeting(config) };', 'return { text: String(Math.random()) };');
  const { code, stdout } = await dev();
  expect(stdout).toMatch(
    /✗ crates\/greeting[\s\S]*create, again with the same key: expected the same outputs/,
  );
  expect(code).toBe(1);
});

it('shows code that cannot be imported', async () => {
  const { dev, edit } = await newProvider();
  edit('import {', "throw new Error('It is broken');\nimport {");
  const { code, stdout } = await dev();
  expect(stdout).toContain('It is broken');
  expect(code).toBe(1);
});

it('passes the settings of settings.local.yaml, and never uploads that file', async () => {
  const { dev, edit, folder } = await newProvider();
  edit(
    "export default provider('crates', [",
    "const settings = z.object({ sign: z.string() });\nexport default provider('crates', { settings, types: [",
  );
  edit(']);\n', ']});\n');
  edit("description: 'A greeting',", "description: 'A greeting',\n    settings,");
  edit(
    'async create({ config }) {',
    'async create({ config, settings }) {\n      if (settings.sign !== "!") throw new Error("no sign");',
  );
  expect((await dev()).stdout).toMatch(/settings: expected values that fit[\s\S]*sign is not set/);
  writeFileSync(join(folder, 'settings.local.yaml'), 'sign: "!"\n');
  const { code, stdout } = await dev();
  expect(stdout).toMatch(/^✓ crates\/greeting/);
  expect(code).toBe(0);
  expect(secretIn(folder, 'settings.local.yaml')).toBe('may hold credentials');
});

it.runIf(process.platform === 'linux')(
  '[C05] shows the settings to no other user, by arguments or environment',
  async () => {
    const { dev, edit, folder } = await newProvider();
    writeFileSync(join(folder, 'settings.local.yaml'), 'sign: canary-5f1d\n');
    // What the list of processes shows while the code is imported.
    edit(
      'import {',
      "import { readFileSync, writeFileSync } from 'node:fs';\nfor (const name of ['cmdline', 'environ']) writeFileSync(name, readFileSync('/proc/self/' + name));\nimport {",
    );
    expect(await dev()).toMatchObject({ code: 0 });
    const shown = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(shown('cmdline')).toContain('--eval');
    expect(`${shown('cmdline')}${shown('environ')}`).not.toContain('canary');
  },
);

it('does not write into a folder with files', async () => {
  const home = newHome();
  await runClient(['init', 'crates'], { home });
  expect(await runClient(['init', 'crates'], { home })).toMatchObject({ code: 6, stdout: '' });
  expect(await runClient(['init', 'No_Name'], { home })).toMatchObject({ code: 2 });
});

it('compares schemas by field', () => {
  const before = { type: 'object', properties: { size: { type: 'integer', maximum: 10 }, a: {} } };
  const after = {
    type: 'object',
    properties: { size: { type: 'integer', maximum: 20, minimum: 1 } },
  };
  expect(schemaChanges(before, after)).toEqual([
    '- properties.a: {}',
    '~ properties.size.maximum: 10 → 20',
    '+ properties.size.minimum: 1',
  ]);
});
