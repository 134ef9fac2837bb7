// Provides the volumes of a pod as folders below the pod's own: empty ones, and those with the keys of a Secret. These are written at
// every container start, and again while the container runs. Sizes, modes and read-only mounts are not enforced.
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from './paths.ts';
import type { Container, Pod, SecretVolume } from './pod.ts';
import { ContainerProblem } from './problem.ts';
import type { Secrets } from './secrets.ts';

interface VolumeContext {
  readonly pod: Pod;
  /** The folder of the pod. */
  readonly folder: string;
  readonly secrets: Secrets;
}

/** @returns the host path of each mount path of the container. @throws ContainerProblem, KubeError */
export async function mountVolumes(
  { volumeMounts = [] }: Container,
  { pod, folder, secrets }: VolumeContext,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  for (const { name, mountPath } of volumeMounts) {
    const target = join(folder, 'volumes', name);
    await mkdir(target, { recursive: true, mode: 0o700 });
    const secret = pod.spec.volumes?.find((each) => each.name === name)?.secret;
    if (secret !== undefined) await writeFiles(await secretFiles(secret, secrets), target);
    mounts.push({ path: mountPath, target });
  }
  return mounts;
}

/** @returns whether a volume of the pod can change while it runs */
export function hasChangingVolumes({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(({ secret }) => secret !== undefined);
}

async function secretFiles(
  { secretName, optional = false, items }: SecretVolume,
  secrets: Secrets,
): Promise<ReadonlyMap<string, Buffer>> {
  const values = await secrets(secretName);
  if (values === undefined && !optional) {
    throw new ContainerProblem('ContainerCreating', `secret "${secretName}" not found`);
  }
  if (values === undefined || items === undefined) return values ?? new Map();
  const files = new Map<string, Buffer>();
  for (const { key, path } of items) {
    const value = values.get(key);
    if (value !== undefined) files.set(path, value);
    else if (!optional) {
      throw new ContainerProblem('ContainerCreating', `secret ${secretName} has no key ${key}`);
    }
  }
  return files;
}

/** Writes the files and removes others, whose keys are gone. Another container of the pod may be reading them. */
async function writeFiles(files: ReadonlyMap<string, Buffer>, folder: string): Promise<void> {
  for (const [name, content] of files) {
    const path = join(folder, name);
    await writeFile(`${path}.new`, content, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
  for (const name of await readdir(folder)) {
    if (!files.has(name)) await rm(join(folder, name), { force: true });
  }
}
