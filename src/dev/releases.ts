// Official releases: Kubernetes' and etcd's own sites, every file checked against its published checksum before it is used.
import { createHash } from 'node:crypto';
import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { extract } from 'tar';
import type { Progress } from './progress.ts';

/** Why the releases cannot be used; the next source is tried. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}

const defaultKubernetesOrigin = 'https://dl.k8s.io';
const defaultEtcdOrigin = 'https://github.com/etcd-io/etcd/releases/download';
const kubernetesPrograms = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
] as const;

// A closed network often swallows packets instead of refusing them: nobody shall wait for that.
const firstAnswerMs = 4_000;
const wholeFileMs = 600_000;

interface Releases {
  readonly cacheFolder: string;
  /** Where the programs go; appears complete or not at all. */
  readonly folder: string;
  readonly kubernetesVersion: string;
  readonly etcdVersion: string;
  readonly kubernetesOrigin: string | undefined;
  readonly etcdOrigin: string | undefined;
  readonly progress: Progress;
}

/** @throws ReleaseError when anything is missing, cut off, or not what its checksum says */
export async function downloadReleases(releases: Releases): Promise<void> {
  const { cacheFolder, folder, kubernetesVersion, etcdVersion, progress } = releases;
  const platform = platformName();
  const kubernetes = `${releases.kubernetesOrigin ?? defaultKubernetesOrigin}/release/${kubernetesVersion}/bin/${platform.os}/${platform.arch}`;
  // The smallest question first: without an answer to it nothing else is worth asking.
  const firstSum = await text(`${kubernetes}/kubectl.sha256`);
  const work = mkdtempSync(join(cacheFolder, 'download-'));
  try {
    await progress.during(
      `Downloading Kubernetes ${kubernetesVersion} and etcd ${etcdVersion}`,
      async () => {
        for (const name of kubernetesPrograms) {
          const sum = name === 'kubectl' ? firstSum : await text(`${kubernetes}/${name}.sha256`);
          await download(`${kubernetes}/${name}`, join(work, name), sum.trim());
          chmodSync(join(work, name), 0o755);
        }
        await downloadEtcd(releases, work, platform);
      },
    );
    mkdirSync(join(folder, '..'), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function downloadEtcd(
  { etcdOrigin, etcdVersion }: Releases,
  work: string,
  { os, arch }: { os: string; arch: string },
): Promise<void> {
  const root = `${etcdOrigin ?? defaultEtcdOrigin}/${etcdVersion}`;
  const name = `etcd-${etcdVersion}-${os}-${arch}`;
  const archive = join(work, `${name}.tar.gz`);
  const sums = await text(`${root}/SHA256SUMS`);
  const line = sums.split('\n').find((each) => each.trim().endsWith(`${name}.tar.gz`));
  if (line === undefined)
    throw new ReleaseError(`there is no etcd ${etcdVersion} for ${os}/${arch}`);
  await download(`${root}/${name}.tar.gz`, archive, line.trim().split(/\s+/)[0] ?? '');
  await extract({ file: archive, cwd: work, strip: 1, filter: (path) => path === `${name}/etcd` });
  rmSync(archive);
}

async function ask(url: string): Promise<Response> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), firstAnswerMs);
  try {
    const whole = AbortSignal.timeout(wholeFileMs);
    const answer = await fetch(url, { signal: AbortSignal.any([silence.signal, whole]) });
    if (!answer.ok) throw new ReleaseError(`${new URL(url).host} answered ${answer.status}`);
    return answer;
  } catch (thrown) {
    if (thrown instanceof ReleaseError) throw thrown;
    throw new ReleaseError(`${new URL(url).host} cannot be reached`);
  } finally {
    clearTimeout(timer);
  }
}

async function text(url: string): Promise<string> {
  const answer = await ask(url);
  try {
    return await answer.text();
  } catch {
    throw new ReleaseError(`${new URL(url).host} broke off`);
  }
}

async function download(url: string, path: string, sha256: string): Promise<void> {
  const answer = await ask(url);
  if (answer.body === null) throw new ReleaseError(`${new URL(url).host} sent nothing`);
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await pipeline(
      Readable.fromWeb(answer.body as ReadableStream),
      hashing,
      createWriteStream(path),
    );
  } catch {
    throw new ReleaseError(`${new URL(url).host} broke off`);
  }
  if (hash.digest('hex') !== sha256)
    throw new ReleaseError(`a file from ${new URL(url).host} has a wrong checksum`);
}

function platformName(): { os: string; arch: string } {
  const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
  const arch = architectures[process.arch];
  if (arch === undefined || !['linux', 'darwin'].includes(process.platform)) {
    throw new ReleaseError(`there are none for ${process.platform}/${process.arch}`);
  }
  return { os: process.platform, arch };
}
