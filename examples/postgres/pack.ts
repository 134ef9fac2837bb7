// This folder → the archive to push: what package.json names, and server.json with the settings of one PostgreSQL.
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';
import type { Server } from './server.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/**
 * The archive holds the password of `server`: whoever may read pushed code may use it.
 * @returns a tar.gz; equal settings make equal bytes, which are built once
 */
export async function pack({ url, secret }: Server): Promise<Buffer> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  const { files } = JSON.parse(manifest) as { files: string[] };
  const copied = ['package.json', ...files];
  const copy = await mkdtemp(join(tmpdir(), 'fairlead-postgres-'));
  try {
    for (const file of copied) await copyFile(join(folder, file), join(copy, file));
    await writeFile(join(copy, 'server.json'), JSON.stringify({ url, secret }), { mode: 0o600 });
    const options = { cwd: copy, gzip: true, portable: true, mtime: new Date(0) };
    return await create(options, [...copied, 'server.json']).concat();
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
