// Everything a decision about a build needs, read at once from the caches; a Job that is not cached yet is asked for.
import type { Build } from '../../crds/build.ts';
import { type Informer, type Key, type KubeClient, refOf } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { label } from '../../store/kinds.ts';
import { type Job, jobKind, type Pod } from '../workloads.ts';

export interface Observed {
  readonly build: Build;
  readonly job: Job | undefined;
  /** The newest pod of the Job. */
  readonly pod: Pod | undefined;
  /** A build of the same bytes for the same provider that succeeded. */
  readonly twin: Build | undefined;
  /** Builds of the organization that have a Job and are not finished. */
  readonly running: number;
  /** Builds of the organization that wait and came earlier. */
  readonly ahead: number;
}

export interface ObserveDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly builds: Pick<Informer<Build>, 'get' | 'items'>;
  readonly jobs: Pick<Informer<Job>, 'get'>;
  readonly pods: Pick<Informer<Pod>, 'items'>;
}

/** @returns undefined for a build that is gone, or going with everything it owns */
export async function observe(key: Key, deps: ObserveDeps): Promise<Observed | undefined> {
  const build = deps.builds.get(key);
  if (build === undefined || build.metadata.deletionTimestamp !== undefined) return undefined;
  const { namespace = '' } = refOf(key);
  const all = [...deps.builds.items(namespace)];
  return {
    build,
    job: await jobOf(key, deps),
    pod: newestPod(deps.pods.items(namespace), build.metadata.name),
    twin: all.find((each) => isTwin(build, each)),
    running: all.filter(({ status }) => status?.phase === 'building').length,
    ahead: all.filter((each) => isWaiting(each) && isEarlier(each, build)).length,
  };
}

async function jobOf(key: Key, { client, jobs }: ObserveDeps): Promise<Job | undefined> {
  const cached = jobs.get(key);
  if (cached !== undefined) return cached;
  try {
    // The cache of Jobs may be behind that of Builds: what is missing there is not missing for sure.
    return await client.get<Job>(jobKind, refOf(key));
  } catch (thrown) {
    if (hasReason(thrown, 'notFound')) return undefined;
    throw thrown;
  }
}

function newestPod(pods: Iterable<Pod>, build: string): Pod | undefined {
  const created = ({ metadata }: Pod) => metadata.creationTimestamp ?? '';
  return [...pods]
    .filter(({ metadata }) => metadata.labels?.[label.build] === build)
    .sort((left, right) => (created(left) < created(right) ? 1 : -1))[0];
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

function isWaiting({ metadata, status }: Build): boolean {
  return metadata.deletionTimestamp === undefined && (status?.phase ?? 'pending') === 'pending';
}

function isEarlier(left: Build, right: Build): boolean {
  if (left.spec.version !== right.spec.version) return left.spec.version < right.spec.version;
  return left.metadata.name < right.metadata.name;
}
