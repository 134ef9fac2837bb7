// Whether a provider takes new commits, and how its deletion and a commit agree without a lock. A deletion marks the Provider
// (its deletionTimestamp) and looks for resources after that; a commit looks at the Provider. What existed before a commit began
// is seen by that look, so for a change it is enough to look at the Provider before the write. What a commit brings is seen only
// if it came before that look, so whoever creates looks at the Provider after the write as well, and takes it back.
// Nothing is orphaned either way: a Provider of ours goes only once no resource of it is left.
import type { Provider } from '../../crds/provider.ts';
import { ErrorCode, FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { KubeClient, ObjectRef } from '../../kube/api.ts';
import { kinds } from '../kinds.ts';
import { read } from '../put.ts';

export interface ProviderGate {
  /** From memory, which may be behind. @throws FairleadError `provider_deleting` */
  requireNotKnownToGo(organization: Organization, provider: string): void;
  /** Asks the API server; a provider that is not there is open. @throws FairleadError `provider_deleting` */
  requireOpen(organization: Organization, provider: string): Promise<void>;
}

interface ProviderGateDeps {
  readonly client: Pick<KubeClient, 'get'>;
  /** What is remembered of a Provider. */
  readonly known: (ref: ObjectRef) => Provider | undefined;
}

export function createProviderGate({ client, known }: ProviderGateDeps): ProviderGate {
  return {
    requireNotKnownToGo: ({ namespace }, name) => refuseIfGoing(known({ namespace, name }), name),
    requireOpen: async ({ namespace }, name) => {
      refuseIfGoing(await read<Provider>(client, kinds.provider, { namespace, name }), name);
    },
  };
}

function refuseIfGoing(provider: Provider | undefined, name: string): void {
  if (provider?.metadata.deletionTimestamp === undefined) return;
  throw providerDeleting(name);
}

export function providerDeleting(name: string): FairleadError {
  const message = `Provider ${name} is being deleted and takes nothing new; try again once it is gone`;
  return new FairleadError(ErrorCode.providerDeleting, message);
}
