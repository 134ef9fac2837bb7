// The files of a release, and the order in which they are made: artifacts, then the provenance of them, then the digests of all.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chartFolder } from '../helm.ts';
import { packFolder } from './archive.ts';
import type { Checkout } from './checkout.ts';
import { packClient } from './client-package.ts';
import { type Digests, provenanceOf } from './provenance.ts';
import { writeSbom } from './sbom.ts';

const root = resolve(import.meta.dirname, '../..');

export interface ReleaseFiles {
  /** The package `fairlead`: the command-line client, and the SDK of providers. */
  readonly client: string;
  readonly chart: string;
  readonly manifests: string;
  readonly definitions: string;
  readonly sbom: string;
  readonly provenance: string;
  readonly digests: string;
}

/** By role. The chart and the package would have one name by the customs of Helm and npm. */
export function releaseFiles(version: string): ReleaseFiles {
  return {
    client: `fairlead-${version}.tgz`,
    chart: `fairlead-chart-${version}.tgz`,
    manifests: `fairlead-manifests-${version}.tgz`,
    definitions: `fairlead-crds-${version}.yaml`,
    sbom: `fairlead-${version}.cdx.json`,
    provenance: `fairlead-${version}.provenance.json`,
    digests: 'SHA256SUMS',
  };
}

/** @param folder is created @returns the names of the files, sorted */
export async function makeRelease(folder: string, checkout: Checkout): Promise<readonly string[]> {
  const version = await versionHere();
  const { provenance, digests, ...artifacts } = releaseFiles(version);
  const to = (name: string) => join(folder, name);
  await mkdir(folder, { recursive: true });
  await Promise.all([
    packClient(to(artifacts.client)),
    packFolder(chartFolder, { to: to(artifacts.chart), prefix: 'fairlead', checkout }),
    packFolder(join(root, 'manifests'), {
      to: to(artifacts.manifests),
      prefix: 'manifests',
      checkout,
    }),
    copyFile(join(root, 'manifests/crds.yaml'), to(artifacts.definitions)),
    writeSbom(to(artifacts.sbom), checkout),
  ]);
  const names = Object.values(artifacts).sort();
  const lockFile = await digestOf(join(root, 'package-lock.json'));
  const statement = provenanceOf(await digestsOf(folder, names), { version, checkout, lockFile });
  await writeFile(to(provenance), `${JSON.stringify(statement, null, 2)}\n`);
  const all = [...names, provenance].sort();
  const lines = [...(await digestsOf(folder, all))].map(([name, digest]) => `${digest}  ${name}\n`);
  await writeFile(to(digests), lines.join(''));
  return [...all, digests].sort();
}

async function versionHere(): Promise<string> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

async function digestsOf(folder: string, names: readonly string[]): Promise<Digests> {
  const entries = names.map(async (name) => [name, await digestOf(join(folder, name))] as const);
  return new Map(await Promise.all(entries));
}

async function digestOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
