// Reads tarballs of packages. One is recognised by its content: its name proves nothing, and `file:` may name any file.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const blockBytes = 512;
/** The limit of an unpacked tarball, whatever it is packed to. */
const maxBytes = 536_870_912;

interface TarballFile {
  /** Up to 100 bytes of it. */
  readonly path: string;
  readonly content: Buffer;
}

/** @returns whether a file is what `npm pack` makes, with a manifest in `package/` */
export function isTarball(path: string): boolean {
  return filesOfTarball(path).some((file) => file.path === 'package/package.json');
}

/** @returns nothing for another file */
export function filesOfTarball(path: string): readonly TarballFile[] {
  const bytes = readFileSync(path);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return [];
  try {
    return tarballFiles(gunzipSync(bytes, { maxOutputLength: maxBytes }));
  } catch {
    return [];
  }
}

function tarballFiles(tar: Buffer): readonly TarballFile[] {
  const files: TarballFile[] = [];
  for (let at = 0; at + blockBytes <= tar.length; ) {
    const path = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    at += blockBytes;
    if (path !== '') files.push({ path, content: tar.subarray(at, at + size) });
    at += Math.ceil(size / blockBytes) * blockBytes;
  }
  return files;
}
