// Defines the requests and responses for provider code: builds, deployments, providers.
import { z } from 'zod';
import { buildPhases, versionPattern } from '../../domain/build.ts';
import { deploymentStates } from '../../store/providers/store.ts';
import { ProviderName, Timestamp } from './core.ts';

const Version = z
  .string()
  .max(15)
  .regex(versionPattern, 'versions are the "version" of a build, such as 20261121.224618')
  .describe('Version of the code, the time of its upload: YYYYMMDD.HHMMSS.')
  .meta({ examples: ['20260131.120000'] });
const JobName = z
  .string()
  .describe('Name of the build, and of its Job.')
  .meta({ examples: ['postgres-20260131-120000'] });
const Count = z.int().min(0);

export const ProviderPath = z.object({ provider: ProviderName });
export const BuildPath = z.object({
  provider: ProviderName,
  // An invalid name gives 404, as for a build of somebody else.
  job_name: JobName,
});

export const PushedBuild = z
  .object({
    version: Version,
    job_name: JobName,
    status: z.enum(buildPhases),
    message: z.string().describe('What happens next, for people.'),
  })
  .meta({
    examples: [
      {
        version: '20260131.120000',
        job_name: 'postgres-20260131-120000',
        status: 'pending',
        message: 'Version 20260131.120000 of postgres is waiting to be built',
      },
    ],
  });

export const Build = z
  .object({
    job_name: JobName,
    status: z.enum(buildPhases),
    error_message: z.string().nullable().describe('Why the build failed; null when it did not.'),
    version: Version,
    provider_id: ProviderName.describe('Same as the provider of the path.'),
    image: z.null().describe('Always null: builds make artifacts, not images.'),
    created_at: Timestamp.describe('When the code was uploaded.'),
    started_at: Timestamp.nullable().describe('When it began to run; null while it waits.'),
    finished_at: Timestamp.nullable().describe('When it ended; null before.'),
  })
  .meta({
    examples: [
      {
        job_name: 'postgres-20260131-120000',
        status: 'success',
        error_message: null,
        version: '20260131.120000',
        provider_id: 'postgres',
        image: null,
        created_at: '2026-01-31T12:00:00.000Z',
        started_at: '2026-01-31T12:00:02.000Z',
        finished_at: '2026-01-31T12:00:30.000Z',
      },
    ],
  });
export const Builds = z.array(Build);

export const DeployRequest = z
  .strictObject({
    version: Version.nullable()
      .optional()
      .describe('The version to deploy; the newest that was built with success when absent.'),
  })
  .optional()
  .meta({ examples: [{ version: '20260131.120000' }, {}] });

export const RollbackRequest = z
  .strictObject({
    version: Version.nullable()
      .optional()
      .describe('The version to go back to; the one that was deployed before when absent.'),
  })
  .optional()
  .meta({ examples: [{ version: '20260131.120000' }, {}] });

export const DeployQuery = z.object({
  strict: z
    .boolean()
    .default(false)
    .describe('Refuse a version whose schemas do not fit the configs of resources that exist.'),
});

const deployment = {
  status: z.enum(deploymentStates),
  available_replicas: Count.describe('Pods that have been ready long enough to count.'),
  ready_replicas: Count.describe('Pods that are ready for events.'),
  message: z.string().describe('Why it is in this state, for people.'),
};

export const Deployment = z
  .object({
    deployment_name: z.string().describe('Name of the Deployment.'),
    ...deployment,
    version: Version.describe('The version that shall run.'),
    updated_at: Timestamp,
    incompatible_count: Count.describe(
      'Resources whose configs the types of the version would refuse.',
    ),
    incompatible_resources: z
      .array(z.string())
      .max(20)
      .describe(
        'The first of them, by id. Deploying the version again looks for all of them anew.',
      ),
  })
  .meta({
    examples: [
      {
        deployment_name: 'provider-postgres',
        status: 'available',
        available_replicas: 1,
        ready_replicas: 1,
        version: '20260131.120000',
        updated_at: '2026-01-31T12:01:00.000Z',
        message: 'Version 20260131.120000 serves',
        incompatible_count: 1,
        incompatible_resources: ['resource:postgres_database_orders'],
      },
    ],
  });

export const Provider = z.object({
  provider: ProviderName,
  provider_id: ProviderName.describe('Same as `provider`.'),
  hosted: z.boolean().describe('Whether Fairlead runs it; false for one that runs elsewhere.'),
  ...deployment,
  version: Version.nullable().describe('The version that shall run; null when it runs elsewhere.'),
  previous_version: Version.nullable().describe('The version a rollback would deploy.'),
  current_version: Version.nullable().describe('Same as `version`; null before the first deploy.'),
  deployment_status: z
    .enum(deploymentStates)
    .nullable()
    .describe('Same as `status`; null before the first deploy, and when it runs elsewhere.'),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const Providers = z.array(Provider);

export const DeleteProviderQuery = z.object({
  cascade: z.boolean().default(false).describe('Delete its resources too.'),
});

export const DeletedProvider = z
  .object({
    provider_id: ProviderName,
    deployment_deleted: z.boolean().describe('Whether there was a deployment.'),
    builds_cancelled: Count.describe('Builds that had not ended.'),
    resources_deleted: Count.describe(
      'Resources whose deletion is requested; the provider deletes what it made before it goes.',
    ),
    resource_definitions_deleted: Count.describe('Types that are registered no more.'),
    dead_letter_events_deleted: Count.describe('Dead letters of its events.'),
  })
  .meta({
    examples: [
      {
        provider_id: 'postgres',
        deployment_deleted: true,
        builds_cancelled: 0,
        resources_deleted: 2,
        resource_definitions_deleted: 2,
        dead_letter_events_deleted: 0,
      },
    ],
  });
