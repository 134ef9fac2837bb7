// The files of a release, made twice. test/clients/builds installs them, and test/chart renders the chart of a release.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extract } from 'tar';
import { beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { packedFiles } from '../../packaging/release/archive.ts';
import { makeRelease, releaseFiles } from '../../packaging/release/files.ts';
import type { CrdManifest } from '../../src/crds/manifest.ts';
import { crdKind } from '../../src/kube/crd-installer.ts';
import { sharedClient } from '../support/clients/shared-client.ts';
import { newFolder } from '../support/runner/folder.ts';

const root = join(import.meta.dirname, '../..');
const checkout = {
  commit: 'c0ffee'.padEnd(40, '0'),
  committedAt: new Date('2026-01-02T03:04:05Z'),
};
const names = releaseFiles(manifest.version);
const folder = newFolder('release-');
const path = (name: string) => join(folder, name);

const client = sharedClient();
let made: readonly string[];
let again: readonly string[];
const other = newFolder('release-');

beforeAll(async () => {
  [made, again] = await Promise.all([makeRelease(folder, checkout), makeRelease(other, checkout)]);
});

it('has equal bytes whenever it is made', async () => {
  expect(made).toEqual(Object.values(names).sort());
  expect((await readdir(folder)).sort()).toEqual(made);
  expect(again).toEqual(made);
  for (const name of made) {
    const [one, two] = await Promise.all([readFile(path(name)), readFile(join(other, name))]);
    expect(one.equals(two), name).toBe(true);
  }
});

it('lists the digest of every file, and states from what they are made', () => {
  const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  const lines = readFileSync(path(names.digests), 'utf8').trimEnd().split('\n');
  const files = made.filter((name) => name !== names.digests);
  expect(lines).toEqual(files.map((name) => `${digestOf(path(name))}  ${name}`));
  const { subject, predicate } = JSON.parse(readFileSync(path(names.provenance), 'utf8'));
  const artifacts = files.filter((name) => name !== names.provenance);
  expect(subject).toEqual(
    artifacts.map((name) => ({ name, digest: { sha256: digestOf(path(name)) } })),
  );
  expect(predicate.buildDefinition.resolvedDependencies).toEqual([
    { name: 'checkout', digest: { gitCommit: checkout.commit } },
    { name: 'package-lock.json', digest: { sha256: digestOf(join(root, 'package-lock.json')) } },
  ]);
});

it('lists every package of the lock file, and nothing of the machine', () => {
  const bom = JSON.parse(readFileSync(path(names.sbom), 'utf8'));
  const { name, version } = bom.metadata.component;
  expect({ name, version }).toEqual({ name: 'fairlead', version: manifest.version });
  const purls = new Set(bom.components.map(({ purl }: { purl: string }) => purl));
  for (const dependencies of [manifest.dependencies, manifest.devDependencies]) {
    for (const [library, pinned] of Object.entries(dependencies)) {
      if (pinned.startsWith('file:')) continue;
      expect(purls).toContain(`pkg:npm/${library.replace('@', '%40')}@${pinned}`);
    }
  }
});

it.each([
  {
    first: 'Chart.yaml',
    name: names.chart,
    prefix: 'fairlead',
    of: 'charts/fairlead',
    without: ['ci/evaluation-values.yaml'],
  },
  { first: 'crds.yaml', name: names.manifests, prefix: 'manifests', of: 'manifests', without: [] },
])('has in $name what $of has', async ({ first, name, prefix, of, without }) => {
  const unpacked = newFolder('unpacked-');
  await extract({ file: path(name), cwd: unpacked });
  expect(await readdir(unpacked)).toEqual([prefix]);
  // Files of other checkouts have other times.
  expect(statSync(join(unpacked, prefix, first)).mtime).toEqual(checkout.committedAt);
  const packed = await packedFiles(join(root, of));
  expect(await packedFiles(join(unpacked, prefix))).toEqual(packed);
  for (const file of packed) {
    const [ours, theirs] = [join(root, of, file), join(unpacked, prefix, file)];
    expect(readFileSync(theirs).equals(readFileSync(ours)), file).toBe(true);
  }
  for (const file of without) expect(packed).not.toContain(file);
});

it('has definitions that the API server accepts', async () => {
  const text = readFileSync(path(names.definitions), 'utf8');
  const definitions = parseAllDocuments(text).map((each) => each.toJS() as CrdManifest);
  expect(definitions.length).toBeGreaterThan(0);
  for (const definition of definitions) {
    // As the installer does: another owner would keep fields from the tests that share this API server.
    await client.apply(crdKind, definition, { fieldManager: 'fairlead-crd-installer' });
    const stored = await client.get<CrdManifest>(crdKind, definition.metadata);
    expect(stored.metadata.labels?.['app.kubernetes.io/version']).toBe(manifest.version);
  }
});
