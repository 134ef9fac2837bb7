// Where the control plane's programs come from, asked of a loopback server with the layout of the official sites.
import { createHash } from 'node:crypto';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { create } from 'tar';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  cachedFolder,
  etcdVersion,
  kubernetesVersion,
  programs,
  resolveBinaries,
} from '../../../src/dev/binaries.ts';
import { type ReleasePins, releasePins } from '../../../src/dev/release-pins.ts';
import { StartError } from '../../../src/domain/errors.ts';
import { eventually } from '../../support/runner/eventually.ts';

let folder: string;
let server: Server;
let origin: string;
let files: Map<string, Buffer>;
let asked: string[];
let pins: ReleasePins;

const arch = process.arch === 'x64' ? 'amd64' : 'arm64';
const os = process.platform;
const platform = `${os}-${arch}`;
const kubernetes = `/${kubernetesVersion}/kubernetes-server-${platform}.tar.gz`;
const etcdName = `etcd-${etcdVersion}-${platform}`;
const etcd = `/${etcdVersion}/${etcdName}.tar.gz`;
const sumOf = (hash: string, bytes: Buffer) => createHash(hash).update(bytes).digest('hex');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-binaries-'));
  files = new Map();
  asked = [];
  server = createServer((req, res) => {
    asked.push(req.url ?? '');
    const bytes = files.get(req.url ?? '');
    if (bytes === undefined) res.writeHead(404).end();
    else res.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  await publish();
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** An archive with a program of that name at each path. */
async function archiveOf(...paths: readonly string[]): Promise<Buffer> {
  const root = await mkdtemp(join(folder, 'release-'));
  for (const path of paths) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), `#!/bin/sh\necho ${basename(path)}\n`, { mode: 0o644 });
  }
  const file = join(root, 'archive.tar.gz');
  await create({ file, cwd: root, gzip: true }, [...paths]);
  const bytes = await readFile(file);
  await rm(root, { recursive: true });
  return bytes;
}

async function publish(): Promise<void> {
  const ofKubernetes = programs.filter((each) => each !== 'etcd');
  const server = await archiveOf(
    ...[...ofKubernetes, 'kubelet'].map((name) => `kubernetes/server/bin/${name}`),
  );
  const store = await archiveOf(`${etcdName}/etcd`, `${etcdName}/etcdctl`);
  files.set(kubernetes, server).set(etcd, store);
  pins = {
    kubernetes: { [kubernetesVersion]: { [platform]: sumOf('sha512', server) } },
    etcd: { [etcdVersion]: { [platform]: sumOf('sha256', store) } },
  };
}

function resolve(
  more: { kubebuilderAssets?: string; searchPath?: string; stop?: AbortSignal } = {},
) {
  return resolveBinaries({
    kubebuilderAssets: undefined,
    cacheFolder: join(folder, 'cache'),
    kubernetesOrigin: origin,
    etcdOrigin: origin,
    pins,
    // No Go anywhere.
    searchPath: '',
    progress: { note: () => undefined, during: (_text, work) => work() },
    ...more,
  });
}

async function cached(): Promise<string[]> {
  return await readdir(join(folder, 'cache')).catch(() => []);
}

it('downloads every program once, checks it, and finds it in the cache the next time', async () => {
  const binaries = await resolve();
  for (const name of programs) {
    expect(await readFile(binaries[name], 'utf8')).toContain(`echo ${name}`);
  }
  asked = [];
  expect(await resolve()).toEqual(binaries);
  expect(asked).toEqual([]);
  expect(await cached()).toEqual(['control-plane']);
});

const broken: Record<string, () => void | Promise<void>> = {
  'the archive of Kubernetes is another one than is pinned': async () => {
    files.set(kubernetes, await archiveOf('kubernetes/server/bin/kubectl'));
  },
  'the archive of etcd is another one than is pinned': async () => {
    const evil = await archiveOf(`${etcdName}/etcd`, 'evil');
    files.set(etcd, evil);
    // The checksum from the download site is not used.
    files.set(
      `/${etcdVersion}/SHA256SUMS`,
      Buffer.from(`${sumOf('sha256', evil)}  ${etcdName}.tar.gz`),
    );
  },
  'an archive is missing': () => {
    files.delete(kubernetes);
  },
  'a program is not in its archive': async () => {
    const lacking = await archiveOf('kubernetes/server/bin/kubectl');
    files.set(kubernetes, lacking);
    pins = {
      ...pins,
      kubernetes: { [kubernetesVersion]: { [platform]: sumOf('sha512', lacking) } },
    };
  },
  'no checksum is pinned for this platform': () => {
    pins = { ...pins, etcd: { [etcdVersion]: {} } };
  },
};

it.each(Object.entries(broken))('uses nothing of a release when %s', async (_why, damage) => {
  await damage();
  const failure = await resolve().catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(StartError);
  // Without a release and without Go, the error names what to install.
  expect((failure as Error).message).toMatch(/Install Go .* or set KUBEBUILDER_ASSETS/);
  expect(await cached()).toEqual([]);
});

it('takes what KUBEBUILDER_ASSETS names, when all is there, and asks nobody', async () => {
  const assets = join(folder, 'assets');
  await mkdir(assets);
  for (const name of programs) await writeFile(join(assets, name), '', { mode: 0o755 });
  expect((await resolve({ kubebuilderAssets: assets })).etcd).toBe(join(assets, 'etcd'));
  expect(asked).toEqual([]);
  await chmod(join(assets, 'kubectl'), 0o644);
  const elsewhere = await resolve({ kubebuilderAssets: assets });
  expect(elsewhere.kubectl).toBe(join(cachedFolder(join(folder, 'cache')), 'kubectl'));
});

it('pins the versions that it asks for, on Linux, and asks nobody about another', () => {
  const digest = (digits: number) => expect.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));
  const both = (digits: number) => ({
    'linux-amd64': digest(digits),
    'linux-arm64': digest(digits),
  });
  expect(releasePins).toEqual({
    kubernetes: { [kubernetesVersion]: both(128) },
    etcd: { [etcdVersion]: both(64) },
  });
});

it('starts that download at once use one folder, and a damaged one is made again', async () => {
  const both = await Promise.all([resolve(), resolve()]);
  expect(both[0]).toEqual(both[1]);
  expect(await cached()).toEqual(['control-plane']);
  await rm(both[0].kubectl);
  await access((await resolve()).kubectl);
});

it('ends a build that is stopped, and leaves nothing of it', async () => {
  files.clear();
  const started = join(folder, 'started');
  const go = `#!/bin/sh\necho $$ > ${started}.new && mv ${started}.new ${started}\nexec sleep 600\n`;
  await writeFile(join(folder, 'go'), go, { mode: 0o755 });
  const stopping = new AbortController();
  const building = resolve({ searchPath: folder, stop: stopping.signal });
  await eventually(() => access(started));
  stopping.abort();
  await expect(building).rejects.toThrow('aborted');
  const pid = Number(await readFile(started, 'utf8'));
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  expect(await cached()).toEqual([]);
});
