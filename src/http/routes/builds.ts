// Implements /providers/{provider}/push and /builds: the upload and build of provider code.
import type { ArtifactRef, StagedArtifact } from '../../domain/providers/artifact.ts';
import type { BuildStore } from '../../store/builds/store.ts';
import type { ProviderStore } from '../../store/providers/store.ts';
import { type Endpoint, endpoint, uploadEndpoint } from '../endpoint.ts';
import { presentBuild, presentPush } from '../response/provider.ts';
import { json } from '../response/send.ts';

export interface BuildRoutesDeps {
  readonly builds: BuildStore;
  readonly providers: Pick<ProviderStore, 'requireOpen'>;
  /** Inspects an uploaded file without unpacking it. @throws FairleadError `bad_archive` */
  readonly inspect: (path: string) => Promise<unknown>;
}

const tag = 'Builds';

export function buildRoutes(deps: BuildRoutesDeps): readonly Endpoint[] {
  return [pushCode(deps), listBuilds(deps), getBuild(deps)];
}

function pushCode({ builds, providers, inspect }: BuildRoutesDeps): Endpoint {
  return uploadEndpoint('pushCode', {
    documentation: {
      tag,
      summary: 'Upload provider code and build it',
      description:
        'Every upload is a separate version. Its build is queued. It runs after it is deployed.',
      answer: { status: 200, description: 'The build that was started.' },
      errors: ['bad_archive', 'provider_deleting'],
    },
    handle: async ({ caller, path: { provider }, file, about }) => {
      await providers.requireOpen(caller.organization, provider);
      const source = await keepArtifact(await file(), inspect);
      // A crash in between leaves bytes that no build names: nobody can see them, and another push stores the same bytes.
      const record = await builds.create(caller.organization, provider, source);
      about({ job_name: record.jobName });
      return json(presentPush(record));
    },
  });
}

async function keepArtifact(
  staged: StagedArtifact,
  inspect: BuildRoutesDeps['inspect'],
): Promise<ArtifactRef> {
  try {
    await inspect(staged.path);
    return await staged.commit();
  } finally {
    await staged.discard();
  }
}

function listBuilds({ builds }: BuildRoutesDeps): Endpoint {
  return endpoint('listBuilds', {
    documentation: {
      tag,
      summary: 'List the builds of a provider',
      description: 'Sorted from newest to oldest. Only the latest of the finished builds are kept.',
      answer: { status: 200, description: 'The builds.' },
    },
    handle: async ({ caller, path: { provider } }) => {
      const records = await builds.list(caller.organization, provider);
      return json(records.map(presentBuild));
    },
  });
}

function getBuild({ builds }: BuildRoutesDeps): Endpoint {
  return endpoint('getBuild', {
    documentation: {
      tag,
      summary: 'Get a build',
      answer: { status: 200, description: 'The current status of the build.' },
      errors: ['build_not_found'],
    },
    handle: async ({ caller, path: { provider, job_name } }) => {
      const record = await builds.get(caller.organization, provider, job_name);
      return json(presentBuild(record));
    },
  });
}
