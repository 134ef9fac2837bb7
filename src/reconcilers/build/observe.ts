// Reads everything for a decision about a build from the caches at once. Caches of different kinds are of different moments:
// what may be missing there is read from the API server.
import type { Build } from '../../crds/build.ts';
import type { Organization } from '../../crds/organization.ts';
import { type ArtifactStore, isDigest } from '../../domain/providers/artifact.ts';
import { isBuildFinished } from '../../domain/providers/build.ts';
import { type Informer, type Key, type KubeClient, refOf } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { label } from '../../store/kinds.ts';
import type { GuardWatch } from '../organization/guard-watch.ts';
import {
  type CoreEvent,
  coreEventKind,
  isControlledBy,
  isTrue,
  type Job,
  jobKind,
  type Pod,
  podKind,
} from '../workloads.ts';
import { isRunning, isWaiting } from './concurrency.ts';

export interface Observed {
  readonly build: Build;
  readonly job: Job | undefined;
  /** The newest pod of the Job. */
  readonly pod: Pod | undefined;
  /** A successful build of the same bytes for the same provider, whose code still exists. */
  readonly twin: Build | undefined;
  /** Number of unfinished builds of the organization that have a Job. */
  readonly running: number;
  /** Number of earlier builds of the organization that wait. */
  readonly ahead: number;
  /** Why no workload may be created in the namespace now. */
  readonly unguarded: string | undefined;
  readonly suspended: boolean;
  /** Why the pod of the Job was refused. */
  readonly refusal: string | undefined;
}

export interface ObserveDeps {
  readonly client: Pick<KubeClient, 'get' | 'list'>;
  readonly builds: Pick<Informer<Build>, 'get' | 'items'>;
  readonly jobs: Pick<Informer<Job>, 'get'>;
  readonly pods: Pick<Informer<Pod>, 'items'>;
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly guardWatch: Pick<GuardWatch, 'problem'>;
  readonly artifacts: Pick<ArtifactStore, 'has'>;
}

/** @returns undefined for a build that is gone, or being deleted with everything it owns */
export async function observe(key: Key, deps: ObserveDeps): Promise<Observed | undefined> {
  const build = deps.builds.get(key);
  if (build === undefined || build.metadata.deletionTimestamp !== undefined) return undefined;
  const { namespace = '' } = refOf(key);
  const all = [...deps.builds.items(namespace)];
  const job = await jobOf(key, build, deps);
  const pod = await podOf(build, job, deps);
  return {
    build,
    job,
    pod,
    refusal: pod === undefined ? await jobRefusal(build, job, deps) : undefined,
    unguarded: deps.guardWatch.problem(namespace),
    suspended: deps.organizations.get(namespace)?.spec.suspended ?? false,
    twin: job === undefined && isWaiting(build) ? await twinOf(build, all, deps) : undefined,
    running: all.filter(isRunning).length,
    ahead: all.filter((each) => isWaiting(each) && isEarlier(each, build)).length,
  };
}

async function jobOf(
  key: Key,
  build: Build,
  { client, jobs }: ObserveDeps,
): Promise<Job | undefined> {
  const ours = (job: Job | undefined) =>
    job !== undefined && isControlledBy(build, job) ? job : undefined;
  const cached = ours(jobs.get(key));
  if (cached !== undefined || isBuildFinished(build.status?.phase ?? 'pending')) return cached;
  try {
    // The cache of Jobs may lag behind that of Builds: a missing Job may exist.
    return ours(await client.get<Job>(jobKind, refOf(key)));
  } catch (thrown) {
    if (hasReason(thrown, 'notFound')) return undefined;
    throw thrown;
  }
}

async function podOf(
  { metadata, status }: Build,
  job: Job | undefined,
  { client, pods }: ObserveDeps,
): Promise<Pod | undefined> {
  if (job === undefined) return undefined;
  const { name, namespace = '' } = metadata;
  const cached = newestPod(pods.items(namespace), job);
  if (!hasJobEnded(job) || isBuildFinished(status?.phase ?? 'pending')) return cached;
  if (cached?.status?.phase === 'Succeeded' || cached?.status?.phase === 'Failed') return cached;
  // A Job ends after its pod: a cached pod that has not ended is outdated and lacks the result.
  const labelSelector = `${label.build}=${name}`;
  const { items } = await client.list<Pod>(podKind, { namespace, labelSelector });
  return newestPod(items, job);
}

/** The Job does not report refused pods; only events do. */
async function jobRefusal(
  { metadata, status }: Build,
  job: Job | undefined,
  { client }: ObserveDeps,
): Promise<string | undefined> {
  const { uid } = job?.metadata ?? {};
  if (uid === undefined || isBuildFinished(status?.phase ?? 'pending')) return undefined;
  const { namespace = '' } = metadata;
  const fieldSelector = `involvedObject.uid=${uid},reason=FailedCreate`;
  const { items } = await client.list<CoreEvent>(coreEventKind, { namespace, fieldSelector });
  const seenAt = ({ lastTimestamp }: CoreEvent) => lastTimestamp ?? '';
  const newest = items.sort((left, right) => (seenAt(left) < seenAt(right) ? 1 : -1))[0];
  return newest?.message;
}

function hasJobEnded(job: Job | undefined): boolean {
  return ['Complete', 'Failed'].some((type) => isTrue(job?.status?.conditions, type) !== undefined);
}

/** By owner: its termination message names the result, and anybody who may create pods here may set our label. */
function newestPod(pods: Iterable<Pod>, job: Job): Pod | undefined {
  const created = ({ metadata }: Pod) => metadata.creationTimestamp ?? '';
  return [...pods]
    .filter((pod) => isControlledBy(job, pod))
    .sort((left, right) => (created(left) < created(right) ? 1 : -1))[0];
}

/** Code can be lost with the pod that stored it, or left in an earlier artifact store; pushing it again must help. */
async function twinOf(
  build: Build,
  all: readonly Build[],
  { artifacts }: ObserveDeps,
): Promise<Build | undefined> {
  for (const each of all.filter((other) => isTwin(build, other))) {
    const { digest = '' } = each.status?.artifact ?? {};
    if (isDigest(digest) && (await artifacts.has(digest))) return each;
  }
  return undefined;
}

function isTwin({ metadata, spec }: Build, other: Build): boolean {
  return (
    other.metadata.uid !== metadata.uid &&
    other.spec.provider === spec.provider &&
    other.spec.source.digest === spec.source.digest &&
    other.status?.phase === 'success' &&
    other.status.artifact !== undefined
  );
}

function isEarlier(left: Build, right: Build): boolean {
  if (left.spec.version !== right.spec.version) return left.spec.version < right.spec.version;
  return left.metadata.name < right.metadata.name;
}
