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
}

interface ProviderGateDeps {
  readonly client: Pick<KubeClient, 'get'>;
  /** The cached Provider. */
  readonly known: (ref: ObjectRef) => Provider | undefined;
}

export function createProviderGate({ client, known }: ProviderGateDeps): ProviderGate {
  // Every commit looks; those to one provider at the same time share the look.
  const look = sharedReads((key) => read<Provider>(client, kinds.provider, refOf(key)));
  return {
    requireNotKnownToGo: ({ namespace }, name) => refuseIfGoing(known({ namespace, name }), name),
    requireOpen: async ({ namespace }, name) => {
      refuseIfGoing(await look(keyFor({ namespace, name })), name);
    },
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
