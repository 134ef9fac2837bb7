// Puts what travels in a push into a temporary folder. Nothing of the author's is changed. Without local packages nothing is copied.
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeArchive } from './archive.ts';
import type { PackageContents, PackContents } from './contents.ts';
import { isWithin } from './inside.ts';
import type { FileSelection } from './selection.ts';

export interface Staged extends FileSelection, Pick<PackContents, 'local'> {
  /** Deletes what was copied. */
  remove(): Promise<void>;
}

export async function stage(contents: PackContents, signal: AbortSignal): Promise<Staged> {
  if (contents.packages.length === 0) return { ...contents, remove: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-push-'));
  const remove = async () => await rm(folder, { recursive: true, force: true });
  try {
    const code = join(folder, 'code');
    const tarballs = new Set(contents.packages.map(({ path }) => path));
    copyTo({ ...contents, files: contents.files.filter(({ path }) => !tarballs.has(path)) }, code);
    for (const each of contents.packages) {
      await packTo(each, { to: join(code, each.path), folder: join(folder, 'package'), signal });
    }
    const sizeOf = (path: string) => statSync(join(code, path)).size;
    const files = contents.files.map(({ path }) => ({ path, size: sizeOf(path) }));
    return { ...contents, root: code, files, remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

function copyTo(
  { root, files, texts }: Pick<PackContents, 'root' | 'files' | 'texts'>,
  to: string,
): void {
  for (const { path } of files) {
    const target = join(to, path);
    if (!isWithin(to, target)) throw new Error('A file would be copied out of its folder.');
    mkdirSync(dirname(target), { recursive: true });
    const text = texts.get(path);
    if (text === undefined) copyFileSync(join(root, path), target);
    else writeFileSync(target, text);
  }
}

interface StagingTarget {
  readonly to: string;
  /** For the files of the package, one after the other. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function packTo(
  { place, isTarball, files, texts }: PackageContents,
  { to, folder, signal }: StagingTarget,
): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  if (isTarball) return copyFileSync(place, to);
  copyTo({ root: place, files, texts }, folder);
  const archive = await writeArchive({ root: folder, files }, signal, 'package');
  copyFileSync(archive.path, to);
  await archive.remove();
  await rm(folder, { recursive: true });
}
