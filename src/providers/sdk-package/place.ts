// Makes `fairlead/provider` resolvable for provider code: a link to the package in `node_modules` of the folder *above* the
// code. Node, compilers and bundlers look there too; npm, which works in the code's folder, neither sees nor removes it.
import { mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The package `fairlead` for providers, generated from src/sdk. It finds its libraries in our node_modules beside it. */
export const sdkFolder = resolve(import.meta.dirname, '../../../sdk');

/**
 * Makes `fairlead/provider` resolvable for the code in a folder; if it already is, nothing is written.
 * @param codeFolder needs a parent folder that holds nothing else
 */
export async function placeSdk(codeFolder: string): Promise<void> {
  const modules = join(dirname(resolve(codeFolder)), 'node_modules');
  const link = join(modules, 'fairlead');
  if ((await readlink(link).catch(() => undefined)) === sdkFolder) return;
  await mkdir(modules, { recursive: true });
  await rm(link, { recursive: true, force: true });
  await symlink(sdkFolder, link, 'dir');
}
