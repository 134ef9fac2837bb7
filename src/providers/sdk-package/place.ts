// Makes `fairlead/provider` resolvable for provider code: a link to the package in `node_modules` of the folder *above* the
// code. Node, compilers and bundlers look there too; npm, which works in the code's folder, neither sees nor removes it.
import { mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The package `fairlead` for providers, generated from src/sdk. Its libraries are found beside it, in our own node_modules. */
export const sdkFolder = resolve(import.meta.dirname, '../../../sdk');

/**
 * Makes `fairlead/provider` known to the code in a folder; that it is known already is found without writing.
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
