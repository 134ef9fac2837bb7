// Finds the addresses of the API server: the one that a client uses, and those behind the Service `kubernetes`.
import { isIP } from 'node:net';
import { allow, type KindRef, type KubeClient, type KubeObject, type ScopedRules } from './api.ts';
import { hasReason } from './errors.ts';

const endpointSliceKind: KindRef = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

/** API servers maintain this object themselves. */
const ref = { namespace: 'default', name: 'kubernetes' };

export const apiServerRules: ScopedRules = {
  cluster: [allow(['get'], endpointSliceKind.group, [endpointSliceKind.plural], [ref.name])],
};

interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[] | null;
}

/**
 * @param server origin of the API server, as the client has it
 * @returns addresses, without names. Objects that may not be read, as with the rights of an older release, are skipped.
 */
export async function apiServerAddresses(
  client: Pick<KubeClient, 'get'>,
  server: string,
): Promise<readonly string[]> {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '');
  const own = isIP(host) === 0 ? [] : [host];
  try {
    const { endpoints } = await client.get<EndpointSlice>(endpointSliceKind, ref);
    return [...own, ...(endpoints ?? []).flatMap(({ addresses = [] }) => addresses)];
  } catch (thrown) {
    if (hasReason(thrown, 'notFound', 'forbidden')) return own;
    throw thrown;
  }
}
