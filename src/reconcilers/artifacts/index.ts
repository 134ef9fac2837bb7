// Removes unreferenced artifacts, once an hour, in the process that leads the first shard: its caches cover the whole cluster.

import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Build } from '../../crds/build.ts';
import {
  type ArtifactStore,
  type CollectionReport,
  type CollectionRequest,
  type Digest,
  isDigest,
} from '../../domain/providers/artifact.ts';
import type { Informer, KubeObject } from '../../kube/api.ts';
import type { Controller } from '../../kube/controller.ts';
import { pause, systemTimers, type Timers } from '../../kube/timers.ts';
import type { Log } from '../../lib/log.ts';
import { annotation } from '../../store/kinds.ts';

export interface CollectionSettings {
  readonly graceDays: number;
  readonly dryRun: boolean;
}

export interface CollectionObserver {
  /** `skipped`: a cache may lack objects, so nothing was done. */
  passed(outcome: CollectionReport['outcome'] | 'skipped' | 'failed'): void;
  /** @param report undefined when this process stops collecting */
  found(report: CollectionReport | undefined): void;
}

export interface CollectionDeps {
  readonly artifacts: Pick<ArtifactStore, 'collect'>;
  readonly caches: ReferenceCaches & {
    readonly namespaces: Pick<Informer<KubeObject>, 'get'>;
  };
  readonly systemNamespace: string;
  readonly settings: CollectionSettings;
  readonly observer: CollectionObserver;
  /** @throws unless this process certainly leads */
  readonly requireLead: () => void;
  readonly log: Log;
  readonly timers?: Timers;
}

const intervalMs = 60 * 60_000;
/** Other work goes first when a process begins to lead. */
const firstMs = 5 * 60_000;
const daySeconds = 24 * 60 * 60;

export function createArtifactCollection(deps: CollectionDeps): Controller {
  const stopping = new AbortController();
  let collecting: Promise<void> = Promise.resolve();
  return {
    name: 'artifacts',
    start(signal) {
      collecting = keepCollecting(deps, AbortSignal.any([signal, stopping.signal]));
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await collecting;
    },
  };
}

async function keepCollecting(deps: CollectionDeps, signal: AbortSignal): Promise<void> {
  const { timers = systemTimers, observer } = deps;
  await pause(timers, firstMs, signal);
  while (!signal.aborted) {
    await collectOnce(deps, signal);
    await pause(timers, intervalMs, signal);
  }
  observer.found(undefined);
}

/** Performs one pass; a failure is logged, because the next pass repeats it. */
export async function collectOnce(deps: CollectionDeps, signal: AbortSignal): Promise<void> {
  const { caches, systemNamespace, observer, log } = deps;
  const kind = incompleteKind(caches);
  const system = caches.namespaces.get(systemNamespace)?.metadata;
  const installation = system?.uid;
  if (kind !== undefined || installation === undefined) {
    log.info({ kind: kind ?? 'Namespace' }, 'No artifacts are collected: a cache is not complete');
    observer.passed('skipped');
    return;
  }
  try {
    const confirmed = system?.annotations?.[annotation.artifactClaim];
    const report = await collectionPass(deps, { installation, confirmed }, signal);
    observer.passed(report.outcome);
    observer.found(report);
  } catch (thrown) {
    if (signal.aborted) return;
    log.warn(
      { error: thrown },
      'Collecting unreferenced artifacts failed; the next pass repeats it',
    );
    observer.passed('failed');
  }
}

const refusals = {
  foreign:
    'No artifacts are removed: another installation uses the same folder or bucket. Give each its own prefix, and then confirm',
  unconfirmed:
    'No artifacts are removed: the folder or bucket was in use before this installation claimed it. Confirm that no other installation uses it',
} as const;

async function collectionPass(
  { artifacts, caches, systemNamespace, settings, requireLead, log }: CollectionDeps,
  whose: Pick<CollectionRequest, 'installation' | 'confirmed'>,
  signal: AbortSignal,
): Promise<CollectionReport> {
  const { graceDays, dryRun } = settings;
  const referenced = await referencedDigests(caches);
  requireLead();
  const report = await artifacts.collect(
    {
      ...whose,
      referenced,
      graceSeconds: graceDays * daySeconds,
      stepSeconds: (2 * intervalMs) / 1_000,
      dryRun,
    },
    signal,
  );
  const { outcome, claim, ...amounts } = report;
  if (outcome !== 'done') {
    const confirm = `kubectl annotate namespace ${systemNamespace} --overwrite ${annotation.artifactClaim}=${claim}`;
    log.warn({ outcome, confirm }, refusals[outcome]);
  } else {
    log.info({ dryRun, referenced: referenced.size, ...amounts }, 'Collected artifacts');
  }
  return report;
}

// Finds the digests that objects refer to. It reads more than it needs to: every digest anywhere in a pod counts, so that a new
// field is never forgotten.

type ReferenceCache<T extends KubeObject> = Pick<
  Informer<T>,
  'kind' | 'items' | 'synced' | 'interrupted' | 'silentMs'
>;

export interface ReferenceCaches {
  readonly builds: ReferenceCache<Build>;
  /** Only Fairlead's own, of the whole cluster, like the next two. */
  readonly pods: ReferenceCache<KubeObject>;
  readonly jobs: ReferenceCache<KubeObject>;
  readonly deployments: ReferenceCache<KubeObject>;
}

/** The API server sends a bookmark every minute. */
const silentLimitMs = 5 * 60_000;
const objectsAtATime = 500;

/** @returns the kind of a cache that may lack objects */
export function incompleteKind(caches: ReferenceCaches): string | undefined {
  const { builds, pods, jobs, deployments } = caches;
  const all: readonly Omit<ReferenceCache<KubeObject>, 'items'>[] = [
    builds,
    pods,
    jobs,
    deployments,
  ];
  const lacking = all.find(
    ({ synced, interrupted, silentMs }) => !synced || interrupted || silentMs > silentLimitMs,
  );
  return lacking?.kind.kind;
}

export async function referencedDigests(caches: ReferenceCaches): Promise<ReadonlySet<Digest>> {
  const { builds, pods, jobs, deployments } = caches;
  const found = new Set<Digest>();
  let read = 0;
  for (const cache of [builds, pods, jobs, deployments]) {
    for (const object of cache.items()) {
      for (const digest of digestsIn(withoutSchemas(object))) found.add(digest);
      read += 1;
      if (read % objectsAtATime === 0) await othersTurn();
    }
  }
  return found;
}

/** Schemas are large, and hold no digest of code. */
function withoutSchemas(object: Build | KubeObject): unknown {
  if (!('status' in object) || object.kind !== 'Build') return object;
  const { types: _types, settings: _settings, ...status } = (object as Build).status ?? {};
  return { ...object, status };
}

function digestsIn(value: unknown): readonly Digest[] {
  const found: readonly string[] = JSON.stringify(value).match(/sha256:[0-9a-f]{64}/g) ?? [];
  return found.filter(isDigest);
}
