// `npm run generate:manifests`: writes manifests/workloads.yaml. Needs Helm, or Go to build Helm.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findHelm, render } from './helm.ts';
import { plainWorkloads } from './plain-manifests.ts';

const helm = await findHelm();
if (helm === undefined) {
  process.stderr.write('Neither Helm nor Go is installed; install one of them.\n');
  process.exitCode = 1;
} else {
  const file = join(import.meta.dirname, '..', 'manifests', 'workloads.yaml');
  await writeFile(file, plainWorkloads(await render(helm)));
}
