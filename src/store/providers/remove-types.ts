// Removes the types of a provider that is deleted. Read from the API server: a cache that is behind would leave one, and a type without
// a provider is in force.
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import type { KubeClient } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { kinds } from '../kinds.ts';

interface TypesOwner {
  readonly namespace: string;
  readonly provider: string;
}

/** @returns the definitions of a provider, whether or not they are in force */
export async function typesOf(
  client: Pick<KubeClient, 'list'>,
  { namespace, provider }: TypesOwner,
): Promise<readonly ResourceDefinition[]> {
  const fieldSelector = `spec.provider=${provider}`;
  return (await client.list<ResourceDefinition>(kinds.definition, { namespace, fieldSelector }))
    .items;
}

/** @returns the number of types that the provider had */
export async function removeTypesOf(
  client: Pick<KubeClient, 'list' | 'delete'>,
  owner: TypesOwner,
): Promise<number> {
  const found = await typesOf(client, owner);
  for (const { metadata } of found) {
    const { name, namespace, uid } = metadata;
    try {
      const exactly = uid === undefined ? {} : { uid };
      await client.delete(kinds.definition, { name, namespace }, exactly);
    } catch (thrown) {
      // Gone meanwhile, or a new object has the name: a newer registration stays.
      if (!hasReason(thrown, 'notFound') && !hasReason(thrown, 'conflict')) throw thrown;
    }
  }
  return found.length;
}
