// `fairlead deploy` and `fairlead rollback`: make another version of a provider run.

import type { Deployment, Provider } from '../../../api/shapes.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { versionPattern } from '../../../domain/providers/build.ts';
import { withSteps } from '../../providers/following.ts';
import { defaultProvider, findProvider } from '../../providers/provider.ts';
import { deployBody, roll, warnOfVersion } from '../../providers/rollout.ts';
import { deploymentView } from '../../providers/views.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { refuseUnknownProvider } from '../../session/meant.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function deploy(invocation: Invocation): Promise<void> {
  const api = await invocation.api();
  const { provider, version: given } = await argumentsOf(invocation);
  const version = given ?? (await newestBuilt(api, provider));
  const { flags } = invocation;
  const retireTypes = flags.on('retire-types');
  const target = { provider, version, replicas: flags.count('replicas'), retireTypes };
  if (flags.on('dry-run')) return await previewDeployment(invocation, 'deployProvider', target);
  await rollTo(invocation, target);
}

export async function rollback(invocation: Invocation): Promise<void> {
  const { flags, talk } = invocation;
  const api = await invocation.api();
  const { provider, version: given } = await argumentsOf(invocation);
  const current = await findProvider(api, provider);
  const version = given ?? previousOf(provider, current);
  const target = { provider, version, retireTypes: flags.on('retire-types') };
  if (flags.on('dry-run')) return await previewDeployment(invocation, 'rollbackProvider', target);
  const from = current?.version ?? undefined;
  warnOfVersion(talk, await previewed(invocation, 'rollbackProvider', target), from);
  // With the version that was shown: a rollback without one returns to whatever ran before at that moment.
  await rollTo(invocation, { ...target, isWarned: true });
}

interface DeployTarget {
  readonly provider: string;
  readonly version: string;
  readonly replicas?: number | undefined;
  readonly retireTypes: boolean;
  /** Whether it was shown already what does not fit the version. */
  readonly isWarned?: boolean;
}

/** Both arguments are optional, and a version does not look like a provider. */
async function argumentsOf(
  invocation: Invocation,
): Promise<{ provider: string; version: string | undefined }> {
  const [first, second] = invocation.args;
  const isVersion = first !== undefined && versionPattern.test(first);
  if (isVersion && second !== undefined) {
    throw usageError(`The provider comes first: ${second} ${first}.`);
  }
  const provider = isVersion || first === undefined ? await defaultProvider(invocation) : first;
  const version = isVersion ? first : second;
  if (version !== undefined && !versionPattern.test(version)) {
    throw usageError(
      `A version looks like 20260131.120000, not "${version}".`,
      shell`fairlead build list ${provider}`,
    );
  }
  return { provider, version };
}

async function newestBuilt(api: Api, provider: string): Promise<string> {
  const builds = await api.list('listBuilds', { path: { provider } });
  const newest = builds.find(({ status }) => status === 'success');
  if (newest !== undefined) return newest.version;
  if (builds.length === 0) await refuseUnknownProvider(api, provider);
  throw new CliError(`${provider} has no successful build.`, {
    exit: ExitCode.notFound,
    next:
      builds.length === 0
        ? shell`fairlead push --provider ${provider}`
        : shell`fairlead build list ${provider}`,
  });
}

function previousOf(provider: string, current: Provider | undefined): string {
  const version = current?.previous_version;
  if (version !== undefined && version !== null) return version;
  throw new CliError(`${provider} has no other version that served, to roll back to.`, {
    exit: ExitCode.notFound,
    next: shell`fairlead build list ${provider}`,
  });
}

async function rollTo(invocation: Invocation, target: DeployTarget): Promise<void> {
  const { flags } = invocation;
  const waits = flags.choice('wait') !== false;
  const wanted = { ...target, waits, strict: flags.on('strict') };
  const deployment = await withSteps(invocation, (following) => roll(following, wanted));
  await showDeployment(invocation, target.provider, deployment);
}

async function showDeployment(
  { output, talk }: Invocation,
  provider: string,
  deployment: Deployment,
): Promise<void> {
  const { version, status } = deployment;
  if (!output.isForPeople) await output.record(deployment, deploymentView);
  else if (output.width === undefined || talk.quiet) output.line(version);
  talk.note(
    status === 'available'
      ? `${provider} ${version} is running.`
      : shell`${provider} ${version} is starting.  Watch: fairlead provider get ${provider}`,
  );
}

type RolloutOperation = 'deployProvider' | 'rollbackProvider';

async function previewDeployment(
  invocation: Invocation,
  operation: RolloutOperation,
  target: DeployTarget,
): Promise<void> {
  const { output, talk } = invocation;
  const { provider, version } = target;
  const deployment = await previewed(invocation, operation, target);
  if (!output.isForPeople) await output.record(deployment, deploymentView);
  else {
    const { version: from } = (await findProvider(await invocation.api(), provider)) ?? {};
    warnOfVersion(talk, deployment, from ?? undefined);
  }
  talk.note(`${provider} would run ${version}. Nothing was changed.`);
}

async function previewed(
  { api, flags }: Invocation,
  operation: RolloutOperation,
  { provider, ...wanted }: DeployTarget,
): Promise<Deployment> {
  return await (await api()).call(operation, {
    path: { provider },
    query: { dry_run: true, ...(flags.on('strict') ? { strict: true } : {}) },
    body: deployBody(wanted),
    isRepeatable: true,
  });
}
