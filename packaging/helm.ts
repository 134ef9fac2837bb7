// Helm: the program in HELM, or the one in the search path, or one that is built once from its published Go module (a few minutes)
// and cached.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../src/app/config/index.ts';
import { findProgram } from '../src/dev/search-path.ts';

const version = 'v3.22.0';
const program = `helm.sh/helm/v3/cmd/helm@${version}`;
const run = promisify(execFile);

/** The Kubernetes version for which charts are rendered without a cluster. */
export const kubernetesVersion = '1.36.0';
export const chartFolder = join(import.meta.dirname, '..', 'charts', 'fairlead');

/** @throws Error with the message of Helm */
export type Helm = (...args: readonly string[]) => Promise<string>;

/** @returns the programs to use, in order: those in HELM, which has the format of a search path, or those in the search path */
export function helmsHere(): readonly string[] {
  const named = process.env['HELM']?.split(delimiter).filter((path) => path !== '') ?? [];
  if (named.length > 0) return named;
  return ['helm', 'helm3', 'helm4'].flatMap((name) => onPath(name) ?? []);
}

/** @returns undefined when neither Helm nor Go is installed */
export async function findHelm(): Promise<Helm | undefined> {
  const binary = helmsHere()[0] ?? (await built());
  if (binary === undefined) return undefined;
  return async (...args) => {
    try {
      const { stdout } = await run(binary, [...args], { maxBuffer: 64 * 1_048_576 });
      return stdout;
    } catch (thrown) {
      const { stderr } = thrown as { readonly stderr?: string };
      throw new Error(stderr ?? String(thrown), { cause: thrown });
    }
  };
}

/** @param flags values, such as `--set logLevel=debug` @returns the manifests as Helm prints them */
export function render(helm: Helm, flags: readonly string[] = []): Promise<string> {
  const release = ['fairlead', chartFolder, '--namespace', 'fairlead-system'];
  return helm('template', ...release, '--kube-version', kubernetesVersion, ...flags);
}

function onPath(name: string): string | undefined {
  return findProgram(name, loadConfig([]).binaries.searchPath);
}

async function built(): Promise<string | undefined> {
  const cache = join(loadConfig([]).cacheFolder, 'helm');
  const binary = join(cache, `${process.platform}-${process.arch}-${version}`);
  if (existsSync(binary)) return binary;
  const go = onPath('go');
  if (go === undefined) return undefined;
  process.stderr.write('  Building Helm with Go, once (a few minutes) …\n');
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'build-'));
  try {
    const settings = ['CGO_ENABLED=0', `GOBIN=${work}`];
    const flags = ['-buildvcs=false', '-trimpath', '-ldflags=-s -w'];
    await run('/usr/bin/env', [...settings, go, 'install', ...flags, program]);
    await rename(join(work, 'helm'), binary);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return binary;
}
