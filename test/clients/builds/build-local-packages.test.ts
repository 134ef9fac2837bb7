// What `fairlead push` packs of a monorepo, built with the real npm: no folder around the provider is there.
import { execFile } from 'node:child_process';
import { cpSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { contentsOf } from '../../../src/cli/providers/pack/contents.ts';
import { selectFiles } from '../../../src/cli/providers/pack/selection.ts';
import { stage } from '../../../src/cli/providers/pack/staging.ts';
import { clientEnvironment } from '../../support/clients/client.ts';
import { buildEnvironment, closeBuilds, runBuild } from '../../support/fixtures/code/builds.ts';
import {
  type Files,
  type PackageFolder,
  packageFolder,
  shopCode,
} from '../../support/fixtures/code/package-folder.ts';

afterAll(closeBuilds);

const shop = {
  name: 'shop',
  version: '1.0.0',
  type: 'module',
  dependencies: { '@mono/lib': '^1.0.0', fairlead: '*' },
  devDependencies: { '@mono/config': '*' },
};
const monorepo: Files = {
  'package.json': { name: 'mono', private: true, workspaces: ['packages/*'] },
  '.gitignore': 'dist/',
  'packages/shop/package.json': shop,
  'packages/shop/index.ts': `import { title } from '@mono/lib';\n${shopCode.replace("'A cart'", 'title')}`,
  'packages/lib/package.json': {
    name: '@mono/lib',
    version: '1.2.0',
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    dependencies: { '@mono/core': '1.0.0', 'is-number': '7.0.0' },
    devDependencies: { 'no-such-package': '1.0.0' },
    peerDependencies: { fairlead: '*' },
  },
  'packages/lib/dist/index.js':
    "import { core } from '@mono/core';\nimport number from 'is-number';\nexport const title = core + typeof number;\n",
  'packages/core/package.json': { name: '@mono/core', version: '1.0.0', type: 'module' },
  'packages/core/index.js': "export const core = 'A cart of ';\n",
  'packages/config/package.json': { name: '@mono/config', version: '1.0.0' },
};

/** Packs a folder as a push does, and builds what would be uploaded. */
async function pushed(folder: string, provider: string) {
  const environment = clientEnvironment({ folder, home: folder, variables: {} });
  const root = join(folder, provider);
  const own = selectFiles(root, { usesGitignore: true, exclude: [], include: [] }, environment);
  const { signal } = new AbortController();
  const contents = await contentsOf(own, { admitted: [], environment });
  const selection = await stage(contents, signal);
  await using code = await packageFolder();
  cpSync(selection.root, code.code, { recursive: true });
  await selection.remove();
  const { result, output } = await runBuild(code);
  const installed = (path: string) => {
    const stat = lstatSync(join(code.code, 'node_modules', path), { throwIfNoEntry: false });
    return stat?.isDirectory() === true;
  };
  return {
    ...selection,
    result,
    output,
    installed: ['@mono/lib', '@mono/core', 'is-number', '@mono/config'].filter(installed),
  };
}

it('builds a provider of a workspace without a lock file', async () => {
  await using folder = await packageFolder(monorepo);
  const before = readFileSync(join(folder.code, 'packages/shop/package.json'), 'utf8');
  const { result, output, local, installed, warnings } = await pushed(folder.code, 'packages/shop');
  expect(result, output).toMatchObject({
    kind: 'built',
    types: [{ description: 'A cart of number' }],
  });
  expect(output).toContain('$ npm install');
  expect(local).toEqual([
    '@mono/lib 1.2.0 (../lib)',
    '@mono/config 1.0.0 (../config)',
    '@mono/core 1.0.0 (../core)',
  ]);
  expect(installed).toEqual(['@mono/lib', '@mono/core', 'is-number']);
  expect(warnings.join()).toContain('No package-lock.json has all dependencies');
  expect(readFileSync(join(folder.code, 'packages/shop/package.json'), 'utf8')).toBe(before);
});

/** @returns after npm has written a lock file */
async function lock(folder: PackageFolder, place: string): Promise<void> {
  const words = ['install', '--package-lock-only', '--no-audit', '--no-fund'];
  const env = { ...(await buildEnvironment()), HOME: folder.workspace };
  await promisify(execFile)('npm', words, { cwd: join(folder.code, place), env });
}

it('builds a provider with the lock file of its workspace', async () => {
  const lib = { ...(monorepo['packages/lib/package.json'] as object), peerDependencies: {} };
  await using folder = await packageFolder({
    ...monorepo,
    'packages/shop/package.json': { ...shop, dependencies: { '@mono/lib': '^1.0.0' } },
    'packages/lib/package.json': { ...lib, devDependencies: {} },
  });
  await lock(folder, '.');
  const { result, output, warnings } = await pushed(folder.code, 'packages/shop');
  expect(result, output).toMatchObject({ kind: 'built' });
  expect(output).toContain('$ npm ci');
  expect(warnings).toEqual([]);
});

it('builds a provider with a lock file of its own and a folder', async () => {
  await using folder = await packageFolder({
    '.git/HEAD': 'ref: refs/heads/main\n',
    'shop/package.json': { ...shop, dependencies: { core: 'file:../core' }, devDependencies: {} },
    'shop/index.ts': `import 'core';\n${shopCode}`,
    'core/package.json': { name: 'core', version: '1.0.0', type: 'module' },
    'core/index.js': '',
  });
  await lock(folder, 'shop');
  const { result, output, local } = await pushed(folder.code, 'shop');
  expect(result, output).toMatchObject({ kind: 'built' });
  expect(output).toContain('$ npm ci');
  expect(local).toEqual(['core 1.0.0 (../core)']);
});
