// Writes custom resources on an API server that has our definitions: with the requests of kubectl, or with kubectl itself.
import { apiVersion } from '../../src/crds/define.ts';
import { definitionNameOf, keyOf, objectNameOf } from '../../src/domain/identity.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { createTransport } from '../../src/kube/transport.ts';
import { namespaceKind } from '../../src/store/kinds.ts';
import { sharedControlPlane } from './control-plane.ts';
import { installDefinitions } from './install-definitions.ts';
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

export type Written = Omit<ReturnType<typeof object>, 'spec'>;

/** The methods send what kubectl sends and throw what the API server answers. Each start of kubectl takes longer than that. */
export interface Fixture {
  readonly kubectl: Kubectl;
  /** Stores nothing. */
  tryCreate(body: Written): Promise<void>;
  apply(body: Written): Promise<void>;
  /** Merge patch of an object. */
  patch(body: Written, change: object, subresource?: 'status'): Promise<void>;
  close(): Promise<void>;
}

/** In a separate namespace, on the shared control plane with our definitions installed. */
export async function benchIn(prefix: string): Promise<Fixture> {
  const namespace = `${prefix}-${Date.now().toString(36)}`;
  const { kubeconfig } = sharedControlPlane();
  const cluster = loadCluster({ kubeconfig });
  const client = createKubeClient(cluster);
  await installDefinitions(client);
  await client.create(namespaceKind, { metadata: { name: namespace } });
  await client.close();
  const transport = createTransport(cluster);

  function collectionOf({ kind }: Written): string {
    const within = kind === 'Organization' ? '' : `/namespaces/${namespace}`;
    return `/apis/${apiVersion}${within}/${kind.toLowerCase()}s`;
  }
  const pathOf = (body: Written) => `${collectionOf(body)}/${body.metadata.name}`;
  return {
    kubectl: kubectlFor(kubeconfig, namespace),
    close: () => transport.close(),
    async tryCreate(body) {
      const path = `${collectionOf(body)}?dryRun=All&fieldValidation=Strict`;
      await transport.request({ method: 'POST', path, body });
    },
    async apply(body) {
      const path = `${pathOf(body)}?fieldManager=kubectl&fieldValidation=Strict`;
      const contentType = 'application/apply-patch+yaml';
      await transport.request({ method: 'PATCH', path, body, contentType });
    },
    async patch(body, change, subresource) {
      const path = `${pathOf(body)}${subresource === undefined ? '' : `/${subresource}`}?fieldValidation=Strict`;
      const contentType = 'application/merge-patch+json';
      await transport.request({ method: 'PATCH', path, body: change, contentType });
    },
  };
}
