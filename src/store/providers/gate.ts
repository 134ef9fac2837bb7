// Decides whether a provider accepts commits. Its deletion and a commit agree without a lock: a deletion marks the Provider
// (its deletionTimestamp) and then looks for resources; a commit looks at the Provider. That look sees every resource that
// existed before the commit, so an update only checks the Provider before the write. It can miss a new resource, so a create
// checks the Provider after the write as well and rolls back. Nothing is orphaned either way: a Provider of ours is removed
// only once no resource of it is left.
import type { Provider } from '../../crds/provider.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import { type KubeClient, keyFor, type ObjectRef, refOf } from '../../kube/api.ts';
import { kinds } from '../kinds.ts';
import { read } from '../put.ts';
import { sharedReads } from '../shared-reads.ts';

export interface ProviderGate {
  /** Reads the cache, which may lag. @throws FairleadError `provider_deleting` */
  requireNotKnownToGo(organization: Organization, provider: string): void;
  /** Asks the API server; a missing provider is open. @throws FairleadError `provider_deleting` */
  requireOpen(organization: Organization, provider: string): Promise<void>;
  /** @returns the version that serves, as the cache has it */
  servingVersion(organization: Organization, provider: string): string | undefined;
}

interface ProviderGateDeps {
  readonly client: Pick<KubeClient, 'get'>;
  /** The cached Provider. */
  readonly known: (ref: ObjectRef) => Provider | undefined;
}

export function createProviderGate({ client, known }: ProviderGateDeps): ProviderGate {
  // Every commit reads it; those to one provider at the same time share the read.
  const look = sharedReads((key) => read<Provider>(client, kinds.provider, refOf(key)));
  return {
    requireNotKnownToGo: ({ namespace }, name) => refuseIfGoing(known({ namespace, name }), name),
    requireOpen: async ({ namespace }, name) => {
      refuseIfGoing(await look(keyFor({ namespace, name })), name);
    },
    servingVersion: ({ namespace }, name) => known({ namespace, name })?.status?.deployedVersion,
  };
}

function refuseIfGoing(provider: Provider | undefined, name: string): void {
  if (provider?.metadata.deletionTimestamp === undefined) return;
  throw providerDeleting(name);
}

export function providerDeleting(name: string): FairleadError {
  const message = `Provider ${name} is being deleted and accepts no changes; try again after its deletion`;
  return new FairleadError('provider_deleting', message);
}
