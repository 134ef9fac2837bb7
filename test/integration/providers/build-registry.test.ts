// A build with the real npm, where the only registry is one of the installation.
import { afterAll, expect, it } from 'vitest';
import { buildRegistry, closeBuilds, runBuild } from '../../support/fixtures/builds.ts';
import { packageFolder, shopCode, shopManifest } from '../../support/fixtures/package-folder.ts';

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
