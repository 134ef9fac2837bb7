// Locates the programs of the control plane: $KUBEBUILDER_ASSETS, the cache, official releases, or a build with Go.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../app/config/index.ts';
import { StartError } from '../domain/errors.ts';
import { fileNamesIn } from './data-folder.ts';
import { buildWithGo, moduleFiles } from './go-build.ts';
import { createStartProgress, type StartProgress } from './progress.ts';
import { type ReleasePins, releasePins } from './release-pins.ts';
import { downloadReleases, ReleaseError } from './releases.ts';
import { isExecutable } from './search-path.ts';

export const kubernetesVersion = 'v1.36.3';
export const etcdVersion = 'v3.6.8';

export const programs = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
] as const;
type Program = (typeof programs)[number];
export type Binaries = Readonly<Record<Program, string>>;

interface BinarySettings {
  /** Folder with all five programs, as in envtest. */
  readonly kubebuilderAssets: string | undefined;
  readonly cacheFolder: string;
  readonly kubernetesOrigin: string | undefined;
  readonly etcdOrigin: string | undefined;
  /** Permitted releases; defaults to those of this project. */
  readonly pins?: ReleasePins;
  /** PATH, to find Go. */
  readonly searchPath: string;
  readonly progress: StartProgress;
  /** Ends a build. */
  readonly stop?: AbortSignal | undefined;
}

/** @throws StartError that names what to install */
export async function resolveBinaries(settings: BinarySettings): Promise<Binaries> {
  const { kubebuilderAssets, progress } = settings;
  if (kubebuilderAssets !== undefined) {
    const missing = missingPrograms(kubebuilderAssets);
    if (missing.length === 0) return inFolder(kubebuilderAssets);
    progress.note(`KUBEBUILDER_ASSETS lacks ${missing.join(', ')}; looking elsewhere`);
  }
  const folder = cachedFolder(settings.cacheFolder);
  if (missingPrograms(folder).length === 0) return inFolder(folder);
  // Folders appear as a whole: this one was damaged later.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(settings.cacheFolder, { recursive: true });
  const refused = await tryReleases(settings, folder);
  if (refused === undefined) return inFolder(folder);
  progress.note(`Official releases: ${refused}; building from the published Go modules instead`);
  await buildWithGo({ ...settings, folder, version: kubernetesVersion, programs });
  const missing = missingPrograms(folder);
  if (missing.length > 0) throw new StartError(`The build did not produce ${missing.join(', ')}.`);
  return inFolder(folder);
}

/** Another version, platform or module list uses another folder: nothing stale is ever run. */
export function cachedFolder(cacheFolder: string): string {
  const modules = createHash('sha256');
  for (const name of moduleFiles)
    modules.update(readFileSync(join(import.meta.dirname, 'controlplane', name)));
  const key = `${kubernetesVersion}-${process.platform}-${process.arch}-${modules.digest('hex').slice(0, 12)}`;
  return join(cacheFolder, 'control-plane', key);
}

async function tryReleases(settings: BinarySettings, folder: string): Promise<string | undefined> {
  try {
    const { pins = releasePins } = settings;
    await downloadReleases({ ...settings, pins, folder, kubernetesVersion, etcdVersion });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ReleaseError) return thrown.message;
    throw thrown;
  }
}

function inFolder(folder: string): Binaries {
  return Object.fromEntries(programs.map((name) => [name, join(folder, name)])) as Record<
    Program,
    string
  >;
}

function missingPrograms(folder: string): readonly Program[] {
  const there = new Set(fileNamesIn(folder));
  return programs.filter((name) => !there.has(name) || !isExecutable(join(folder, name)));
}

/** Finds, downloads or builds them, with progress on standard error. @throws StartError */
export function binariesFor(
  { binaries, cacheFolder }: Pick<Config, 'binaries' | 'cacheFolder'>,
  stop?: AbortSignal,
) {
  return resolveBinaries({
    ...binaries,
    cacheFolder,
    stop,
    progress: createStartProgress(process.stderr),
  });
}
