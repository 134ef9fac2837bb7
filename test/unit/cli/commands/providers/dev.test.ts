import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { schemaChanges } from '../../../../../src/cli/commands/providers/dev.ts';
import { checkProvider } from '../../../../../src/cli/providers/dev/check.ts';
import { secretIn } from '../../../../../src/cli/providers/pack/secrets.ts';
import { readDeclarations } from '../../../../../src/cli/resources/declarations/declaration.ts';
import { clientEnvironment, newHome, runClient } from '../../../../support/clients/client.ts';

async function newProvider() {
  const home = newHome();
  const folder = join(home, 'crates');
  expect(await runClient(['init', 'crates'], { home })).toMatchObject({ code: 0 });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(
    resolve(import.meta.dirname, '../../../../../sdk'),
    join(folder, 'node_modules/fairlead'),
  );
  const edit = (from: string, to: string, file = 'src/greeting.ts') => {
    const path = join(folder, file);
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
  edit('return { text: textFor(config) };', 'return { text: String(Math.random()) };');
  const { code, stdout } = await dev();
  expect(stdout).toMatch(
    /✗ crates\/greeting[\s\S]*create, again with the same key: expected the same outputs/,
  );
  expect(code).toBe(1);
});

it('refuses the schemas that builds refuse, also of a type without an example', async () => {
  const { dev, edit, folder } = await newProvider();
  edit('.max(100)', '.max(100).regex(/^(?=w)/)');
  const { code, stdout } = await dev();
  expect(stdout).toMatch(/✗ crates\/greeting[\s\S]*schema of config at properties\.to\.pattern: /);
  expect(code).toBe(1);
  rmSync(join(folder, 'greeting.example.yaml'));
  expect(await dev()).toMatchObject({ code: 1, stdout: expect.stringContaining('lookaround') });
});

it('says what a build says of a mark that cannot work', async () => {
  const { dev, edit } = await newProvider();
  edit(".default('en')", ".default('en').meta({ immutable: true })");
  expect(await dev()).toMatchObject({ code: 0 });
  edit('.meta({ immutable: true })', '.meta({ immutable: true }).nullable()');
  const { code, stdout } = await dev();
  expect(stdout).toMatch(
    /^✗ Type greeting: its config cannot be used at properties\.language\.anyOf\.0\.immutable: .*mark language itself; in zod.*\n$/,
  );
  expect(code).toBe(1);
});

it('runs the migrations of a type on the examples of its earlier versions', async () => {
  const { dev, edit, folder } = await newProvider();
  edit("'A greeting',", "'A greeting',\n  version: 2,\n  migrations: [step],");
  edit(
    'export const greeting',
    `const text = z.object({ text: z.string() });
const step = from(1, { config: z.strictObject({ name: z.string() }), outputs: text }).to(
  ({ name }) => ({ to: name }),
  (outputs) => outputs,
);
export const greeting`,
  );
  edit('{ fail, z }', '{ fail, from, z }');
  const old = 'resource: crates/greeting/first\ntype_version: 1\nconfig:\n  name: ';
  writeFileSync(join(folder, 'greeting.v1.example.yaml'), `${old}moon\n`);
  expect(await dev()).toMatchObject({ code: 0 });
  writeFileSync(join(folder, 'greeting.v1.example.yaml'), `${old}"${'o'.repeat(101)}"\n`);
  const { code, stdout } = await dev();
  expect(stdout).toMatch(/create with a config of version 1: .*migration_failed: .*to/);
  expect(code).toBe(1);
});

it('checks only the types whose files changed, by what their modules import', async () => {
  const { folder, edit } = await newProvider();
  const greeting = readFileSync(join(folder, 'src/greeting.ts'), 'utf8');
  const farewell = greeting.replaceAll('greeting', 'farewell');
  writeFileSync(join(folder, 'src/farewell.ts'), farewell);
  edit('import {', "import { farewell } from './farewell.ts';\nimport {", 'src/index.ts');
  edit('types(greeting)', 'types(greeting, farewell)', 'src/index.ts');
  const example = readFileSync(join(folder, 'greeting.example.yaml'), 'utf8');
  writeFileSync(join(folder, 'farewell.example.yaml'), example.replaceAll('greeting', 'farewell'));
  const options = {
    environment: clientEnvironment({ folder }),
    signal: AbortSignal.timeout(30_000),
    print: () => undefined,
  };
  const first = await checkProvider(folder, undefined, options);
  const shown = ({ report }: typeof first) =>
    'types' in report && report.types.map(({ resource, isSkipped }) => [resource, isSkipped]);
  expect(shown(first)).toEqual([
    ['greeting', false],
    ['farewell', false],
  ]);
  edit('Hello', 'Good bye', 'src/farewell.ts');
  const second = await checkProvider(folder, first.round, options);
  expect(shown(second)).toEqual([
    ['greeting', true],
    ['farewell', false],
  ]);
  edit('{});', '{ concurrency: 4 });', 'src/provider.ts');
  expect(shown(await checkProvider(folder, second.round, options))).toEqual([
    ['greeting', false],
    ['farewell', false],
  ]);
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
  edit('{ provider }', '{ provider, z }', 'src/provider.ts');
  edit(
    '{});',
    '{ settings: z.object({ sign: z.string(), pool: z.int().default(1) }) });',
    'src/provider.ts',
  );
  edit(
    'async create({ config }) {',
    'async create({ config, settings }) {\n      if (settings.sign !== "!") throw new Error("no sign");',
  );
  expect((await dev()).stdout).toMatch(
    /settings: expected values that fit[\s\S]*sign is not set[\s\S]*settings\.local\.yaml beside package\.json; add "sign: …"\./,
  );
  writeFileSync(join(folder, 'settings.local.yaml'), 'sign: "!"\n');
  const { code, stdout } = await dev();
  expect(stdout).toMatch(/^✓ crates\/greeting/);
  expect(code).toBe(0);
  expect(secretIn(folder, 'settings.local.yaml')).toBe('may hold credentials');
});

it('stops the provider, and says when it cannot', async () => {
  const { dev, edit } = await newProvider();
  edit('{});', "{ stop() { console.log('The pool is closed'); } });", 'src/provider.ts');
  const { code, stderr } = await dev();
  expect(stderr).toContain('The pool is closed');
  expect(code).toBe(0);
  edit("console.log('The pool is closed')", "throw new Error('It is busy')", 'src/provider.ts');
  const failed = await dev();
  expect(failed.stdout).toMatch(/✗ crates\/greeting[\s\S]* stop: expected success, saw It is busy/);
  expect(failed.code).toBe(1);
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

it('takes the change of a resource from a second file, so that each can be applied', async () => {
  const { dev, edit, folder } = await newProvider();
  const [config, change] = ['greeting.example.yaml', 'greeting.changed.yaml'];
  const declared = readFileSync(join(folder, config), 'utf8');
  writeFileSync(join(folder, change), declared.replace('to: world', 'to: moon'));
  edit(
    'async update({ config }) {',
    "async update({ config }) {\n    if (config.to === 'moon') throw new Error('no moon');",
  );
  expect((await dev()).stdout).toContain('no moon');
  for (const file of [config, change]) {
    const documents = await readDeclarations([file], clientEnvironment({ folder }));
    expect(documents).toHaveLength(1);
  }
});

it('names the package unlike the provider, and writes a test', async () => {
  const { folder } = await newProvider();
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: 'provider-crates', exports: './src/index.ts' });
  expect(readFileSync(join(folder, 'fairlead.yaml'), 'utf8')).toBe('provider: crates\n');
  expect(manifest.scripts.test).toMatch(/^node --test/);
});

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
