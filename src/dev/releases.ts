// Downloads official releases from the sites of Kubernetes and etcd, and verifies every file against its pinned checksum.
import { createHash } from 'node:crypto';
import { chmodSync, createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { extract } from 'tar';
import type { StartProgress } from './progress.ts';
import { publishFolder } from './publish-folder.ts';
import type { ReleasePins } from './release-pins.ts';

/** The releases cannot be used; the next source is tried. */
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

// A closed network often drops packets silently; this bounds the wait.
const firstAnswerMs = 4_000;
const wholeFileMs = 600_000;

interface Releases {
  readonly cacheFolder: string;
  /** The target folder; it appears complete or not at all. */
  readonly folder: string;
  readonly kubernetesVersion: string;
  readonly etcdVersion: string;
  readonly kubernetesOrigin: string | undefined;
  readonly etcdOrigin: string | undefined;
  readonly pins: ReleasePins;
  readonly progress: StartProgress;
}

interface ReleaseArchive {
  readonly url: string;
  readonly hash: 'sha256' | 'sha512';
  readonly sum: string;
  /** Paths to extract. */
  readonly members: readonly string[];
}

/** @throws ReleaseError when a file is missing, truncated, or does not match its checksum */
export async function downloadReleases(releases: Releases): Promise<void> {
  const { cacheFolder, folder, kubernetesVersion, etcdVersion, progress } = releases;
  const archives = archivesOf(releases, platformName());
  const work = mkdtempSync(join(cacheFolder, 'download-'));
  try {
    await progress.during(
      `Downloading Kubernetes ${kubernetesVersion} and etcd ${etcdVersion}`,
      async () => {
        for (const archive of archives) await unpackRelease(archive, work);
      },
    );
    publishFolder(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function archivesOf(releases: Releases, platform: string): readonly ReleaseArchive[] {
  const { kubernetesVersion, etcdVersion, pins } = releases;
  const { kubernetesOrigin = defaultKubernetesOrigin, etcdOrigin = defaultEtcdOrigin } = releases;
  const kubernetesSum = pins.kubernetes[kubernetesVersion]?.[platform];
  const etcdSum = pins.etcd[etcdVersion]?.[platform];
  if (kubernetesSum === undefined || etcdSum === undefined) {
    throw new ReleaseError(`no checksum is pinned for ${platform}`);
  }
  const etcd = `etcd-${etcdVersion}-${platform}`;
  return [
    {
      url: `${etcdOrigin}/${etcdVersion}/${etcd}.tar.gz`,
      hash: 'sha256',
      sum: etcdSum,
      members: [`${etcd}/etcd`],
    },
    {
      url: `${kubernetesOrigin}/${kubernetesVersion}/kubernetes-server-${platform}.tar.gz`,
      hash: 'sha512',
      sum: kubernetesSum,
      members: kubernetesPrograms.map((name) => `kubernetes/server/bin/${name}`),
    },
  ];
}

/** An archive is only read after it was verified completely. */
async function unpackRelease(
  { url, hash, sum, members }: ReleaseArchive,
  work: string,
): Promise<void> {
  const file = join(work, 'archive.tar.gz');
  await downloadRelease(url, file, { hash, sum });
  for (const member of members) {
    const strip = member.split('/').length - 1;
    await extract({ file, cwd: work, strip, filter: (path) => path === member });
    const program = join(work, basename(member));
    if (!existsSync(program)) throw new ReleaseError(`its archive does not contain ${member}`);
    chmodSync(program, 0o755);
  }
  rmSync(file);
}

async function fetchRelease(url: string): Promise<Response> {
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

async function downloadRelease(
  url: string,
  path: string,
  { hash: algorithm, sum }: Pick<ReleaseArchive, 'hash' | 'sum'>,
): Promise<void> {
  const answer = await fetchRelease(url);
  if (answer.body === null) throw new ReleaseError(`${new URL(url).host} sent an empty response`);
  const hash = createHash(algorithm);
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
    throw new ReleaseError(`${new URL(url).host} closed the connection`);
  }
  if (hash.digest('hex') !== sum)
    throw new ReleaseError(`the checksum of a file from ${new URL(url).host} does not match`);
}

function platformName(): string {
  const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
  const arch = architectures[process.arch];
  if (arch === undefined || !['linux', 'darwin'].includes(process.platform)) {
    throw new ReleaseError(`no binaries exist for ${process.platform}/${process.arch}`);
  }
  return `${process.platform}-${arch}`;
}
