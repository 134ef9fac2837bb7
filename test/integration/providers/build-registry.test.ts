// A build with the real npm, where the only registry is one of the installation: a real HTTP server with one package.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeSandbox, PATH, runBuild } from '../../support/builds.ts';
import { packageFolder, shopCode, shopManifest } from '../../support/package-folder.ts';

const asked: string[] = [];
let tarball = Buffer.alloc(0);

const server = createServer((request, response) => {
  const { url = '' } = request;
  asked.push(url);
  if (url.endsWith('.tgz')) return void response.end(tarball);
  response.writeHead(404).end('{}');
});
let npm_config_registry = '';

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gear-'));
  await using packed = await packageFolder({
    'package/package.json': { name: 'gear', version: '1.0.0' },
    'package/index.js': 'export default 1;',
  });
  await create({ gzip: true, file: join(folder, 'gear.tgz'), cwd: packed.code }, ['package']);
  tarball = await readFile(join(folder, 'gear.tgz'));
  await rm(folder, { recursive: true });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  npm_config_registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await closeSandbox();
});

it('installs from it what a lock file has from the public one, regardless of .npmrc', async () => {
  await using folder = await packageFolder({
    'package.json': { ...shopManifest, dependencies: { gear: '1.0.0' } },
    'index.ts': shopCode,
    '.npmrc': 'registry=http://127.0.0.1:9/',
    'package-lock.json': {
      name: 'shop',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'shop', version: '1.0.0', dependencies: { gear: '1.0.0' } },
        'node_modules/gear': {
          version: '1.0.0',
          resolved: 'https://registry.npmjs.org/gear/-/gear-1.0.0.tgz',
          integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
        },
      },
    },
  });
  // No proxy, and no other way to packages.
  const { result, output } = await runBuild(folder, { env: { PATH, npm_config_registry } });
  expect(result, output).toMatchObject({ kind: 'built' });
  expect(output).toContain('$ npm ci');
  expect(asked).toEqual(['/npm/gear/-/gear-1.0.0.tgz']);
});
