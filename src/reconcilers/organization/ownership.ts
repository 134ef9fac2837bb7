// Pure. Decides whether a namespace belongs to an organization. Anybody can compute its name and annotations, so only its
// uid counts, which is recorded in the Organization, where tenants cannot write.
import type { Organization } from '../../crds/organization.ts';
import type { KubeObject } from '../../kube/api.ts';
import { annotation } from '../../store/kinds.ts';

interface Pair {
  readonly organization: Organization;
  readonly namespace: KubeObject | undefined;
}

type Status = NonNullable<Organization['status']>;

/** The full identity: the name of a namespace holds only a part of its hash. */
export function namespaceAnnotations({ organization }: Pick<Pair, 'organization'>) {
  return {
    [annotation.issuer]: organization.spec.issuer,
    [annotation.organizationId]: organization.spec.externalId,
  };
}

export function hasAnnotations({ organization, namespace }: Pair): boolean {
  const held = namespace?.metadata.annotations ?? {};
  return Object.entries(namespaceAnnotations({ organization })).every(
    ([key, value]) => held[key] === value,
  );
}

/** @returns whether the namespace was created for this organization, or assigned to it by a writer of its status */
export function isOurs(pair: Pair): boolean {
  const { status } = pair.organization;
  const { uid, annotations = {} } = pair.namespace?.metadata ?? {};
  if (status?.namespaceUid !== undefined) return status.namespaceUid === uid;
  if (!hasAnnotations(pair)) return false;
  const { namespaceRequest } = status ?? {};
  return namespaceRequest !== undefined && annotations[annotation.request] === namespaceRequest;
}

/** @returns the status fields of the namespace from now on; an answered request is no longer valid */
export function ownershipRecord(pair: Pair): Pick<Status, 'namespaceUid' | 'namespaceRequest'> {
  const { namespaceUid, namespaceRequest } = pair.organization.status ?? {};
  const uid = pair.namespace?.metadata.uid;
  if (uid !== undefined && isOurs(pair)) return { namespaceUid: uid };
  return {
    ...(namespaceUid === undefined ? {} : { namespaceUid }),
    ...(namespaceRequest === undefined ? {} : { namespaceRequest }),
  };
}
