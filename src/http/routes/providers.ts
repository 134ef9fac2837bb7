// /providers: what an organization has to make its resources real.
import { ErrorCode, FairleadError } from '../../domain/errors.ts';
import { keyOf, type Organization, slashed } from '../../domain/identity.ts';
import type { BuildStore } from '../../store/builds.ts';
import type { ResourceStore } from '../../store/interfaces.ts';
import type { ProviderStore } from '../../store/providers.ts';
import type { ResourceRecord } from '../../store/records.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { presentProvider } from '../present-provider.ts';
import { DeleteProviderQuery, ProviderPath, Providers } from '../provider-schemas.ts';
import { json, noContent } from '../send.ts';

export interface ProviderRoutesDeps {
  readonly providers: Pick<ProviderStore, 'list' | 'find' | 'remove'>;
  readonly builds: Pick<BuildStore, 'cancel'>;
  readonly resources: Pick<ResourceStore, 'list' | 'requestDeletion' | 'requireUnused'>;
}

const tag = 'Providers';

export function providerRoutes(deps: ProviderRoutesDeps): readonly Endpoint[] {
  return [listProviders(deps), deleteProvider(deps)];
}

function listProviders({ providers }: ProviderRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/providers/',
    access: 'listProviders',
    documentation: {
      operationId: 'listProviders',
      tag,
      summary: 'List providers',
      description: 'Those that were deployed, and those that run elsewhere. Sorted by name.',
      answer: { status: 200, description: 'The providers.', schema: Providers },
    },
    handle: async ({ caller }) => {
      const records = await providers.list(caller.organization);
      return json(records.map(presentProvider));
    },
  });
}

function deleteProvider(deps: ProviderRoutesDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/providers/{provider}',
    access: 'deleteProvider',
    accepts: { path: ProviderPath, query: DeleteProviderQuery },
    documentation: {
      operationId: 'deleteProvider',
      tag,
      summary: 'Delete a provider',
      description:
        'Refused while it has resources, unless they are to be deleted too, and while resources of other providers use those. Its types stay registered; what was built stays and can be deployed again, what is being built is cancelled.',
      answer: { status: 204, description: 'It is gone, or going. Also when there was none.' },
      errors: [ErrorCode.providerInUse, ErrorCode.resourceInUse],
    },
    handle: async ({ caller: { organization }, path: { provider }, query: { cascade } }) => {
      const deployed = (await deps.providers.find(organization, provider)) !== undefined;
      const { records } = deployed
        ? await deps.resources.list(organization, { provider })
        : { records: [] };
      if (records.length > 0 && !cascade) throw inUse(provider, records.length);
      await deps.resources.requireUnused(organization, records, provider);
      // Also of a provider that was never deployed. What was built stays, and may be deployed again.
      await deps.builds.cancel(organization, provider);
      if (!deployed) return noContent;
      // Resources first: a crash in between leaves the provider in place, and the same request again does the rest.
      await deleteResources(deps, organization, records);
      // What remains: the resources have only been asked to go, and those that the provider knows of need it to clean up
      // behind them. Letting the Provider go last is for its reconciler to see to; it can wait, a request cannot.
      await deps.providers.remove(organization, provider);
      return noContent;
    },
  });
}

function inUse(provider: string, count: number): FairleadError {
  const what = count === 1 ? '1 resource exists' : `${count} resources exist`;
  const message = `${what} of provider ${provider}; delete them first, or with it: ?cascade=true`;
  return new FairleadError(ErrorCode.providerInUse, message);
}

const atOnce = 8;

async function deleteResources(
  { resources }: ProviderRoutesDeps,
  organization: Organization,
  records: readonly ResourceRecord[],
): Promise<void> {
  const left = records.values();
  const work = async () => {
    for (const record of left) {
      const address = { key: keyOf(record), tuple: record, text: slashed(record) };
      // Those of the same provider go together, whichever uses which.
      const options = { scope: undefined, leaving: record.provider };
      await resources.requestDeletion(organization, address, options);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
