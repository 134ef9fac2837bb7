// Starts the shared control planes of a run, one for each worker. Loaded by vitest.
import type { TestProject } from 'vitest/node';
import { ownControlPlane } from './control-plane.ts';
import { installIdentities } from './least-privilege.ts';

/**
 * @param project its option `maxWorkers` says how many control planes there are; files of one worker share one
 * @returns what stops them
 */
export async function setup({ provide, config }: TestProject): Promise<() => Promise<void>> {
  const workers = Array.from({ length: config.maxWorkers });
  const controlPlanes = await Promise.all(workers.map(() => ownControlPlane()));
  const shared = controlPlanes.map(async ({ kubeconfig, etcdSocket }) => ({
    kubeconfig,
    etcdSocket,
    identities: await installIdentities(kubeconfig),
  }));
  provide('controlPlanes', await Promise.all(shared));
  return async () => {
    await Promise.all(controlPlanes.map((each) => each.stop()));
  };
}
