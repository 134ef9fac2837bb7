// `npm run release`: makes the files of a release of this checkout in release/. Equal checkouts give equal bytes. Needs Git, npm and
// what `npm ci` installs, and no network.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkoutHere } from './checkout.ts';
import { makeRelease } from './files.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'release');

const checkout = await checkoutHere(root);
if (typeof checkout === 'string') {
  process.stderr.write(`${checkout}\n`);
  process.exitCode = 1;
} else {
  // A file of an earlier release would look as if it belonged to this one.
  await rm(folder, { recursive: true, force: true });
  const names = await makeRelease(folder, checkout);
  process.stdout.write(`Made in release/, of commit ${checkout.commit}:\n`);
  for (const name of names) process.stdout.write(`  ${name}\n`);
}
