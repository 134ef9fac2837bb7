// Implements /providers/{provider}/deploy, /rollback, /deployment: which version of a provider runs, and its health.
import type { z } from 'zod';
import type { DeployQuery } from '../../api/schemas/providers.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { planHeader, planHeaderOf } from '../request/dry-run.ts';
import { notDeployed } from '../response/not-deployed.ts';
import { presentDeployment } from '../response/provider.ts';
import { json, type RouteAnswer } from '../response/send.ts';
import { type DeployingDeps, deployBuild, type Rollout } from './deploy.ts';
import { stillIncompatible } from './incompatible-resources.ts';

const tag = 'Deployments';
const deployed = {
  status: 200,
  description:
    'The current status of the deployment. The running version serves until the new version is ready. With `dry_run=true`, the status as it would be.',
  headers: planHeaderOf('create', 'update', 'none'),
};
const refusals = [
  'build_not_found',
  'build_not_successful',
  'schemas_break',
  'type_in_use',
  'conflict',
  'provider_deleting',
] as const;

export function deploymentRoutes(deps: DeployingDeps): readonly Endpoint[] {
  return [deployProvider(deps), rollbackProvider(deps), getDeployment(deps)];
}

function deployProvider(deps: DeployingDeps): Endpoint {
  return endpoint('deployProvider', {
    documentation: {
      tag,
      summary: 'Deploy a version',
      description:
        'The types of the version are in force from the moment at which it serves; until then the version before decides about applies. `incompatible_resources` lists resources whose configs do not fit the version, and those that refer to outputs which it lacks. Deploying the same version again updates only that list.',
      answer: deployed,
      errors: refusals,
    },
    handle: async ({ caller, path: { provider }, query, body, about }) => {
      const version = body?.version ?? undefined;
      if (version !== undefined) about({ version });
      const { organization } = caller;
      const rollout = await deployBuild(deps, organization, {
        provider,
        version,
        replicas: body?.replicas ?? undefined,
        resources: body?.resources ?? undefined,
        retireTypes: body?.retire_types ?? false,
        ...askedIn(query),
      });
      about({ version: rollout.version });
      return await rolloutAnswer(deps, organization, rollout);
    },
  });
}

function rollbackProvider(deps: DeployingDeps): Endpoint {
  return endpoint('rollbackProvider', {
    documentation: {
      tag,
      summary: 'Deploy an earlier version',
      description:
        'Deploys the version in the body, or the last version that served, other than the wanted one. Two requests without a version restore the first version, once each of the two has served.',
      answer: deployed,
      errors: [...refusals, 'not_deployed'],
    },
    handle: async ({ caller, path: { provider }, query, body, about }) => {
      const { organization } = caller;
      const version =
        body?.version ?? (await deps.providers.find(organization, provider))?.previousVersion;
      if (version === undefined) {
        const message = `Provider ${provider} has no other version that served, to roll back to`;
        throw new FairleadError('not_deployed', message);
      }
      about({ version });
      const retireTypes = body?.retire_types ?? false;
      const asked = { provider, version, retireTypes, ...askedIn(query) };
      const rollout = await deployBuild(deps, organization, asked);
      return await rolloutAnswer(deps, organization, rollout);
    },
  });
}

function askedIn({ strict, dry_run }: z.output<typeof DeployQuery>) {
  return { strict, isPreview: dry_run };
}

async function rolloutAnswer(
  deps: DeployingDeps,
  organization: Organization,
  { record, version, note, change }: Rollout,
): Promise<RouteAnswer> {
  const incompatible = await stillIncompatible(deps, organization, record);
  const headers = change === undefined ? {} : planHeader(change);
  return json(presentDeployment({ ...record, version }, { note, incompatible }), { headers });
}

function getDeployment(deps: DeployingDeps): Endpoint {
  return endpoint('getDeployment', {
    documentation: {
      tag,
      summary: 'Get the deployment of a provider',
      answer: {
        status: 200,
        description: 'The current status of the deployment.',
      },
      errors: ['not_deployed'],
    },
    handle: async ({ caller, path: { provider } }) => {
      const record = await deps.providers.find(caller.organization, provider);
      if (record?.version === undefined) {
        throw notDeployed(provider, record?.endpoint, 'version');
      }
      const { version } = record;
      const incompatible = await stillIncompatible(deps, caller.organization, record);
      return json(presentDeployment({ ...record, version }, { incompatible }));
    },
  });
}
