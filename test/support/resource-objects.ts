// Changes resources directly in the API server, as a kubectl user or a reconciler would.
import { expect } from 'vitest';
import type { Resource } from '../../src/crds/resource.ts';
import { keyOf, objectNameOf, organizationOf, projectNameOf } from '../../src/domain/identity.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { apiVersion, configMapKind, kinds } from '../../src/store/kinds.ts';
import { read } from '../../src/store/put.ts';
import type { HistoryObject } from '../../src/store/resources/history/keeper.ts';
import { sharedControlPlane } from './control-plane.ts';
import { eventually } from './eventually.ts';
import type { ServedApi } from './served-api.ts';

const hold = 'test.example/hold';

/** Objects of one organization; `of` is `provider/resource/name`. */
export function resourceObjects(api: ServedApi, organization: string) {
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  const { namespace } = organizationOf(api.issuer.url, organization);
  const refTo = (of: string) => {
    const [provider = '', resource = '', name = ''] = of.split('/');
    return { namespace, name: objectNameOf(keyOf({ provider, resource, name })) };
  };
  const get = (of: string) => client.get<Resource>(kinds.resource, refTo(of));
  const patch = (of: string, metadata: object) =>
    client.patch<Resource>(kinds.resource, refTo(of), { metadata });
  return {
    get,
    /** The data of the history of a resource, as text; empty when there is none. */
    history: async (of: string) => {
      const { metadata } = await get(of);
      const ref = { namespace, name: `history-${metadata.uid}` };
      const stored = await read<HistoryObject>(client, configMapKind, ref);
      return Object.values(stored?.data ?? {}).join('\n');
    },
    /** Resolves when the reconciler has written the status of the current content. */
    settled: (of: string) =>
      eventually(async () => {
        const { metadata, status } = await get(of);
        expect(status?.observedGeneration).toBe(metadata.generation);
      }),
    /** Keeps the deleted object, whatever the reconciler does. */
    hold: async (of: string) => {
      // The reconciler removes its own finalizer, and a merge patch replaces the whole list.
      await eventually(async () => {
        const { metadata } = await get(of);
        const finalizers = [...(metadata.finalizers ?? []), hold];
        await patch(of, { finalizers, resourceVersion: metadata.resourceVersion });
      });
    },
    /** Ends the effect of `hold`. */
    release: (of: string) =>
      eventually(async () => {
        const { metadata } = await get(of);
        const finalizers = (metadata.finalizers ?? []).filter((each) => each !== hold);
        await patch(of, { finalizers, resourceVersion: metadata.resourceVersion });
      }),
    annotate: (of: string, annotations: Record<string, string>) => patch(of, { annotations }),
    /** Merges into the current status; retries, because reconcilers write it too. */
    says: (of: string, status: Partial<NonNullable<Resource['status']>>) =>
      eventually(async () => {
        const { metadata, status: known } = await get(of);
        await client.replaceStatus<Resource>(kinds.resource, {
          apiVersion,
          kind: kinds.resource.kind,
          metadata,
          status: { observedGeneration: metadata.generation ?? 1, ...known, ...status },
        });
      }),
    create: (kind: 'project' | 'provider', name: string) =>
      kind === 'project'
        ? client.create(kinds.project, {
            apiVersion,
            kind: 'Project',
            metadata: { namespace, name: projectNameOf(name) },
            ...{ spec: { projectId: name, displayName: name } },
          })
        : client.create(kinds.provider, {
            apiVersion,
            kind: 'Provider',
            metadata: { namespace, name },
            ...{ spec: { provider: name, endpoint: 'http://127.0.0.1:9' } },
          }),
    close: () => client.close(),
  };
}
