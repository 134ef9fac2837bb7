// Lends the shared control planes of a run, one to each worker. Loaded by vitest.
import type { TestProject } from 'vitest/node';
import { ownControlPlane, testBinaries } from '../control-plane.ts';
import { installIdentities } from '../least-privilege.ts';
import { borrow, lend } from './on-demand.ts';

/** @returns what stops them */
export async function setup({ provide, config }: TestProject): Promise<() => Promise<void>> {
  // Downloads or builds them once, in front of everybody and without the time limit of a test.
  await testBinaries();
  const lender = await lend(async () => {
    const { kubeconfig, etcdSocket, stop } = await ownControlPlane();
    const identities = await installIdentities(kubeconfig);
    return { place: { kubeconfig, etcdSocket, identities }, stop };
  });
  // Where each file has a process of its own, they share one all the same.
  if (config.isolate) await borrow(lender.url, '1');
  provide('controlPlanes', lender.url);
  return async () => lender[Symbol.asyncDispose]();
}
