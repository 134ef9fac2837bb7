// The three steps of a build as the processes they are in a pod, with the real listener and store behind them; and what
// they make, unpacked again and run.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactStore, Digest } from '../../../src/domain/providers/artifact.ts';
import { createInternalApp } from '../../../src/http/internal.ts';
import { type Listening, listen } from '../../../src/http/listen.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { openFilesystemStore } from '../../../src/providers/artifacts/filesystem.ts';
import { bytesOf } from '../../support/fixtures/artifacts/artifact-bytes.ts';
import { artifactKeys } from '../../support/fixtures/artifacts/artifact-keys.ts';
import { tarOf } from '../../support/fixtures/code/archives.ts';
import { buildEnvironment, closeBuilds } from '../../support/fixtures/code/builds.ts';
import { shopCode, shopManifest } from '../../support/fixtures/code/package-folder.ts';
import { bareEnvironment } from '../../support/runner/compile-cache.ts';
import { eventually } from '../../support/runner/eventually.ts';

const programOf = (name: string) =>
  fileURLToPath(new URL(`../../../src/providers/${name}/main.ts`, import.meta.url));

let folder: string;
let store: ArtifactStore;
let tokens: Awaited<ReturnType<typeof artifactKeys>>;
let listening: Listening;
let url: string;
let workspace: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-steps-'));
  store = await openFilesystemStore(
    { kind: 'filesystem', folder: join(folder, 'store') },
    systemClock,
  );
  tokens = await artifactKeys();
  const app = createInternalApp({ artifacts: store, tokens, clock: systemClock, log: silentLog });
  listening = await listen(app, { host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${listening.port}`;
});

afterAll(async () => {
  await closeBuilds();
  await listening?.close(0);
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  workspace = await mkdtemp(join(folder, 'workspace-'));
});

async function uploaded(files: Readonly<Record<string, string>>): Promise<Digest> {
  const entries = Object.entries(files).map(([path, body]) => ({ path, body }));
  const archive = gzipSync(tarOf(...entries));
  const staged = await store.put([archive] as never, { maxBytes: 10_000_000 });
  return (await staged.commit()).digest;
}

const download = (digest: Digest) => tokens.sign('acme/b', { direction: 'download', digest }, 60);
const upload = () => tokens.sign('acme/b', { direction: 'upload', maxBytes: 10_000_000 }, 60);

interface Step {
  readonly code: number | null;
  readonly result: unknown;
  readonly output: string;
}

async function step(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Step> {
  const messageFile = join(workspace, `message-${args[0]}`);
  const flags = ['--workspace', workspace, '--message-file', messageFile];
  const child = spawn(process.execPath, [programOf('build-step'), ...args, ...flags], {
    env: { ...(await buildEnvironment()), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  const message = await readFile(messageFile, 'utf8').catch(() => '{}');
  return { code, result: JSON.parse(message), output: stdout + stderr };
}

async function unpack(digest: Digest, signed: Digest = digest): Promise<Step> {
  const env = { FAIRLEAD_ARTIFACTS_TOKEN: await download(signed) };
  return await step(['unpack', '--url', url, '--digest', digest], env);
}

async function build(provider = 'shop'): Promise<Step> {
  const installed = await step(['install']);
  return installed.code === 0 ? await step(['build', '--provider', provider]) : installed;
}

async function publish(): Promise<Step> {
  return await step(['publish', '--url', url], {
    FAIRLEAD_ARTIFACTS_TOKEN: await upload(),
    FAIRLEAD_TYPES_TOKEN: await upload(),
  });
}

const shop = { 'package.json': JSON.stringify(shopManifest), 'index.ts': shopCode };

interface Refs {
  readonly artifact: { readonly digest: Digest; readonly size: number };
  readonly types: { readonly digest: Digest; readonly size: number };
}

async function published(): Promise<Refs> {
  for (const { code, output } of [await unpack(await uploaded(shop)), await build()]) {
    expect(code, output).toBe(0);
  }
  const { code, result, output } = await publish();
  expect(code, output).toBe(0);
  return result as Refs;
}

async function contentOf(digest: Digest): Promise<Buffer> {
  const content = await bytesOf(store, digest);
  if (content === undefined) throw new Error(`${digest} is not there`);
  return content;
}

describe('unpack, build and publish', () => {
  let first: Refs;
  beforeAll(async () => {
    workspace = await mkdtemp(join(folder, 'first-'));
    first = await published();
  });

  it('produce an artifact and a document of its types, and report both', async () => {
    const { artifact, types } = first;
    expect(await store.has(artifact.digest)).toBe(true);
    const document = await contentOf(types.digest);
    expect(document).toHaveLength(types.size);
    expect(JSON.parse(document.toString())).toEqual({
      types: [expect.objectContaining({ resource: 'cart', description: 'A cart' })],
    });
  });

  it('produce an artifact that a provider pod unpacks and runs', async () => {
    expect(await unpack(first.artifact.digest)).toMatchObject({ code: 0 });
    const flags = ['--provider', 'shop', '--organization', 'acme', '--fairlead', url];
    const child: ChildProcess = spawn(
      process.execPath,
      [
        programOf('runtime'),
        '--code',
        join(workspace, 'code'),
        ...flags,
        '--host',
        '127.0.0.1',
        '--port',
        '0',
        '--notice-ms',
        '0',
      ],
      { env: bareEnvironment, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      let output = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      const [, at = ''] = await eventually(() => {
        const found = /"url":"([^"]+)"/.exec(output);
        if (found === null) throw new Error(output);
        return found;
      });
      expect((await fetch(`${at}/readyz`)).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
  });

  it('are reproducible', async () => {
    expect(await published()).toEqual(first);
  });

  it('may be repeated after an aborted attempt', async () => {
    const digest = await uploaded(shop);
    await unpack(digest);
    await rm(join(workspace, 'code/index.ts'));
    expect(await unpack(digest)).toMatchObject({ code: 0 });
    await access(join(workspace, 'code/index.ts'));
  });
});

describe('a step that fails', () => {
  it('reports the error in the log and in the termination message', async () => {
    await unpack(await uploaded(shop));
    const { code, result, output } = await build('store');
    const message = 'The code defines provider "shop" but was pushed to "store"';
    expect(code).toBe(1);
    expect(result).toEqual({ code: 'other_provider', message });
    expect(output.trimEnd().split('\n').at(-1)).toBe(message);
  });

  it('rejects paths outside the workspace', async () => {
    const digest = await uploaded({ 'package.json': '{}', '../out': 'x' });
    const { code, result } = await unpack(digest);
    expect(code).toBe(1);
    expect(result).toMatchObject({ code: 'unpack_failed' });
    await expect(access(join(workspace, 'out'))).rejects.toThrow();
  });

  it('fails at once when its token is for another purpose, and shows neither token nor address', async () => {
    const digest = await uploaded(shop);
    const other = await uploaded({ ...shop, other: 'x' });
    const { code, result, output } = await unpack(digest, other);
    expect(code).toBe(1);
    expect(result).toEqual({
      code: 'unpack_failed',
      message: 'Fairlead rejected the transfer of the artifact (403)',
    });
    expect(output).not.toContain(url);
  });

  const links = { 'its code': 'code', 'its types': 'types.json' };
  it.each(Object.entries(links))('rejects a link in place of %s', async (_name, path) => {
    await unpack(await uploaded(shop));
    await build();
    await rm(join(workspace, path), { recursive: true });
    await symlink(
      path === 'code' ? '/proc/self/task' : '/proc/self/environ',
      join(workspace, path),
    );
    expect(await publish()).toMatchObject({ code: 1, result: { code: 'publish_failed' } });
  });

  const misuses = {
    'without a step': [],
    'with an unknown step': ['deploy', '--workspace', 'x'],
    'without a provider': ['build', '--workspace', 'x'],
    'without a token': ['publish', '--workspace', 'x', '--url', 'http://127.0.0.1:1'],
  };
  it.each(Object.entries(misuses))('prints the usage %s', async (_name, args) => {
    const child = spawn(process.execPath, [programOf('build-step'), ...args], {
      env: bareEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Usage: build-step/);
  });
});
