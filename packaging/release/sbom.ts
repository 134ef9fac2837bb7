// The software bill of materials, in CycloneDX: the packages of the lock file, those for development too, because the client and the
// console contain some of them.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Checkout } from './checkout.ts';

const root = resolve(import.meta.dirname, '../..');

interface Bom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Readonly<Record<string, unknown>> };
}

export async function writeSbom(file: string, { committedAt }: Checkout): Promise<void> {
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
  ];
  const options = { cwd: root, maxBuffer: 64 * 1_048_576 };
  const { stdout } = await promisify(execFile)('npm', args, options);
  const { serialNumber: _random, metadata, ...bom } = JSON.parse(stdout) as Bom;
  const timestamp = committedAt.toISOString();
  // npm calls the whole after its folder.
  const component = { ...metadata.component, name: 'fairlead' };
  const stated = { ...bom, metadata: { ...metadata, timestamp, component } };
  await writeFile(file, `${JSON.stringify(stated, null, 2)}\n`);
}
