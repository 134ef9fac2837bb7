// Where the control plane's programs come from, asked of a loopback server with the layout of the official sites.
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  cachedFolder,
  etcdVersion,
  kubernetesVersion,
  programs,
  resolveBinaries,
} from '../../../src/dev/binaries.ts';
import { silentProgress } from '../../../src/dev/progress.ts';
import { StartError } from '../../../src/dev/start-error.ts';

let folder: string;
let server: Server;
let origin: string;
let files: Map<string, Buffer>;
let asked: string[];

const arch = process.arch === 'x64' ? 'amd64' : 'arm64';
const os = process.platform;
const kubernetes = `/release/${kubernetesVersion}/bin/${os}/${arch}`;
const etcdName = `etcd-${etcdVersion}-${os}-${arch}`;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

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

async function publish(): Promise<void> {
  for (const name of programs.filter((each) => each !== 'etcd')) {
    const bytes = Buffer.from(`#!/bin/sh\necho ${name}\n`);
    files.set(`${kubernetes}/${name}`, bytes);
    files.set(`${kubernetes}/${name}.sha256`, Buffer.from(sha256(bytes)));
  }
  await mkdir(join(folder, etcdName));
  await writeFile(join(folder, etcdName, 'etcd'), '#!/bin/sh\necho etcd\n', { mode: 0o755 });
  await create({ file: join(folder, 'etcd.tar.gz'), cwd: folder, gzip: true }, [etcdName]);
  const archive = await readFile(join(folder, 'etcd.tar.gz'));
  files.set(`/${etcdVersion}/${etcdName}.tar.gz`, archive);
  files.set(
    `/${etcdVersion}/SHA256SUMS`,
    Buffer.from(`${sha256(archive)}  ${etcdName}.tar.gz\n${'0'.repeat(64)}  other.zip\n`),
  );
}

function resolve(more: { kubebuilderAssets?: string } = {}) {
  return resolveBinaries({
    kubebuilderAssets: more.kubebuilderAssets,
    cacheFolder: join(folder, 'cache'),
    kubernetesOrigin: origin,
    etcdOrigin: origin,
    // No Go anywhere.
    searchPath: '',
    progress: silentProgress,
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

const broken: Record<string, () => void> = {
  'a program differs from its checksum': () => {
    files.set(`${kubernetes}/kube-scheduler`, Buffer.from('#!/bin/sh\necho evil\n'));
  },
  'the archive of etcd differs from its checksum': () => {
    files.set(`/${etcdVersion}/${etcdName}.tar.gz`, Buffer.from('not an archive'));
  },
  'a program is missing': () => {
    files.delete(`${kubernetes}/kube-apiserver`);
  },
  'there is no etcd for this platform': () => {
    files.set(`/${etcdVersion}/SHA256SUMS`, Buffer.from('0000  another.tar.gz\n'));
  },
};

it.each(Object.entries(broken))('uses nothing of a release when %s', async (_why, damage) => {
  damage();
  const failure = await resolve().catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(StartError);
  // Without a release and without Go, the sentence says what to install.
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
