// Performs exactly one decision about a build. Log and artifact are stored before the status that names them; after a crash
// in between, a repetition stores the same bytes under the same digest.
import { Readable } from 'node:stream';
import type { Build } from '../../crds/build.ts';
import { type ConditionWanted, conditions, Reason } from '../../crds/conditions.ts';
import { maskCredentials } from '../../credentials/mask.ts';
import type { ArtifactRef, ArtifactStore, Digest } from '../../domain/providers/artifact.ts';
import type { PodScheduling } from '../../domain/providers/pod-scheduling.ts';
import { fieldOrder } from '../../domain/schemas/field-order.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import {
  again,
  type Informer,
  type KubeClient,
  lookAgain,
  type Outcome,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import { hasReason, unlessExists } from '../../kube/errors.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { BuildTokens } from '../../providers/workloads/build-job.ts';
import { buildJob, buildSecrets } from '../../providers/workloads/build-job.ts';
import type { BuiltType } from '../../store/builds/store.ts';
import { apiVersion, kinds, label } from '../../store/kinds.ts';
import { typeContent } from '../../store/providers/type-content.ts';
import { jobKind, secretKind } from '../workloads.ts';
import type { BuildSettings, Decision } from './decide.ts';
import { explainRefusal } from './failure.ts';
import { changedDefaultProblem, type KeptDefaultsDeps } from './kept-defaults.ts';
import type { Observed } from './observe.ts';
import { resultOf, UnusableResult } from './result.ts';

type Status = NonNullable<Build['status']>;

export interface ActDeps extends KeptDefaultsDeps {
  readonly client: KubeClient;
  readonly builds: Pick<Informer<Build>, 'remember'>;
  readonly artifacts: ArtifactStore;
  readonly schemas: Pick<SchemaSandbox, 'checkSchema'>;
  /** Tokens for the pod of one build: to fetch its source, and to upload its result. */
  readonly tokens: (build: string, source: Digest) => Promise<BuildTokens>;
  /** The whole log of an ended pod for storage; undefined when there is none. */
  readonly captureLog: (ref: {
    namespace: string;
    name: string;
  }) => Promise<Uint8Array | undefined>;
  /** Image of Fairlead itself. */
  readonly image: string;
  /** Base URL of the internal listener, as pods reach it. */
  readonly artifactsUrl: string;
  /** The current pull credentials of the image. */
  readonly pullConfig?: (() => string) | undefined;
  /** Set by the administrator for all pods of tenants. */
  readonly scheduling?: PodScheduling | undefined;
  readonly settings: BuildSettings;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
}

const maxLogBytes = 2 * 1_048_576;

export function act(decision: Decision, observed: Observed, deps: ActDeps): Promise<Outcome> {
  switch (decision.do) {
    case 'nothing':
      return Promise.resolve(settled);
    case 'reuse':
      return reuse(observed, deps);
    case 'queue':
      return announceReason(observed, decision, deps);
    case 'start':
      return start(observed, deps);
    case 'announce':
      return announce(observed, deps);
    case 'awaitPod':
      return awaitPod(observed, decision.refusal, deps);
    case 'collect':
      return collect(observed, deps);
    case 'fail':
      return fail(observed, decision.error, deps);
  }
}

async function start({ build }: Observed, deps: ActDeps): Promise<Outcome> {
  const { metadata, spec } = build;
  const { name, namespace = '', uid = '' } = metadata;
  const options = {
    name,
    namespace,
    labels: {
      [label.managedBy]: 'fairlead',
      [label.provider]: spec.provider,
      [label.build]: name,
    },
    owner: { apiVersion, name, uid },
    provider: spec.provider,
    image: deps.image,
    artifactsUrl: deps.artifactsUrl,
    sourceDigest: spec.source.digest,
    deadlineSeconds: deps.settings.deadlineSeconds,
    npmRegistry: deps.settings.npmRegistry,
    pullConfig: deps.pullConfig?.(),
    scheduling: deps.scheduling,
  };
  const tokens = await deps.tokens(`${namespace}/${name}`, spec.source.digest as Digest);
  // Secrets first: a pod without them would have to wait.
  for (const secret of buildSecrets(options, tokens)) {
    await unlessExists(() => deps.client.create(secretKind, secret));
  }
  const isStarted = await unlessExists(() => deps.client.create(jobKind, buildJob(options)));
  // The watch brings a Job that is there already.
  return isStarted ? again : lookAgain(deps.clock);
}

async function announce(observed: Observed, deps: ActDeps): Promise<Outcome> {
  const { build } = observed;
  const startedAt = deps.clock.now().toISOString();
  const about = { reason: Reason.Building, message: 'The build is running' };
  await writeBuildStatus(
    build,
    { ...build.status, phase: 'building', jobName: build.metadata.name, startedAt },
    { wanted: reconciling(about), deps },
  );
  return settled;
}

async function announceReason(
  { build }: Observed,
  about: { reason: Reason; message: string },
  deps: ActDeps,
): Promise<Outcome> {
  const [ready] = build.status?.conditions ?? [];
  const { reason, message } = about;
  if (ready?.reason === reason && ready.message === message) return settled;
  const status: Status = { phase: 'pending', ...build.status };
  await writeBuildStatus(build, status, { wanted: reconciling({ reason, message }), deps });
  return settled;
}

// A refused pod triggers no pass of its build: its Job does not change.
const podMs = 5_000;

