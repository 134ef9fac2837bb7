// Builds the control plane from its published Go modules, once: one binary with five names.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../domain/errors.ts';
import type { StartProgress } from './progress.ts';
import { publishFolder } from './publish-folder.ts';
import { findProgram } from './search-path.ts';

export const moduleFiles = ['go.mod', 'go.sum', 'main.go'] as const;

interface GoBuild {
  readonly cacheFolder: string;
  /** The target folder; it appears complete or not at all. */
  readonly folder: string;
  readonly version: string;
  readonly programs: readonly string[];
  readonly searchPath: string;
  readonly progress: StartProgress;
  /** Ends the build. */
  readonly stop?: AbortSignal | undefined;
}

// The last lines of a failed build name the cause; the rest is a list of modules.
const shownLines = 8;

/** @throws StartError when Go is not installed, or when the build fails */
export async function buildWithGo(build: GoBuild): Promise<void> {
  const go = findProgram('go', build.searchPath);
  if (go === undefined) {
    throw new StartError(
      'The Kubernetes programs are not installed, downloading them failed, and Go is not installed to build them. ' +
        'Install Go 1.26 or newer from https://go.dev/dl, or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl.',
    );
  }
  // A copy: the checkout may be read-only, and Go must not write into it.
  const work = mkdtempSync(join(build.cacheFolder, 'build-'));
  try {
    for (const name of moduleFiles)
      copyFileSync(join(import.meta.dirname, 'controlplane', name), join(work, name));
    const out = join(work, 'out');
    mkdirSync(out);
    await build.progress.during(
      `Building Kubernetes ${build.version} with Go, once (four to five minutes on two cores)`,
      () => runGo(go, build, { work, out: join(out, 'control-plane') }),
    );
    for (const name of build.programs) symlinkSync('control-plane', join(out, name));
    publishFolder(out, build.folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function runGo(
  go: string,
  { version, stop }: GoBuild,
  { work, out }: { work: string; out: string },
): Promise<void> {
  const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
  // `env` keeps the user's module proxy and cache, and makes the binary static.
  const args = [
    'CGO_ENABLED=0',
    go,
    'build',
    '-mod=readonly',
    '-buildvcs=false',
    '-trimpath',
    `-ldflags=${flags}`,
    '-o',
    out,
    '.',
  ];
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/env', args, {
      cwd: work,
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: stop,
    });
    const lines: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => {
      const newLines = chunk
        .toString()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('go: downloading'));
      lines.push(...newLines);
      lines.splice(0, lines.length - shownLines);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else
        reject(new StartError(`Go could not build the Kubernetes programs:\n${lines.join('\n')}`));
    });
  });
}
