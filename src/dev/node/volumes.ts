// Provides the volumes of a pod as real folders below the pod's own. They are written at every container start, and again
// while the container runs. Sizes and read-only mounts are not enforced.
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { StreamingClient } from '../../kube/client.ts';
import { containerResource, type Machine, podField } from './fields.ts';
import type { Mount } from './paths.ts';
import {
  type Container,
  type DownwardItem,
  type KeyToPath,
  type Pod,
  type ProjectedSource,
  type SourceRef,
  serviceAccountKind,
  type Volume,
} from './pod.ts';
import { ContainerProblem } from './problem.ts';
import type { Sources } from './sources.ts';

export interface VolumeContext {
  readonly pod: Pod;
  /** The folder of the pod. */
  readonly folder: string;
  readonly ip: string;
  readonly machine: Machine;
  readonly sources: Sources;
  readonly client: Pick<StreamingClient, 'createUnder'>;
}

/** @returns the host path of each mount path of the container. @throws ContainerProblem, KubeError */
export async function mountVolumes(
  container: Container,
  context: VolumeContext,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  for (const { name, mountPath, subPath = '' } of container.volumeMounts ?? []) {
    const volume = context.pod.spec.volumes?.find((each) => each.name === name);
    if (volume === undefined) throw unsupported(`volume ${name} is not in the pod`);
    const folder = join(context.folder, 'volumes', name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await fill(volume, folder, context);
    const target = inside(folder, subPath);
    if (subPath !== '' && volume.emptyDir !== undefined) await mkdir(target, { recursive: true });
    mounts.push({ path: mountPath, target });
  }
  return mounts;
}

async function fill(volume: Volume, folder: string, context: VolumeContext): Promise<void> {
  const { emptyDir, configMap, secret, downwardAPI, projected } = volume;
  if (emptyDir !== undefined) return;
  const sources: ProjectedSource[] = [...(projected?.sources ?? [])];
  if (configMap !== undefined) sources.push({ configMap });
  if (secret !== undefined) sources.push({ secret: { ...secret, name: secret.secretName } });
  if (downwardAPI !== undefined) sources.push({ downwardAPI });
  if (sources.length === 0 && projected === undefined) {
    throw unsupported(
      `volume ${volume.name}: the local node supports only emptyDir, configMap, secret, downwardAPI and projected volumes`,
    );
  }
  const written = new Set<string>();
  for (const source of sources) {
    for (const [path, content] of await filesOf(source, context)) {
      const file = inside(folder, path);
      await put(file, content);
      written.add(file);
    }
  }
  await removeOthers(folder, written);
}

/** Removes the files of keys that are gone. */
async function removeOthers(folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.has(file)) await rm(file, { force: true });
  }
}

/** @returns whether a volume of the pod can change while it runs */
export function hasChangingVolumes({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(
    ({ configMap, secret, projected }) => (configMap ?? secret ?? projected) !== undefined,
  );
}

type Files = readonly (readonly [path: string, content: Buffer | string])[];

function filesOf(source: ProjectedSource, context: VolumeContext): Promise<Files> | Files {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap !== undefined) return fromKeys('configMap', configMap, context);
  if (secret !== undefined) return fromKeys('secret', secret, context);
  if (downwardAPI !== undefined) {
    return (downwardAPI.items ?? []).map((item) => [item.path, downwardValue(item, context)]);
  }
  if (serviceAccountToken !== undefined) return fromTokenRequest(serviceAccountToken, context);
  throw unsupported('the local node does not support a source of a projected volume');
}

async function fromKeys(
  kind: 'configMap' | 'secret',
  { name, optional, items }: SourceRef & { readonly items?: readonly KeyToPath[] },
  { sources }: VolumeContext,
): Promise<Files> {
  const values = await sources[kind](name);
  if (values === undefined) {
    if (optional === true) return [];
    throw new ContainerProblem('ContainerCreating', `${kind.toLowerCase()} "${name}" not found`);
  }
  if (items === undefined) return [...values];
  return items.flatMap(({ key, path }) => {
    const value = values.get(key);
    if (value !== undefined) return [[path, value] as const];
    if (optional === true) return [];
    throw new ContainerProblem('ContainerCreating', `${kind} ${name} has no key ${key}`);
  });
}

function downwardValue(
  { path, fieldRef, resourceFieldRef }: DownwardItem,
  context: VolumeContext,
): string {
  const { pod, ip, machine } = context;
  const named = pod.spec.containers.find(({ name }) => name === resourceFieldRef?.containerName);
  const text =
    fieldRef !== undefined
      ? podField(pod, ip, fieldRef)
      : resourceFieldRef && named && containerResource(named, machine, resourceFieldRef);
  if (text === undefined)
    throw unsupported(`the local node does not support the source of ${path}`);
  return text;
}

async function fromTokenRequest(
  { path, audience, expirationSeconds }: NonNullable<ProjectedSource['serviceAccountToken']>,
  { pod, client }: VolumeContext,
): Promise<Files> {
  const { name, namespace, uid } = pod.metadata;
  const account = { name: pod.spec.serviceAccountName ?? 'default', namespace };
  const answer = await client.createUnder<{ status: { token: string } }>(
    serviceAccountKind,
    account,
    'token',
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: audience === undefined ? [] : [audience],
        expirationSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    },
  );
  return [[path, answer.status.token]];
}

/** Another container of the pod may be reading the file. */
async function put(path: string, content: Buffer | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** The API server already rejects `..`; this is the node's own check. */
function inside(folder: string, path: string): string {
  const relative = normalize(path === '' ? '.' : path);
  if (relative.startsWith('/') || relative.split('/').includes('..')) {
    throw unsupported('a volume path leads outside the volume');
  }
  return join(folder, relative);
}

function unsupported(message: string): ContainerProblem {
  return new ContainerProblem('CreateContainerConfigError', message);
}
