// Provides real control planes for tests: one shared by all files of a worker, and ones that belong to a single test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { loadConfig } from '../../../src/app/config/index.ts';
import { type Binaries, resolveBinaries } from '../../../src/dev/binaries.ts';
import {
  type Component,
  type ControlPlane,
  startControlPlane,
} from '../../../src/dev/control-plane.ts';
import { createStartProgress } from '../../../src/dev/progress.ts';
import { borrow } from './lent/on-demand.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of what lends them. */
    controlPlanes: string;
  }
}

export interface SharedControlPlane {
  readonly kubeconfig: string;
  readonly etcdSocket: string;
  /** Kubeconfigs of Fairlead's own accounts, with the rights of manifests/*.yaml. */
  readonly identities: { readonly api: string; readonly controller: string };
}

const ofWorker = { shared: undefined as SharedControlPlane | undefined };

/** Once in front of each file: see test/support/runner/borrow-control-plane.ts. */
export async function borrowControlPlane(): Promise<void> {
  const worker = process.env['VITEST_POOL_ID'] ?? '1';
  ofWorker.shared = await borrow<SharedControlPlane>(inject('controlPlanes'), worker);
}

/** Returns etcd and kube-apiserver for all files of this worker: use unique names. */
export function sharedControlPlane(): SharedControlPlane {
  if (ofWorker.shared === undefined) throw new Error('No control plane was borrowed for this file');
  return ofWorker.shared;
}

export function sharedIdentities(): SharedControlPlane['identities'] {
  return sharedControlPlane().identities;
}

let found: Promise<Binaries> | undefined;

export function testBinaries(): Promise<Binaries> {
  const { binaries, cacheFolder } = loadConfig([]);
  const progress = createStartProgress(process.stderr);
  found ??= resolveBinaries({ ...binaries, cacheFolder, progress });
  return found;
}

export interface OwnControlPlane extends ControlPlane {
  readonly dataFolder: string;
}

export async function ownControlPlane(
  components: readonly Component[] = ['etcd', 'kube-apiserver'],
): Promise<OwnControlPlane> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'fairlead-test-'));
  const binaries = await testBinaries();
  const controlPlane = await startControlPlane({
    dataFolder,
    binaries,
    components,
    disposable: true,
  });
  return {
    ...controlPlane,
    dataFolder,
    async stop() {
      await controlPlane.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
