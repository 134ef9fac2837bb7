// The bundle as users run it: what is in it, and what starting it loads. Both decide how fast it is, on any machine.
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildClient, librariesIn } from '../../../../packaging/client.ts';
import { bundledClient, newHome, spawnClient } from '../../../support/clients/client.ts';
import { newFolder } from '../../../support/runner/folder.ts';
import { listening } from '../../../support/servers/listening.ts';

it('holds the libraries of the client and nothing of the server', async () => {
  const folder = newFolder('bundle-');
  const metafile = await buildClient(join(folder, 'client.cjs'));
  // One other character makes the text twice as large in memory.
  expect(readFileSync(join(folder, 'client.cjs'), 'utf8')).toMatch(/^\p{ASCII}*$/u);
  expect(statSync(join(folder, 'client.cjs')).size).toBeLessThan(815_000);
  const allowed = ['ignore', 'oauth4webapi', 'openid-client', 'tar', 'yaml'];
  const ofTar = ['@isaacs/fs-minipass', 'chownr', 'minipass', 'minizlib', 'yallist'];
  const ofPush = ['@secretlint/secretlint-rule-preset-recommend'];
  const names = librariesIn(metafile).map((path) => path.replace(/^.*node_modules\//, ''));
  expect(names.filter((name) => ![...allowed, ...ofTar, ...ofPush].includes(name))).toEqual([]);
  const ours = Object.keys(metafile.inputs).filter((path) => path.startsWith('src/'));
  expect(
    ours.filter(
      (path) => !/^src\/(?:api|cli|client|credentials|domain|lib|tenant-schema)\//.test(path),
    ),
  ).toEqual([]);
});

it('loads neither undici nor the code of other commands for a request', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  const { url, stop } = await listening(server);
  onTestFinished(stop);
  const folder = newFolder('loaded-');
  const probe = join(folder, 'probe.cjs');
  writeFileSync(
    probe,
    "process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')));",
  );
  const argv = ['-r', probe, await bundledClient(), 'get', '-q'];
  const env = { HOME: folder, FAIRLEAD_URL: url, FAIRLEAD_TOKEN: 't' };
  const loaded = await new Promise<string>((done, failed) => {
    execFile(process.execPath, argv, { env }, (error, _stdout, stderr) => {
      if (error === null) done(stderr);
      else failed(error);
    });
  });
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toMatch(/undici|NativeModule (?:https|tls|child_process|sqlite|readline)/);
});

it('ends quietly when its reader leaves', async () => {
  const launcher = await bundledClient();
  const script = `"${process.execPath}" "${launcher}" help | head -1; echo "\${PIPESTATUS[0]}"`;
  const env = { PATH: process.env['PATH'], HOME: newHome() };
  const output = execFileSync('bash', ['-c', script], { env, encoding: 'utf8' });
  expect(output).toMatch(/^fairlead declares .*\n0\n$/);
});

it('ends with 130 on Ctrl-C', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const server = createServer(() => ask());
  const { url, stop } = await listening(server);
  onTestFinished(stop);
  const variables = { FAIRLEAD_URL: url, FAIRLEAD_TOKEN: 't' };
  const { child, result } = await spawnClient(['get'], { variables });
  await asked;
  child.kill('SIGINT');
  expect(await result).toMatchObject({ code: 130, stdout: '' });
});
