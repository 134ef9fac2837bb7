// The identities that types declare, from the cache of definitions, and those that resources have by their outputs.
import type { Provider } from '../../../crds/provider.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import type { ResourceDefinition } from '../../../crds/resource-definition.ts';
import { definitionNameOf } from '../../../domain/identity.ts';
import type { ObjectIdentity } from '../../../domain/objects/identity.ts';
import { identityDigest } from '../../../domain/objects/identity-digest.ts';
import { type Informer, keyFor } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { typeInForce } from '../../providers/type-in-force.ts';

export interface TypeIdentities {
  /** @returns undefined for a type that declares none, and for one that is not known */
  of(type: {
    readonly namespace: string;
    readonly provider: string;
    readonly resource: string;
  }): ObjectIdentity | undefined;
}

export function createTypeIdentities({
  definitions,
  providers,
}: {
  readonly definitions: Pick<Informer<ResourceDefinition>, 'get'>;
  readonly providers: Pick<Informer<Provider>, 'get'>;
}): TypeIdentities {
  return {
    of({ namespace, provider, resource }) {
      const name = definitionNameOf(provider, resource);
      const found = definitions.get(keyFor({ namespace, name }));
      if (found?.spec.provider !== provider || found.spec.resource !== resource) return undefined;
      const inForce = typeInForce(found, providers.get(keyFor({ namespace, name: provider })));
      return (inForce?.content ?? found.spec).identity;
    },
  };
}

/**
 * @returns the identity in the outputs. Outputs of an earlier version of the type may lack what the declaration of now points to: then
 * it is the one that was recorded with them. Without outputs, it is that of the object for which a CREATE was refused.
 */
export function ownIdentity(
  status: ResourceStatus | undefined,
  declared: ObjectIdentity,
): string | undefined {
  const { outputs, identity } = status ?? {};
  const found = outputs && identityDigest(declared.outputs, outputs as JsonObject);
  return found ?? identity;
}

/** @returns the status with the identity of its outputs, so that one write stores both */
export function withIdentity(
  { metadata: { namespace = '' }, spec }: Pick<Resource, 'metadata' | 'spec'>,
  status: ResourceStatus,
  identities: TypeIdentities,
): ResourceStatus {
  const declared = identities.of({ ...spec, namespace });
  if (declared === undefined) return status;
  const identity = ownIdentity(status, declared);
  return identity === status.identity || identity === undefined ? status : { ...status, identity };
}
