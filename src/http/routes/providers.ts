// Implements /providers: the providers of an organization.
import { FairleadError } from '../../domain/errors.ts';
import { type Organization, resourceAddress, slashed } from '../../domain/identity.ts';
import type { BuildStore } from '../../store/builds/store.ts';
import type { DeadLetterStore } from '../../store/dead-letters/store.ts';
import type { DefinitionStore, ResourceStore } from '../../store/interfaces.ts';
import { forEachConcurrently } from '../../store/parallel.ts';
import type { ProviderRecord, ProviderStore } from '../../store/providers/store.ts';
import type { ResourceRecord } from '../../store/records.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { notDeployed } from '../response/not-deployed.ts';
import { presentProvider, presentPushed } from '../response/provider.ts';
import { json } from '../response/send.ts';

interface ProviderRoutesDeps {
  readonly providers: Pick<ProviderStore, 'list' | 'find' | 'remove' | 'releaseCorrections'>;
  readonly builds: Pick<BuildStore, 'listPushed' | 'withdraw'>;
  readonly definitions: Pick<DefinitionStore, 'unregisterAll' | 'countOf'>;
  readonly deadLetters: Pick<DeadLetterStore, 'removeAll'>;
  readonly resources: Pick<ResourceStore, 'list' | 'requestDeletion' | 'requireRemovable'>;
}

const tag = 'Providers';

export function providerRoutes(deps: ProviderRoutesDeps): readonly Endpoint[] {
  return [listProviders(deps), deleteProvider(deps), releaseCorrections(deps)];
}

function listProviders({ providers, builds }: ProviderRoutesDeps): Endpoint {
  return endpoint('listProviders', {
    documentation: {
      tag,
      summary: 'List providers',
      description:
        'Lists providers with pushed or deployed code, and providers that run elsewhere. Sorted by name.',
      answer: { status: 200, description: 'The providers.' },
    },
    handle: async ({ caller: { organization } }) => {
      const records = await providers.list(organization);
      const known = new Set(records.map(({ provider }) => provider));
      const pushed = Map.groupBy(await builds.listPushed(organization), ({ provider }) => provider);
      const bodies = [
        ...records.map(presentProvider),
        ...[...pushed].flatMap(([provider, [first, ...more]]) =>
          first === undefined || known.has(provider) ? [] : [presentPushed([first, ...more])],
        ),
      ];
      return json(bodies.sort((left, right) => (left.provider < right.provider ? -1 : 1)));
    },
  });
}

function deleteProvider(deps: ProviderRoutesDeps): Endpoint {
  return endpoint('deleteProvider', {
    documentation: {
      tag,
      summary: 'Delete a provider',
      description:
        'Rejected while the provider has resources, unless `cascade` deletes them too, and while resources of other providers use them. During its deletion the provider accepts no changes (409 `provider_deleting`). Its dead letters are deleted, and unfinished builds are cancelled; finished builds remain and can be deployed again, but the provider is not listed for them. The provider is removed after its last resource, and its types with it; until then they are not listed, and their limits hold for the deletions.',
      answer: {
        status: 200,
        description:
          'The number of objects that are deleted or in deletion; 0 when the provider did not exist.',
      },
      errors: ['provider_in_use', 'resource_in_use', 'resource_protected'],
    },
    handle: async ({ caller: { organization }, path: { provider }, query: { cascade } }) => {
      const found = await deps.providers.find(organization, provider);
      const { records } =
        found === undefined
          ? { records: [] }
          : await deps.resources.list(organization, { provider });
      if (records.length > 0 && !cascade) throw providerInUse(provider, records);
      await deps.resources.requireRemovable(organization, records, provider);
      // Also for a provider that was never deployed. Built versions stay, and can be deployed again.
      const cancelled = await deps.builds.withdraw(organization, provider);
      // Resources first: after a crash in between the provider remains, and a repeated request completes the deletion.
      await deleteAll(deps, organization, records);
      // After the deletion of resources was requested: a concurrent retry keeps the event of its dead letter.
      const removedDeadLetters = await deps.deadLetters.removeAll(organization, { provider });
      const types = found === undefined ? 0 : await endTypes(deps, organization, found);
      // The resources are only marked for deletion, and those that the provider knows need it for cleanup. The reconciler
      // of the Provider removes it last; it can wait, a request cannot.
      if (found !== undefined) await deps.providers.remove(organization, provider);
      const late =
        found !== undefined && cascade ? await deleteLate(deps, organization, provider) : 0;
      return json({
        provider_id: provider,
        deployment_deleted: found?.version !== undefined,
        builds_cancelled: cancelled,
        resources_deleted: records.length + late,
        resource_definitions_deleted: types,
        dead_letter_events_deleted: removedDeadLetters,
      });
    },
  });
}

function releaseCorrections({ providers }: ProviderRoutesDeps): Endpoint {
  return endpoint('releaseCorrections', {
    documentation: {
      tag,
      summary: 'Release held corrections',
      description:
        'Corrections of drift are held (`corrections_held`) when so many objects of a provider differ or are gone that it may look in the wrong place. After the release, objects that differ are corrected, however many they are. Changes nothing when none are held.',
      answer: { status: 200, description: 'The provider.' },
      errors: ['not_deployed', 'conflict'],
    },
    handle: async ({ caller: { organization }, path: { provider } }) => {
      const record = await providers.releaseCorrections(organization, provider);
      if (record === undefined) throw notDeployed(provider, undefined, 'version');
      return json(presentProvider(record));
    },
  });
}

/**
 * The deletions of resources need the limits of their types, so the reconciler removes the types of a provider that it runs, as
 * the last thing before the Provider. One that runs elsewhere is gone at once.
 */
function endTypes(
  { definitions }: ProviderRoutesDeps,
  organization: Organization,
  { provider, version }: ProviderRecord,
): Promise<number> {
  return version === undefined
    ? definitions.unregisterAll(organization, provider)
    : definitions.countOf(organization, provider);
}

const maxNamed = 100;

function providerInUse(provider: string, records: readonly ResourceRecord[]): FairleadError {
  const count = records.length;
  const what = count === 1 ? '1 resource' : `${count} resources`;
  const message = `Provider ${provider} has ${what}; delete them first, or delete the provider with its resources`;
  const resources = records.slice(0, maxNamed).map(slashed);
  const context = { provider, resource_count: count, resources };
  return new FairleadError('provider_in_use', message, { context });
}

/** Deletes resources that were committed after the first list and before the provider's deletion; later commits fail. */
async function deleteLate(
  deps: ProviderRoutesDeps,
  organization: Organization,
  provider: string,
): Promise<number> {
  const { records } = await deps.resources.list(organization, { provider });
  await deleteAll(deps, organization, records);
  return records.length;
}

const atOnce = 8;

async function deleteAll(
  { resources }: ProviderRoutesDeps,
  organization: Organization,
  records: readonly ResourceRecord[],
): Promise<void> {
  await forEachConcurrently(records, atOnce, async (record) => {
    const address = resourceAddress(record);
    // Resources of the same provider are deleted together, whatever their dependencies.
    const options = { scope: undefined, leaving: record.provider };
    await resources.requestDeletion(organization, address, options);
  });
}
