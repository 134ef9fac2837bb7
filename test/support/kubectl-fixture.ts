// Writes custom resources with kubectl on an API server that has our definitions, as a person does.

import { apiVersion } from '../../src/crds/define.ts';
import { crdManifests } from '../../src/crds/manifest.ts';
import { definitionNameOf, keyOf, objectNameOf } from '../../src/domain/identity.ts';
import { silentLog } from '../../src/domain/log.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { installCrds } from '../../src/kube/crd-installer.ts';
import { sharedControlPlane } from './control-plane.ts';
import { type Kubectl, kubectlFor } from './kubectl.ts';

export type Spec = Readonly<Record<string, unknown>>;

export const tuple = { provider: 'postgres', resource: 'database', name: 'orders' };

export function object(kind: string, name: string, spec: Spec) {
  return { apiVersion, kind, metadata: { name }, spec };
}

export function aResource(changes: Spec = {}, name?: string) {
  const spec = { ...tuple, project: 'p', lifecycle: 'Committed', config: {}, ...changes };
  return object('Resource', name ?? objectNameOf(keyOf({ ...tuple, ...changes })), spec);
}

export function aDefinition(changes: Spec = {}, name?: string) {
  const spec = { provider: 'postgres', resource: 'database', ...changes };
  return object('ResourceDefinition', name ?? definitionNameOf(spec.provider, spec.resource), spec);
}

export function aProvider(changes: Spec = {}, name = 'postgres') {
  return object('Provider', name, { provider: 'postgres', ...changes });
}

export function aProject(changes: Spec = {}) {
  return object('Project', 'p-1', { projectId: 'p-1', displayName: 'One', ...changes });
}

export function anOrganization(name: string, changes: Spec = {}) {
  const spec = { issuer: 'https://issuer.example', externalId: 'acme', ...changes };
  return { apiVersion, kind: 'Organization', metadata: { name }, spec };
}

export function aBuild(changes: Spec = {}) {
  const source = { digest: `sha256:${'0'.repeat(64)}`, size: 1 };
  const spec = { provider: 'postgres', version: '20260101.000000', source, ...changes };
  return object('Build', 'b-1', spec);
}

export const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
export const dependencies = (count: number) =>
  many(count).map((name) => ({ provider: 'p', resource: 't', name }));

export type Written = ReturnType<typeof object>;

export interface Fixture extends Kubectl {
  /** Merge patch of an object. */
  patch(body: Written, change: object, ...flags: readonly string[]): Promise<string>;
}

/** kubectl in a separate namespace, on the shared control plane with our definitions installed. */
export async function benchIn(prefix: string): Promise<Fixture> {
  const namespace = `${prefix}-${Date.now().toString(36)}`;
  const { kubeconfig } = sharedControlPlane();
  const kubectl = kubectlFor(kubeconfig, namespace);
  const client = createKubeClient(loadCluster({ kubeconfig }));
  await installCrds(client, crdManifests('0.1.0'), { log: silentLog });
  await client.close();
  const own = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await kubectl.with(own, 'create', '-f', '-');
  return Object.assign(kubectl, {
    patch(body: Written, change: object, ...flags: readonly string[]) {
      const target = [`${body.kind.toLowerCase()}s.fairlead.dev`, body.metadata.name];
      return kubectl('patch', ...target, '--type=merge', '-p', JSON.stringify(change), ...flags);
    },
  });
}
