// Writes of the reconciler to Resources: status and finalizer, each against the version that was decided on.
import { LRUCache } from 'lru-cache';
import { type Resource, type ResourceStatus, resourceFinalizer } from '../../crds/resource.ts';
import { type Informer, type Key, type KubeClient, keyFor } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { definedOnly } from '../../lib/json.ts';
import { apiVersion, kinds, label } from '../kinds.ts';
import { read } from '../put.ts';
import { hasMarks, noMarks } from './deletion.ts';
import type { IdentityIndex } from './managed-objects/identity-index.ts';
import { type TypeIdentities, withIdentity } from './managed-objects/type-identities.ts';

export interface ClaimStore {
  /**
   * Replaces the status. @throws KubeError `conflict` when the object changed since it was read. Kubernetes compares the
   * resourceVersion, so a stale view loses here, before any external effect.
   */
  writeStatus(resource: Resource, status: ResourceStatus): Promise<Resource>;
  /**
   * Returns whether an object is what the API server has now; asks it, unless this process wrote that version. An object that
   * is not is replaced in the cache. Before a delivery: nothing else keeps a stale view from an external effect.
   */
  isCurrent(resource: Resource): Promise<boolean>;
  /**
   * Returns whether the number of the claimed delivery was never sent: this process has raised it and not sent it since, so nobody
   * has. The sender of another one raises it first.
   */
  isUnsent(resource: Resource): boolean;
  /** Call it before the claimed delivery is sent. */
  sent(resource: Resource): void;
  /** Raises the counter in the spec, which makes new content. @throws KubeError `conflict` as above */
  runAgain(resource: Resource): Promise<void>;
  /** Requests an ordinary deletion of exactly this version. @throws KubeError `conflict` as above */
  expire(resource: Resource): Promise<void>;
  /** Adds the missing finalizer and label. @throws KubeError `conflict` as above */
  protect(resource: Resource): Promise<void>;
  /** Removes the finalizer, which deletes the object. Does nothing when it is gone already. */
  release(resource: Resource): Promise<void>;
}

interface ClaimStoreDeps {
  readonly client: KubeClient;
  readonly identities: TypeIdentities;
  readonly claimants: Pick<IdentityIndex, 'note'>;
  readonly cache: Pick<Informer<Resource>, 'remember'>;
}

/** Claims whose events have not been answered; one that gives way costs a read. */
const maxWritten = 4_096;

/** Claims whose events wait to be sent; one that gives way costs a write. */
const maxUnsent = 16_384;

export function createClaimStore(deps: ClaimStoreDeps): ClaimStore {
  const { client, cache } = deps;
  /** The last version that this process wrote or saw at the API server. */
  const versions = new LRUCache<Key, string>({ max: maxWritten });
  const note = ({ metadata }: Resource) =>
    versions.set(keyFor(metadata), `${metadata.uid}/${metadata.resourceVersion}`);
  const isNoted = ({ metadata }: Resource) =>
    versions.get(keyFor(metadata)) === `${metadata.uid}/${metadata.resourceVersion}`;

  /** Marks of another deletion, which never happened, would make the one that follows forced or orphaning. */
  async function unmarked(resource: Resource): Promise<Resource> {
    if (!hasMarks(resource)) return resource;
    const { name, namespace, uid, resourceVersion } = resource.metadata;
    const metadata = { ...definedOnly({ uid, resourceVersion }), annotations: noMarks };
    return await client.patch<Resource>(kinds.resource, { name, namespace }, { metadata });
  }

  /** The deliveries whose numbers this process has raised and not sent. */
  const unsent = new LRUCache<Key, string>({ max: maxUnsent });
  return {
    async writeStatus(resource, status) {
      const { metadata, status: before } = resource;
      const { name, namespace, uid, resourceVersion } = metadata;
      const written = await client.replaceStatus<Resource>(kinds.resource, {
        apiVersion,
        kind: kinds.resource.kind,
        metadata: { name, ...definedOnly({ namespace, uid, resourceVersion }) },
        status: withIdentity(resource, status, deps.identities),
      });
      cache.remember(written);
      deps.claimants.note(written);
      note(written);
      const number = deliveryNumber(written);
      if (number !== undefined && number !== deliveryNumber({ metadata, status: before })) {
        unsent.set(keyFor(metadata), number);
      }
      return written;
    },
    async isCurrent(resource) {
      if (isNoted(resource)) return true;
      const { name, namespace } = resource.metadata;
      const found = await read<Resource>(client, kinds.resource, { name, namespace });
      if (found === undefined) return false;
      note(found);
      if (isNoted(resource)) return true;
      cache.remember(found);
      return false;
    },
    isUnsent: (resource) => unsent.get(keyFor(resource.metadata)) === deliveryNumber(resource),
    sent: ({ metadata }) => void unsent.delete(keyFor(metadata)),
    async runAgain({ metadata, spec }) {
      const { name, namespace, uid, resourceVersion } = metadata;
      await client.patch(
        kinds.resource,
        { name, namespace },
        {
          metadata: definedOnly({ uid, resourceVersion }),
          spec: { retry: (spec.retry ?? 0) + 1 },
        },
      );
    },
    async expire(resource) {
      const { name, namespace, uid, resourceVersion } = (await unmarked(resource)).metadata;
      await client.delete(
        kinds.resource,
        { name, namespace },
        definedOnly({ uid, resourceVersion }),
      );
    },
    async protect({ metadata, spec }) {
      const { name, namespace, uid, resourceVersion } = metadata;
      const finalizers = [...(metadata.finalizers ?? []), resourceFinalizer];
      const labels = { [label.provider]: spec.provider };
      const written = await client.patch<Resource>(
        kinds.resource,
        { name, namespace },
        { metadata: { finalizers, labels, ...definedOnly({ uid, resourceVersion }) } },
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
          { metadata: { finalizers, ...definedOnly({ uid, resourceVersion }) } },
        );
      } catch (thrown) {
        if (!hasReason(thrown, 'notFound')) throw thrown;
      }
    },
  };
}

type Numbered = Pick<Resource, 'metadata'> & { readonly status?: ResourceStatus | undefined };

/** @returns a text unique to a delivery of an object; undefined for one without a claim */
function deliveryNumber({ metadata, status }: Numbered): string | undefined {
  const { event } = status ?? {};
  return event && `${metadata.uid}/${event.id}/${event.sequence}`;
}