async function awaitPod(
  observed: Observed,
  refusal: string | undefined,
  deps: ActDeps,
): Promise<Outcome> {
  if (refusal !== undefined) {
    const reason = /exceeded quota/.test(refusal) ? Reason.QuotaExceeded : Reason.Building;
    await announceReason(observed, { reason, message: explainRefusal(refusal) }, deps);
  }
  return waitUntil(new Date(deps.clock.now().getTime() + podMs));
}

async function reuse({ build, twin }: Observed, deps: ActDeps): Promise<Outcome> {
  const now = deps.clock.now().toISOString();
  const { artifact, types, settings, concurrency, log } = twin?.status ?? {};
  const message = `The same code was built before, as ${twin?.spec.version ?? 'another version'}`;
  const status: Status = {
    ...build.status,
    phase: 'success',
    jobName: build.metadata.name,
    startedAt: now,
    finishedAt: now,
    ...(artifact === undefined ? {} : { artifact }),
    ...(types === undefined ? {} : { types }),
    ...(settings === undefined ? {} : { settings }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(log === undefined ? {} : { log }),
  };
  await writeBuildStatus(build, status, { wanted: built(message), deps });
  return settled;
}

async function collect(observed: Observed, deps: ActDeps): Promise<Outcome> {
  const { build, pod } = observed;
  try {
    const { artifact, types, settings, concurrency } = await resultOf(pod, deps);
    const problem = await changedDefaultProblem(build, types, deps);
    if (problem !== undefined) return await fail(observed, problem, deps);
    const status = await finishedStatus(build, deps);
    await writeBuildStatus(
      build,
      {
        ...status,
        phase: 'success',
        artifact: { ...artifact },
        types: types.map(storedType),
        ...(settings === undefined ? {} : { settings: settings as Status['settings'] }),
        ...(concurrency === undefined ? {} : { concurrency }),
      },
      { wanted: built('The build succeeded'), deps },
    );
    return settled;
  } catch (thrown) {
    const unusable = hasReason(thrown, 'tooLarge') ? typesTooLarge : thrown;
    if (unusable instanceof UnusableResult) return fail(observed, unusable.message, deps);
    throw thrown;
  }
}

const typesTooLarge = new UnusableResult(
  'The types and the settings of the build are together too large to be stored: etcd takes 1.5 MiB, and each <, > and & in a description or a schema takes 6 bytes. Make them smaller, and push the code again',
);

type StoredType = NonNullable<Status['types']>[number];

function storedType({ resource, ...content }: BuiltType): StoredType {
  const orders = {
    fieldOrder: fieldOrder(content.schema),
    outputsFieldOrder: fieldOrder(content.outputsSchema),
  };
  return { resource, ...typeContent({ ...content, ...orders } as Omit<StoredType, 'resource'>) };
}

async function fail({ build }: Observed, cause: string, deps: ActDeps): Promise<Outcome> {
  const status = await finishedStatus(build, deps);
  const error = await maskCredentials(cause);
  await writeBuildStatus(
    build,
    { ...status, phase: 'failed', error },
    { wanted: failedConditions(error), deps },
  );
  return settled;
}

async function finishedStatus(build: Build, deps: ActDeps): Promise<Omit<Status, 'phase'>> {
  const kept = await keepLog(build, deps);
  const now = deps.clock.now().toISOString();
  return {
    ...build.status,
    jobName: build.metadata.name,
    startedAt: build.status?.startedAt ?? now,
    finishedAt: now,
    ...(kept === undefined ? {} : { log: kept.digest }),
  };
}

/** An unavailable log does not keep a build from finishing: its pod may be gone already. */
async function keepLog(build: Build, deps: ActDeps): Promise<ArtifactRef | undefined> {
  const { name, namespace = '' } = build.metadata;
  try {
    const bytes = await deps.captureLog({ namespace, name });
    if (bytes === undefined || bytes.length === 0) return undefined;
    const staged = await deps.artifacts.put(Readable.from([bytes]), { maxBytes: maxLogBytes });
    return await staged.commit();
  } catch (thrown) {
    deps.log.warn({ build: name, error: thrown }, 'Build log not archived');
    return undefined;
  }
}

const reconciling = (about: { reason: Reason; message: string }): readonly ConditionWanted[] => [
  { type: 'Ready', status: 'False', ...about },
  { type: 'Reconciling', status: 'True', ...about },
];

const built = (message: string): readonly ConditionWanted[] => [
  { type: 'Ready', status: 'True', reason: Reason.Built, message },
];

const failedConditions = (message: string): readonly ConditionWanted[] => [
  { type: 'Ready', status: 'False', reason: Reason.BuildFailed, message },
  { type: 'Stalled', status: 'True', reason: Reason.BuildFailed, message },
];

async function writeBuildStatus(
  { metadata, status: before }: Build,
  status: Status,
  { wanted, deps }: { wanted: readonly ConditionWanted[]; deps: ActDeps },
): Promise<void> {
  const { name, namespace = '', uid = '', resourceVersion = '', generation = 0 } = metadata;
  const previous = before?.conditions ?? [];
  const written = await deps.client.replaceStatus<Build>(kinds.build, {
    apiVersion,
    kind: kinds.build.kind,
    metadata: { name, namespace, uid, resourceVersion },
    status: {
      ...status,
      observedGeneration: generation,
      conditions: conditions(wanted, { previous, generation, now: deps.clock.now() }),
    },
  });
  deps.builds.remember(written);
  const [ready] = wanted;
  if (ready === undefined || status.phase === (before?.phase ?? 'pending')) return;
  const type = status.phase === 'failed' ? 'Warning' : 'Normal';
  const { reason, message } = ready;
  deps.recorder.record({ kind: kinds.build, metadata }, { type, reason, message });
}
