// The program that recorded the snapshot, from the history of the repository, with the libraries of this checkout.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { KindRef, KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { readSnapshot } from './snapshot.ts';

/** Absent before the first snapshot. */
const commit = readSnapshot()?.commit ?? '';

const root = join(import.meta.dirname, '../../..');

export interface ReleaseBefore extends AsyncDisposable {
  /** Its program for one replica. */
  readonly main: string;
  readonly definitions: readonly KubeObject[];
}

/** @returns whether the history has it; a tarball and a shallow clone have none */
export async function hasReleaseBefore(): Promise<boolean> {
  const args = ['cat-file', '-e', `${commit}^{commit}`];
  return await promisify(execFile)('git', args, { cwd: root }).then(
    () => true,
    () => false,
  );
}

export async function releaseBefore(): Promise<ReleaseBefore> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-before-'));
  const archive = spawn('git', ['archive', commit, 'package.json', 'src', 'crds', 'test/support'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const unpacked = spawn('tar', ['-x', '-C', folder], {
    stdio: [archive.stdout, 'ignore', 'inherit'],
  });
  const [code] = (await once(unpacked, 'close')) as [number];
  if (code !== 0) throw new Error(`The commit ${commit} could not be unpacked`);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const crds = join(folder, 'crds');
  const texts = await Promise.all(
    (await readdir(crds)).map((name) => readFile(join(crds, name), 'utf8')),
  );
  return {
    main: join(folder, 'test/support/servers/replica-main.ts'),
    definitions: texts.map((text) => parse(text) as KubeObject),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const crdKind: KindRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** As `helm rollback` does. */
export async function restoreDefinitions(
  client: Pick<KubeClient, 'get' | 'replace'>,
  { definitions }: Pick<ReleaseBefore, 'definitions'>,
): Promise<void> {
  for (const manifest of definitions) {
    const { name } = manifest.metadata;
    const { resourceVersion = '' } = (await client.get<KubeObject>(crdKind, { name })).metadata;
    await client.replace(crdKind, {
      ...manifest,
      metadata: { ...manifest.metadata, resourceVersion },
    });
  }
}
