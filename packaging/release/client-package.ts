// The npm package `fairlead`: the SDK and the client, built anew, and the license. npm packs reproducibly.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildClient, librariesIn, licensesOf } from '../client.ts';
import { writeSdk } from '../sdk.ts';

const root = resolve(import.meta.dirname, '../..');

export async function packClient(file: string): Promise<void> {
  const folder = await mkdtemp(join(dirname(file), '.package-'));
  try {
    writeSdk(folder);
    await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    const metafile = await buildClient(join(folder, 'bin/client.cjs'));
    await writeFile(join(folder, 'bin/client.LICENSES.txt'), licensesOf(librariesIn(metafile)));
    const { stdout } = await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--json'], {
      cwd: folder,
    });
    const [packed] = JSON.parse(stdout) as { readonly filename: string }[];
    await rename(join(folder, packed?.filename ?? ''), file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
