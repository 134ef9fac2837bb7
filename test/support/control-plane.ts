// Real control planes for tests: one that a whole run shares, and ones of a test's own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { loadConfig } from '../../src/app/config.ts';
import { type Binaries, resolveBinaries } from '../../src/dev/binaries.ts';
import {
  type Component,
  type ControlPlane,
  startControlPlane,
} from '../../src/dev/control-plane.ts';
import { createProgress } from '../../src/dev/progress.ts';

declare module 'vitest' {
  interface ProvidedContext {
    kubeconfig: string;
    identities: { readonly api: string; readonly controller: string };
  }
}

/** etcd and kube-apiserver for every test of this run: keep to names of your own. */
export function sharedControlPlane(): { kubeconfig: string } {
  return { kubeconfig: inject('kubeconfig') };
}

/** Kubeconfigs of Fairlead's own accounts there, which may do what manifests/*.yaml say. */
export function sharedIdentities(): { readonly api: string; readonly controller: string } {
  return inject('identities');
}

export function testBinaries(): Promise<Binaries> {
  const { binaries, cacheFolder } = loadConfig([]);
  return resolveBinaries({ ...binaries, cacheFolder, progress: createProgress(process.stderr) });
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
    unsafeNoFsync: true,
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
