// A build with the real npm, where the only registry is one of the installation.
import { execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { npmrcOf } from '../../../src/domain/providers/registries.ts';
import { buildRegistry, closeBuilds, runBuild } from '../../support/fixtures/code/builds.ts';
import {
  packageFolder,
  shopCode,
  shopManifest,
} from '../../support/fixtures/code/package-folder.ts';
import { startNpmRegistry } from '../../support/servers/npm-registry.ts';

afterAll(closeBuilds);

it('installs packages that a lock file has from the public registry, whatever .npmrc names', async () => {
  const registry = await buildRegistry();
  await using folder = await packageFolder({
    'package.json': { ...shopManifest, dependencies: { 'is-number': '7.0.0' } },
    'index.ts': shopCode,
    '.npmrc': 'registry=http://127.0.0.1:9/',
    'package-lock.json': {
      name: 'shop',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'shop', version: '1.0.0', dependencies: { 'is-number': '7.0.0' } },
        'node_modules/is-number': {
          version: '7.0.0',
          resolved: 'https://registry.npmjs.org/is-number/-/is-number-7.0.0.tgz',
          integrity: await registry.integrity('is-number'),
        },
      },
    },
  });
  const { result, output } = await runBuild(folder);
  expect(result, output).toMatchObject({ kind: 'built' });
  expect(output).toContain('$ npm ci');
  expect(registry.requests).toEqual(['is-number/-/is-number-7.0.0.tgz']);
});

it('installs packages of a private registry, and leaves its token nowhere', async () => {
  const token = 'token-of-ci-4711';
  await using registry = await startNpmRegistry([{ name: '@acme/lib', version: '1.0.0' }], token);
  const show = 'cat "$npm_config_userconfig"; printenv | grep -i acme';
  await using folder = await packageFolder({
    'package.json': {
      ...shopManifest,
      dependencies: { '@acme/lib': '1.0.0' },
      scripts: { postinstall: `${show}; true`, build: `${show}; true` },
    },
    'index.ts': `import '@acme/lib';\n${shopCode}`,
  });
  const denied = await runBuild(folder);
  expect(denied.result).toMatchObject({ kind: 'failed' });

  const registries = await mkdtemp(join(folder.workspace, 'mounted-'));
  await writeFile(join(registries, 'acme'), npmrcOf('@acme', registry.url, token));
  const { result, output } = await runBuild(folder, { registries });
  expect(result, output).toMatchObject({ kind: 'built' });
  expect(registry.requests).toContain('@acme/lib/-/lib-1.0.0.tgz');
  expect(output).not.toContain(token);
  const found = execFileSync('sh', ['-c', `grep -rl "${token}" . || true`], {
    cwd: folder.workspace,
    encoding: 'utf8',
  });
  expect(found.split('\n').filter((path) => !/^(?:\.\/mounted-.*)?$/.test(path))).toEqual([]);
});
