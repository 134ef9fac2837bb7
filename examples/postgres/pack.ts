// This folder → the archive to push: what package.json names.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** @returns a tar.gz; equal code makes equal bytes, which are built once */
export async function pack(): Promise<Buffer> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  const { files } = JSON.parse(manifest) as { files: string[] };
  const options = { cwd: folder, gzip: true, portable: true, mtime: new Date(0) };
  return await create(options, ['package.json', ...files]).concat();
}
