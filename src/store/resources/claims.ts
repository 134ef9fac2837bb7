// Writes of the reconciler to Resources: status and finalizer, each against the version that was decided on.
import { type Resource, type ResourceStatus, resourceFinalizer } from '../../crds/resource.ts';
import type { Informer, KubeClient } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { apiVersion, kinds, label } from '../kinds.ts';

export interface ClaimStore {
  /**
   * Replaces the status. @throws KubeError `conflict` when the object changed since it was read. Kubernetes compares the
   * resourceVersion, so a stale view loses here, before any external effect.
   */
  writeStatus(resource: Resource, status: ResourceStatus): Promise<Resource>;
  /** Raises the counter in the spec, which makes new content. @throws KubeError `conflict` as above */
  runAgain(resource: Resource): Promise<void>;
  /** Adds the missing finalizer and label. @throws KubeError `conflict` as above */
  protect(resource: Resource): Promise<void>;
  /** Removes the finalizer, which deletes the object. Does nothing when it is gone already. */
  release(resource: Resource): Promise<void>;
}

interface ClaimStoreDeps {
  readonly client: KubeClient;
  readonly cache: Pick<Informer<Resource>, 'remember'>;
}

export function createClaimStore({ client, cache }: ClaimStoreDeps): ClaimStore {
  return {
    async writeStatus({ metadata }, status) {
      const { name, namespace, uid, resourceVersion } = metadata;
      const written = await client.replaceStatus<Resource>(kinds.resource, {
        apiVersion,
        kind: kinds.resource.kind,
        metadata: { name, ...defined({ namespace, uid, resourceVersion }) },
        status,
      });
      cache.remember(written);
      return written;
    },
    async runAgain({ metadata, spec }) {
      const { name, namespace, uid, resourceVersion } = metadata;
      await client.patch(
        kinds.resource,
        { name, namespace },
        {
          metadata: defined({ uid, resourceVersion }),
          spec: { retry: (spec.retry ?? 0) + 1 },
        },
      );
    },
    async protect({ metadata, spec }) {
      const { name, namespace, uid, resourceVersion } = metadata;
      const finalizers = [...(metadata.finalizers ?? []), resourceFinalizer];
      const labels = { [label.provider]: spec.provider };
      const written = await client.patch<Resource>(
        kinds.resource,
        { name, namespace },
        { metadata: { finalizers, labels, ...defined({ uid, resourceVersion }) } },
      );
      cache.remember(written);
    },
    async release({ metadata }) {
      const { name, namespace, uid, resourceVersion } = metadata;
      const finalizers = (metadata.finalizers ?? []).filter((each) => each !== resourceFinalizer);
      try {
        await client.patch(
          kinds.resource,
          { name, namespace },
          { metadata: { finalizers, ...defined({ uid, resourceVersion }) } },
        );
      } catch (thrown) {
        if (!hasReason(thrown, 'notFound')) throw thrown;
      }
    },
  };
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(values).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}
