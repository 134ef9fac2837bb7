// Serves files of a folder from memory: read once, compressed once, with entity tags.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { RouteAnswer } from './send.ts';

export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  /** Strong, in quotes. */
  readonly etag: string;
  /** Whether the name changes with the content. */
  readonly isHashed: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** esbuild puts eight letters and digits of the hash before the ending. */
const hashed = /-[A-Z0-9]{8}\.[a-z]+$/;

/** @returns the files of a folder by name; none when the folder does not exist */
export function readStaticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  return new Map(assetNames(folder).map((name) => [name, staticFile(name, join(folder, name))]));
}

function assetNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

function staticFile(name: string, path: string): StaticFile {
  const bytes = readFileSync(path);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    bytes,
    gzipped: gzipSync(bytes, { level: 9 }),
    etag: `"${digest}"`,
    isHashed: hashed.test(name),
  };
}

/**
 * @param header reads a header of the request; empty if absent
 * @param headers of this answer besides those of every file
 */
export function sendFile(
  file: StaticFile,
  header: (name: string) => string,
  headers: Readonly<Record<string, string>> = {},
): RouteAnswer {
  const isGzipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\b)/i.test(header('accept-encoding'));
  // Each encoding is another representation, with another tag.
  const etag = isGzipped ? file.etag.replace(/"$/, '-gzip"') : file.etag;
  const common = {
    ...headers,
    ETag: etag,
    Vary: 'Accept-Encoding',
    'Cache-Control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  };
  const tags = header('if-none-match')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''));
  if (tags.includes(etag)) return { status: 304, headers: common };
  return {
    status: 200,
    headers: isGzipped ? { ...common, 'Content-Encoding': 'gzip' } : common,
    content: { type: file.type, bytes: isGzipped ? file.gzipped : file.bytes },
  };
}
