// Installs, on the control plane of the local default, the admission policy that binds everybody. On a cluster the chart and the
// manifests have it, with those that bind the accounts of Fairlead, which the local default lacks.
import type { KindRef, KubeClient, KubeObject } from '../kube/api.ts';
import { protectionManifests } from '../permissions/protection-policy.ts';
import { put, read } from '../store/put.ts';

const maxRounds = 8;

function kindOf(kind: string): KindRef {
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies');
  const group = 'admissionregistration.k8s.io';
  return { group, version: 'v1', kind, plural, namespaced: false };
}

/** Replaces what an earlier release has installed. */
export async function installLocalPolicies(client: KubeClient): Promise<void> {
  for (const manifest of protectionManifests()) {
    const kind = kindOf(manifest.kind);
    const ref = { name: manifest.metadata.name };
    for (let round = 0; round < maxRounds; round += 1) {
      const present = await read<KubeObject>(client, kind, ref);
      const metadata = { ...present?.metadata, ...manifest.metadata };
      if ((await put<KubeObject>(client, kind, { ...manifest, metadata })) !== undefined) break;
    }
  }
}
