// Writes the status of a Deployment as the controller manager of Kubernetes does, where none runs.
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import type { Deployment } from '../../src/reconcilers/workloads.ts';
import { deploymentKind } from '../../src/reconcilers/workloads.ts';
import { label } from '../../src/store/kinds.ts';
import { sharedControlPlane } from './control-plane.ts';

/** @throws Error while the Deployment is not of this version */
export async function becomesReady(
  ref: { readonly namespace: string; readonly name: string },
  version: string,
): Promise<void> {
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  try {
    const { metadata, spec } = await client.get<Deployment>(deploymentKind, ref);
    const runs = spec?.template?.metadata?.labels?.[label.version];
    if (runs !== version) throw new Error(`The Deployment is of version ${runs}, not ${version}`);
    const { replicas = 1 } = spec ?? {};
    const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas };
    const status = { observedGeneration: metadata.generation ?? 0, ...counts };
    await client.replaceStatus<Deployment>(deploymentKind, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      status: { ...status, availableReplicas: replicas },
    });
  } finally {
    await client.close();
  }
}
