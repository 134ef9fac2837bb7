// Installs CustomResourceDefinitions on start and waits until the API server serves them. Never deletes one, never replaces
// one of a newer release, and writes nothing when the installed labels and annotations (one is a hash of the content) match.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { KindRef, KubeClient, KubeObject, ScopedRules } from './api.ts';
import { hasReason, KubeError } from './errors.ts';

/** Kubernetes' recommended label for the release of a program; it decides which release is newer. */
const releaseLabel = 'app.kubernetes.io/version';
const fieldManager = 'fairlead-crd-installer';
const defaultTimeoutMs = 30_000;
const pollMs = 100;

export const crdKind: KindRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** @param names of the installed definitions; they also restrict a patch that creates one */
export function installerRules(names: readonly string[]): ScopedRules {
  return {
    cluster: [
      {
        apiGroups: [crdKind.group],
        resources: [crdKind.plural],
        resourceNames: names,
        verbs: ['get', 'create', 'patch'],
      },
    ],
  };
}

interface CrdCondition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

interface InstalledCrd extends KubeObject {
  readonly status?: { readonly conditions?: readonly CrdCondition[] };
}

/**
 * @param manifests complete CustomResourceDefinitions, with their release in `app.kubernetes.io/version`
 * @throws KubeError when one is rejected, when its names are not accepted, or when it is not served in time
 */
export async function installCrds(
  client: KubeClient,
  manifests: readonly KubeObject[],
  options: {
    log: Log;
    /** Milliseconds until every definition must be served; default 30 s. */
    timeoutMs?: number;
    signal?: AbortSignal;
  },
): Promise<void> {
  const deadline = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
  const signal =
    options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  await Promise.all(
    manifests.map(async (manifest) => {
      const installed = await findCrd(client, manifest.metadata.name, signal);
      const current = await bringUpToDate(client, {
        manifest,
        installed,
        log: options.log,
        signal,
      });
      await untilEstablished(client, current, signal);
    }),
  );
}

async function findCrd(client: KubeClient, name: string, signal: AbortSignal) {
  try {
    return await client.get<InstalledCrd>(crdKind, { name }, { signal });
  } catch (thrown) {
    if (hasReason(thrown, 'notFound')) return undefined;
    throw thrown;
  }
}

interface InstallStep {
  readonly manifest: KubeObject;
  readonly installed: InstalledCrd | undefined;
  readonly log: Log;
  readonly signal: AbortSignal;
}

async function bringUpToDate(
  client: KubeClient,
  { manifest, installed, log, signal }: InstallStep,
): Promise<InstalledCrd> {
  const { name, labels } = manifest.metadata;
  if (installed !== undefined) {
    const [ours = '', theirs = ''] = [
      labels?.[releaseLabel],
      installed.metadata.labels?.[releaseLabel],
    ];
    if (isNewerRelease(theirs, ours)) {
      log.warn(
        { crd: name, installed: theirs, ours },
        'A newer definition is installed; keeping it',
      );
      return installed;
    }
    if (carriesTheSame(manifest, installed)) return installed;
  }
  const written = await client.apply<InstalledCrd>(crdKind, manifest, { fieldManager, signal });
  log.info({ crd: name }, installed === undefined ? 'Definition installed' : 'Definition updated');
  return written;
}

function carriesTheSame(manifest: KubeObject, installed: KubeObject): boolean {
  return (['labels', 'annotations'] as const).every((field) =>
    Object.entries(manifest.metadata[field] ?? {}).every(
      ([key, value]) => installed.metadata[field]?.[key] === value,
    ),
  );
}

async function untilEstablished(client: KubeClient, crd: InstalledCrd, signal: AbortSignal) {
  const { name } = crd.metadata;
  let current = crd;
  while (!holds(current, 'Established', 'True')) {
    if (holds(current, 'NamesAccepted', 'False')) {
      const detail =
        conditionOf(current, 'NamesAccepted')?.message ?? 'conflict with another definition';
      throw new KubeError({
        reason: 'conflict',
        message: `${name}: names not accepted: ${detail}`,
      });
    }
    if (signal.aborted) {
      throw new KubeError({
        reason: 'timeout',
        message: `${name} is installed but not served yet`,
      });
    }
    await sleep(pollMs);
    // Without the signal: at the deadline the message above is clearer than an aborted request.
    current = await client.get<InstalledCrd>(crdKind, { name });
  }
}

function conditionOf({ status }: InstalledCrd, type: string): CrdCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

function holds(crd: InstalledCrd, type: string, status: string): boolean {
  return conditionOf(crd, type)?.status === status;
}

/** @returns whether `left` is a later release than `right`; text that is not a release is never later. */
export function isNewerRelease(left: string, right: string): boolean {
  const [newer, older] = [parseRelease(left), parseRelease(right)];
  if (newer === undefined || older === undefined) return false;
  const difference = newer.numbers.map((part, index) => part - (older.numbers[index] ?? 0));
  const first = difference.find((part) => part !== 0);
  if (first !== undefined) return first > 0;
  // With equal numbers, a release is later than its previews.
  return newer.preview === ''
    ? older.preview !== ''
    : older.preview !== '' && newer.preview > older.preview;
}

function parseRelease(text: string): { numbers: number[]; preview: string } | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, preview = ''] = match;
  return { numbers: [major, minor, patch].map(Number), preview };
}
