// Deploys a version and waits until its pods serve, or until they have failed.
import type { Deployment, RegisteredType } from '../../api/shapes.ts';
import { deploymentState, podCounts } from '../../client/deployment.ts';
import { counted } from '../../client/time.ts';
import { shell } from '../../client/words/shell-word.ts';
import { blamesSettings } from '../../domain/providers/settings-trouble.ts';
import { abortablePause } from '../session/api/retry.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import type { Talk } from '../terminal/talk.ts';
import type { Following } from './following.ts';
import { findProvider } from './provider.ts';

interface RolloutRequestOptions {
  readonly provider: string;
  readonly version: string;
  /** Refuses a version whose schemas break resources. */
  readonly strict: boolean;
  /** Accepts a version that lacks types with resources. */
  readonly retireTypes: boolean;
  /** Number of pods; undefined keeps it. */
  readonly replicas?: number | undefined;
  /** Whether to wait until its pods serve. */
  readonly waits: boolean;
  /** Whether it was shown already what does not fit the version. */
  readonly isWarned?: boolean;
}

/** The version that runs before, for the line `from → to`. */
interface Rolling extends RolloutRequestOptions {
  readonly from: string | undefined;
}

const lookMs = 700;

/** Deploys a version, shows the progress, and waits if that is wanted. @throws CliError when its pods fail */
export async function roll(
  following: Following,
  wanted: RolloutRequestOptions,
): Promise<Deployment> {
  const { api, talk } = following;
  const { provider, version, waits, isWarned = false } = wanted;
  const from = (await findProvider(api, provider))?.version ?? undefined;
  const deployment = await deployVersion(following, { ...wanted, from });
  if (!isWarned) warnOfVersion(talk, deployment, from);
  if (!waits) return deployment;
  return await untilServing(following, { provider, version, label: 'Deploy', from });
}

/** The same request twice does no more than once. */
async function deployVersion(
  { api, progress }: Following,
  { provider, version, from, strict, retireTypes, replicas }: Rolling,
): Promise<Deployment> {
  const label = 'Deploy';
  progress.set('deploy', { label, state: 'waiting', detail: arrow(from, version), isDone: false });
  try {
    return await api.call('deployProvider', {
      path: { provider },
      query: strict ? { strict } : {},
      body: deployBody({ version, replicas, retireTypes }),
      isRepeatable: true,
    });
  } catch (thrown) {
    progress.set('deploy', { label, state: 'failed', detail: arrow(from, version), isDone: true });
    throw thrown;
  }
}

export function deployBody({
  version,
  replicas,
  retireTypes,
}: Pick<RolloutRequestOptions, 'version' | 'replicas' | 'retireTypes'>) {
  return { version, replicas, retire_types: retireTypes };
}

/** A wait for pods of a version that is wanted already. */
interface Awaited {
  readonly provider: string;
  readonly version: string;
  /** The text of the line of progress. */
  readonly label: string;
  /** The version that runs before, for the line `from → to`. */
  readonly from?: string | undefined;
  /** The error when its pods fail; default: that the version does not run. */
  readonly failure?: (deployment: Deployment) => CliError;
}

/** @returns the deployment whose pods serve. @throws CliError with the last words of a pod that failed */
export async function untilServing(
  { api, progress, deadline: { signal, waitFor } }: Following,
  { provider, version, label, from, failure = crashedVersion(provider) }: Awaited,
): Promise<Deployment> {
  const next = shell`fairlead provider get ${provider}`;
  for (;;) {
    const deployment = await api.call('getDeployment', { path: { provider }, signal });
    const { status, message } = deployment;
    if (deployment.version !== version)
      throw supersededVersion(provider, version, deployment.version);
    const isAvailable = status === 'available' && hasItsPods(deployment);
    const isDone = isAvailable || status === 'failed';
    const pods = `${counted(podCounts(deployment).ready, 'pod')} ready`;
    const text = isAvailable ? pods : message;
    const detail = `${arrow(from, version)}  ${text}`;
    progress.set('deploy', { label, state: deploymentState(deployment), detail, isDone });
    if (isAvailable) return deployment;
    if (status === 'failed') throw failure(deployment);
    waitFor(`version ${version} of ${provider} does not serve yet: ${message}`, next);
    await abortablePause(lookMs, signal);
  }
}

/** A version that already serves is available while more of its pods start. */
export function hasItsPods({
  replicas,
  ready_replicas: ready,
}: Pick<Deployment, 'replicas' | 'ready_replicas'>): boolean {
  return ready >= replicas;
}

/**
 * Warns of resources that do not fit a version. Before anything of the version has started, its message is about nothing else.
 * @param deployment the answer to the request, or to its preview
 * @param from the version that was wanted before
 */
export function warnOfVersion(
  talk: Talk,
  { version, message, incompatible_count: count }: Deployment,
  from: string | undefined,
): void {
  if (message !== '' && (count > 0 || version !== from)) talk.warn(`${message}.`);
}

/** Warns of resources that do not fit a registration. @param type such as `box/lid` */
export function warnOfMisfits(
  talk: Talk,
  {
    incompatible_count: count = 0,
    incompatible_resources: some = [],
  }: Pick<RegisteredType, 'incompatible_count' | 'incompatible_resources'>,
  type: string,
): void {
  if (count === 0) return;
  const names = some.map((id) => id.replace(/^resource:/, '')).join(', ');
  const more = count > some.length ? ', …' : '';
  const does = count === 1 ? 'does' : 'do';
  talk.warn(
    `${counted(count, 'resource')} ${does} not fit the registration of ${type}: ${names}${more}`,
  );
}

/** @returns `from → to`, or only `to` */
function arrow(from: string | undefined, to: string): string {
  return from === undefined || from === to ? to : `${from} → ${to}`;
}

function supersededVersion(provider: string, version: string, other: string): CliError {
  return new CliError(
    `Version ${other} of ${provider} was deployed meanwhile, instead of ${version}.`,
    { exit: ExitCode.conflict, next: shell`fairlead provider get ${provider}` },
  );
}

function crashedVersion(provider: string): (deployment: Deployment) => CliError {
  return ({ version, serving_version: serving, message }) => {
    const isOther = serving !== null && serving !== version;
    const logs = shell`Logs: fairlead logs ${provider}.`;
    // Another version would get the same settings.
    const undo = blamesSettings(message)
      ? shell`Correct them: fairlead provider settings set --provider ${provider} NAME`
      : shell`Undo: fairlead rollback ${provider}`;
    return new CliError(`Version ${version} of ${provider} does not run.`, {
      facts: [message, ...(isOther ? [`Version ${serving} continues to serve.`] : [])],
      next:
        isOther || blamesSettings(message)
          ? `${logs}  ${undo}`
          : shell`Logs: fairlead logs ${provider}`,
    });
  };
}
