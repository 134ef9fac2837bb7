// Recognises a tarball of a package by its content: a name says nothing, and `file:` may name any file.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const blockBytes = 512;
/** Of an unpacked tarball, whatever it is packed to. */
const maxBytes = 536_870_912;

/** @returns whether a file is what `npm pack` makes, with a manifest in `package/` */
export function isTarball(path: string): boolean {
  const bytes = readFileSync(path);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return false;
  try {
    return hasManifest(gunzipSync(bytes, { maxOutputLength: maxBytes }));
  } catch {
    return false;
  }
}

function hasManifest(tar: Buffer): boolean {
  for (let at = 0; at + blockBytes <= tar.length; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    if (name === 'package/package.json') return true;
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
  }
  return false;
}
