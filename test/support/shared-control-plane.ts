// Starts the control plane that a run of integration tests shares. Loaded by vitest.
import type { TestProject } from 'vitest/node';
import { ownControlPlane } from './control-plane.ts';
import { installIdentities } from './least-privilege.ts';

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await ownControlPlane();
  provide('kubeconfig', controlPlane.kubeconfig);
  provide('identities', await installIdentities(controlPlane.kubeconfig));
  return () => controlPlane.stop();
}
