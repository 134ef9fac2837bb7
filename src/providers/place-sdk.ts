// Makes `fairlead/provider` resolvable for provider code: a link to the package in `node_modules` of the folder *above* the
// code. Node, compilers and bundlers look there too; npm, which works in the code's folder, neither sees nor removes it.
import { existsSync } from 'node:fs';
import { mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FairleadError } from '../domain/errors.ts';

/** The package `fairlead` for providers, written by packaging/sdk.ts. It finds its libraries in our node_modules beside it. */
export const sdkFolder = resolve(import.meta.dirname, '../../sdk');

/**
 * Makes `fairlead/provider` resolvable for the code in a folder; if it already is, nothing is written.
 * @param codeFolder needs a parent folder that holds nothing else
 * @throws FairleadError where the package is not built
 */
export async function placeSdk(codeFolder: string, sdk: string = sdkFolder): Promise<void> {
  // A checkout has no more than its package.json before `npm ci` runs scripts.
  if (!existsSync(join(sdk, 'sdk/index.js'))) {
    throw new FairleadError(
      'unavailable',
      'This Fairlead lacks the package of provider code. In its checkout: npm run build',
    );
  }
  const modules = join(dirname(resolve(codeFolder)), 'node_modules');
  const link = join(modules, 'fairlead');
  if ((await readlink(link).catch(() => undefined)) === sdk) return;
  await mkdir(modules, { recursive: true });
  await rm(link, { recursive: true, force: true });
  await symlink(sdk, link, 'dir');
}
