// Defines the requests and responses for provider code: builds, deployments, providers.

import { z } from 'zod';
import { buildPhases, versionPattern } from '../../domain/providers/build.ts';
import { deploymentStates } from '../../domain/providers/deployment.ts';
import { cpuPattern, memoryPattern, replicasRange } from '../../domain/providers/pod-resources.ts';
import { ProviderName, Timestamp } from './core.ts';
import { dryRun } from './dry-run.ts';

export const Version = z
  .string()
  .max(15)
  .regex(versionPattern, 'Input should be the "version" of a build, such as 20261121.224618')
  .describe('Version of the code: the time of its upload as YYYYMMDD.HHMMSS.')
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
    message: z.string().describe('Explanation of the next step for people.'),
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
    error_message: z
      .string()
      .nullable()
      .describe('Error message of a failed build, otherwise null.'),
    version: Version,
    provider_id: ProviderName.describe('Same as the provider of the path.'),
    image: z.null().describe('Always null: builds make artifacts, not images.'),
    created_at: Timestamp.describe('Time of the upload.'),
    started_at: Timestamp.nullable().describe(
      'Time at which the build started. Null while it waits.',
    ),
    finished_at: Timestamp.nullable().describe(
      'Time at which the build finished. Null before that.',
    ),
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

const { min, max } = replicasRange;
const amounts = z.strictObject({
  cpu: z
    .string()
    .regex(cpuPattern, 'Input should be a number of CPUs such as 2, 0.5 or 500m, and not 0')
    .optional()
    .describe('CPUs, whole, decimal or in thousandths.')
    .meta({ examples: ['500m'] }),
  memory: z
    .string()
    .regex(memoryPattern, 'Input should be a whole number with Mi or Gi, such as 512Mi')
    .optional()
    .describe('Memory in Mi or Gi.')
    .meta({ examples: ['512Mi'] }),
});
const Resources = z
  .strictObject({
    requests: amounts.optional().describe('Amounts that are reserved for each pod.'),
    limits: amounts.optional().describe('Amounts that each pod can use at most.'),
  })
  .meta({ examples: [{ requests: { cpu: '250m' }, limits: { memory: '1Gi' } }] });

const RetireTypes = z
  .boolean()
  .default(false)
  .describe(
    'Accepts a version that lacks types with resources. The resources stay readable; they are neither changed nor deleted until a version has their type again.',
  );

export const DeployRequest = z
  .strictObject({
    version: Version.nullable()
      .optional()
      .describe('Version to deploy. Defaults to the newest version with a successful build.'),
    replicas: z
      .int()
      .min(min)
      .max(max)
      .nullable()
      .optional()
      .describe(
        'Number of pods. Without it the number stays as it is, also when an autoscaler has set it; at first it is 1.',
      ),
    resources: Resources.nullable()
      .optional()
      .describe(
        'CPU and memory of each pod, within the limits of the organization. Without it they stay as they are; `{}` restores the default: 50m and 64Mi reserved, at most 1 and 512Mi.',
      ),
    retire_types: RetireTypes,
  })
  .optional()
  .meta({ examples: [{ version: '20260131.120000', replicas: 2 }, {}] });

export const RollbackRequest = z
  .strictObject({
    version: Version.nullable()
      .optional()
      .describe(
        'Version to roll back to. Defaults to the last version that served, other than the wanted one.',
      ),
    retire_types: RetireTypes,
  })
  .optional()
  .meta({ examples: [{ version: '20260131.120000' }, {}] });

export const DeployQuery = z.object({
  strict: z
    .boolean()
    .default(false)
    .describe(
      'Rejects a version whose schemas do not fit the configs of existing resources, or that lacks outputs to which some of them refer.',
    ),
  ...dryRun,
});

const deployment = {
  status: z.enum(deploymentStates),
  available_replicas: Count.describe(
    'Number of pods that have been ready for the minimum ready time.',
  ),
  ready_replicas: Count.describe('Number of pods that are ready to receive events.'),
  replicas: Count.describe('Number of pods that should run; 0 when Fairlead runs none.'),
  serving_version: Version.nullable().describe(
    'Version whose pods get events and whose types are in force. Null before the first version has taken over, and for a provider that runs elsewhere.',
  ),
  message: z.string().describe('Explanation of the status for people.'),
};

export const Deployment = z
  .object({
    deployment_name: z.string().describe('Name of the Deployment.'),
    ...deployment,
    version: Version.describe('Version that should run.'),
    resources: Resources.describe('CPU and memory of each pod; what is absent has a default.'),
    updated_at: Timestamp,
    incompatible_count: Count.describe(
      'Number of resources whose configs do not fit the types of the version, or that refer to outputs which these lack. The latter may be of other providers.',
    ),
    incompatible_resources: z
      .array(z.string())
      .max(20)
      .describe(
        'Ids of the first of these resources. Deploying the version again updates the list.',
      ),
  })
  .meta({
    examples: [
      {
        deployment_name: 'provider-postgres',
        status: 'available',
        available_replicas: 1,
        ready_replicas: 1,
        replicas: 1,
        serving_version: '20260131.120000',
        resources: {},
        version: '20260131.120000',
        updated_at: '2026-01-31T12:01:00.000Z',
        message: 'Version 20260131.120000 is serving',
        incompatible_count: 1,
        incompatible_resources: ['resource:postgres_database_orders'],
      },
    ],
  });

export const Provider = z.object({
  provider: ProviderName,
  provider_id: ProviderName.describe('Same as `provider`.'),
  hosted: z
    .boolean()
    .describe('Whether Fairlead runs the provider. False for a provider that runs elsewhere.'),
  ...deployment,
  version: Version.nullable().describe(
    'Version that should run. Null when the provider runs elsewhere.',
  ),
  previous_version: Version.nullable().describe(
    'Version that a rollback deploys: the last one that served, other than `version`. Null when there is none.',
  ),
  current_version: Version.nullable().describe('Same as `version`; null before the first deploy.'),
  deployment_status: z
    .enum(deploymentStates)
    .nullable()
    .describe('Same as `status`; null before the first deploy, and when it runs elsewhere.'),
  corrections_held: z
    .object({
      since: Timestamp,
      message: z.string().describe('How many objects differ or are gone, for people.'),
    })
    .nullable()
    .describe(
      'Present while no drift is corrected, because so many objects differ or are gone that the provider may look in the wrong place. Null otherwise.',
    ),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const Providers = z.array(Provider);

export const DeleteProviderQuery = z.object({
  cascade: z.boolean().default(false).describe('Deletes the resources of the provider too.'),
});

export const DeletedProvider = z
  .object({
    provider_id: ProviderName,
    deployment_deleted: z.boolean().describe('Whether the provider had a deployment.'),
    builds_cancelled: Count.describe('Number of unfinished builds.'),
    resources_deleted: Count.describe(
      'Number of resources whose deletion is requested. The provider is removed after it has deleted what it created.',
    ),
    resource_definitions_deleted: Count.describe('Number of unregistered types.'),
    dead_letter_events_deleted: Count.describe('Number of deleted dead letters.'),
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
