// Accepted and rejected archives in every format, with their messages.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inspectArchive } from '../../../../src/providers/archive/inspect.ts';
import {
  pax,
  type TarPart,
  tarOf,
  tarParts,
  type ZipPart,
  zipOf,
} from '../../../support/fixtures/code/archives.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-inspect-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const limits = { entries: 10, unpackedBytes: 10_000, pathBytes: 1_024, depth: 100 };
const manifest = { path: 'package.json', body: '{}' };
const long = 'y'.repeat(80);

function inspect(bytes: Buffer) {
  const path = join(folder, 'upload');
  writeFileSync(path, bytes);
  return inspectArchive(path, limits);
}

async function refusal(bytes: Buffer): Promise<string> {
  const refused = await inspect(bytes).then(
    (inspection) => JSON.stringify(inspection),
    (thrown: unknown) => thrown,
  );
  expect(refused).toMatchObject({ name: 'FairleadError', code: 'bad_archive' });
  return (refused as Error).message;
}

const tarPlain = tarOf(manifest, { path: 'src/', type: '5' }, { path: 'src/index.ts', body: 'x' });

it.each([
  ['tar', tarPlain],
  ['tar.gz', gzipSync(tarPlain)],
  ['zip', zipOf(manifest, { path: 'src/', mode: 0o040755 }, { path: 'src/index.ts', body: 'x' })],
])('accepts a plain %s', async (format, bytes) => {
  expect(await inspect(bytes)).toEqual({ format, root: '', files: 2, unpackedBytes: 3 });
});

it.each<[string, Buffer, string]>([
  ['npm pack', tarOf({ path: 'package/package.json' }, { path: 'package/a.ts' }), 'package'],
  ['a folder', zipOf({ path: 'mine/', mode: 0o040755 }, { path: 'mine/package.json' }), 'mine'],
  ['tar of .', tarOf({ path: './', type: '5' }, { path: './package.json' }, { path: './a/b' }), ''],
  ['macOS litter', zipOf({ path: 'p/package.json' }, { path: '__MACOSX/p/._package.json' }), 'p'],
  ['git archive', tarOf(pax({ comment: 'abc' }, 'g'), { path: 'p/package.json' }), 'p'],
  ['a long pax path', tarOf(manifest, pax({ path: `${long}/${long}` }), { path: 'cut' }), ''],
  ['other letters', tarOf(manifest, pax({ path: `日本/${'é'.repeat(300)}` }), { path: 'cut' }), ''],
  [
    'a pax path cut in a letter',
    tarOf(manifest, pax({ path: '日'.repeat(90) }), {
      path: '日'.repeat(33),
      nameField: Buffer.from(`x${'日'.repeat(33)}`),
    }),
    '',
  ],
  ['all-digit pax path', tarOf(manifest, pax({ path: '0123' }), { path: 'cut' }), ''],
  [
    'GNU long name',
    tarOf(manifest, { type: 'L', body: `${long}/${long}\0`, path: 'L' }, { path: 'cut' }),
    '',
  ],
  ['one empty block at the end', tarPlain.subarray(0, -512), ''],
  ['a padded end', Buffer.concat([tarPlain, Buffer.alloc(10_240)]), ''],
])('finds the root of %s', async (_what, bytes, root) => {
  expect(await inspect(bytes)).toMatchObject({ root });
});

/** Any bad path, in all formats, wherever a format can say it. */
it.each<[string, string, RegExp]>([
  ['the folder above', '../x', /"..\/x" has \.\. in its path/],
  ['a way around', 'a/../../x', /\.\. in its path/],
  ['an absolute path', '/etc/x', /"\/etc\/x" has an absolute path/],
  ['a drive', 'C:x', /drive letter/],
  ['a drive, absolute', 'c:/x', /drive letter/],
  ['a backslash', 'a\\..\\x', /backslash/],
  ['an empty name', 'a//b', /empty name or \. in/],
  ['a dot in the middle', 'a/./b', /empty name or \. in/],
  ['a name twice', 'package.json', /has "package\.json" twice/],
  ['a file where a folder is', 'package.json/x', /"package\.json" both as a file and as a folder/],
  ['a path of over 1,024 bytes', 'd/'.repeat(20) + 'é'.repeat(600), /path over 1024 bytes/],
  ['over 100 levels', `${'d/'.repeat(100)}x`, /over 100 levels/],
])('rejects %s', async (_what, path, message) => {
  const paxed = [manifest, pax({ path }), { path: 'harmless' }];
  const gnu = [manifest, { path: 'L', type: 'L', body: `${path}\0` }, { path: 'harmless' }];
  expect(await refusal(tarOf(...paxed))).toMatch(message);
  expect(await refusal(gzipSync(tarOf(...paxed)))).toMatch(message);
  expect(await refusal(tarOf(...gnu))).toMatch(message);
  expect(await refusal(zipOf(manifest, { path }))).toMatch(message);
  if (path.length < 100) expect(await refusal(tarOf(manifest, { path }))).toMatch(message);
});

it.each<[string, readonly TarPart[], RegExp]>([
  ['a symbolic link', [{ path: 'l', type: '2', link: '/etc/passwd' }], /"l" is a symbolic link/],
  [
    'a symbolic link that npm made',
    [{ path: 'node_modules/.bin/yaml', type: '2', link: '../yaml' }],
    /"node_modules\/\.bin\/yaml" is a symbolic link; leave node_modules out \(tar --exclude node_modules\)/,
  ],
  ['a hard link', [{ path: 'l', type: '1', link: 'package.json' }], /"l" is a hard link/],
  ['a link with a long target', [{ path: 'K', type: 'K', body: 'x\0' }], /is a link/],
  ['a link by pax', [pax({ linkpath: '/etc' }), { path: 'l', type: '2', link: 'x' }], /has a link/],
  ['a character device', [{ path: 'd', type: '3' }], /is a device/],
  ['a block device', [{ path: 'd', type: '4' }], /is a device/],
  ['a pipe', [{ path: 'f', type: '6' }], /is a named pipe/],
  ['a contiguous file', [{ path: 'c', type: '7' }], /neither a file nor a folder/],
  ['a volume label', [{ path: 'v', type: 'V' }], /neither a file nor a folder/],
  ['an unknown type', [{ path: 'z', type: 'Z' }], /neither a file nor a folder/],
  ['a sparse file', [{ path: 's', type: 'S' }], /sparse/],
  ['a sparse file by pax', [pax({ 'GNU.sparse.major': '1' }), { path: 's' }], /sparse/],
  ['NUL in a name', [{ nameField: Buffer.from('a\0b') }], /NUL/],
  ['NUL in a pax path', [pax({ path: 'a\0b' }), { path: 'a' }], /NUL/],
  ['NUL in a GNU long name', [{ path: 'L', type: 'L', body: 'a\0b\0' }, { path: 'a' }], /NUL/],
  ['letters that are not UTF-8', [{ nameField: Buffer.from([0x61, 0xff]) }], /not UTF-8/],
  [
    'a pax path that is not UTF-8',
    [{ path: 'x', type: 'x', body: Buffer.from([0x39, 0x20, 0xff]) }],
    /not UTF-8/,
  ],
  [
    'a pax header that cannot be read',
    [{ path: 'x', type: 'x', body: '99 path=a\n' }, { path: 'a' }],
    /unreadable header/,
  ],
  [
    'a pax header without records',
    [{ path: 'x', type: 'x', body: 'path=a\n' }, { path: 'a' }],
    /unreadable header/,
  ],
  ['a pax size that is not a number', [pax({ size: '-5' }), { path: 'a' }], /unreadable header/],
  ['a global pax path', [pax({ path: 'a' }, 'g'), { path: 'b' }], /unreadable header/],
  [
    'an endless pax header',
    [{ path: 'x', type: 'x', body: Buffer.alloc(20_000, 0x61) }],
    /unreadable header/,
  ],
  ['a size below zero', [{ path: 'n', sizeField: Buffer.alloc(12, 0xff) }], /damaged/],
  [
    'a size that is not a number',
    [{ path: 'n', sizeField: Buffer.from('zzzzzzzzzzz\0') }],
    /damaged/,
  ],
  ['a folder with bytes', [pax({ size: '512' }), { path: 'd/', type: '5' }], /damaged/],
  ['a wrong checksum', [{ path: 'w', checksum: 1 }], /damaged/],
  ['no path', [{}], /empty path/],
])('refuses a tar with %s', async (_what, parts, message) => {
  expect(await refusal(tarOf(manifest, ...parts))).toMatch(message);
  expect(await refusal(gzipSync(tarOf(manifest, ...parts)))).toMatch(message);
});

it.each<[string, ZipPart, RegExp]>([
  ['a symbolic link', { path: 'l', body: '/etc/passwd', mode: 0o120777 }, /"l" is a symbolic link/],
  [
    'a symbolic link that npm made',
    { path: 'node_modules/.bin/yaml', body: '../yaml', mode: 0o120777 },
    /"node_modules\/\.bin\/yaml" is a symbolic link; leave node_modules out \(tar --exclude node_modules\)/,
  ],
  ['a device', { path: 'd', mode: 0o020666 }, /neither a file nor a folder/],
  ['a folder that is marked as a file', { path: 'd/', mode: 0o100644 }, /neither a file nor/],
  ['a folder with bytes', { path: 'd/', mode: 0o040755, body: 'x' }, /damaged/],
  ['an encrypted file', { path: 'e', flags: 0x801 }, /encrypted/],
  ['an unusual compression', { path: 'e', method: 12 }, /use deflate/],
  ['NUL in a path', { path: 'a\0b' }, /NUL/],
  ['letters that are not UTF-8', { path: Buffer.from([0x61, 0xff]) }, /not UTF-8/],
  ['an entry on the bytes of another', { path: 'again', body: '{}', shared: true }, /damaged/],
  ['a stored file of two lengths', { path: 'a', method: 0, body: 'abc', size: 2 }, /damaged/],
])('refuses a zip with %s', async (_what, part, message) => {
  expect(await refusal(zipOf(manifest, part))).toMatch(message);
});

const zipped = zipOf(manifest);

it.each<[string, Buffer, RegExp]>([
  ['nothing', Buffer.alloc(0), /empty/],
  ['a web page', Buffer.from('<!doctype html>'.repeat(100)), /not a tar, tar\.gz or zip/],
  ['bzip2', Buffer.from(`BZh9${'x'.repeat(600)}`), /not a tar, tar\.gz or zip/],
  [
    'zstd',
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...Buffer.alloc(600)]),
    /not a tar, tar\.gz or zip/,
  ],
  ['a compressed text', gzipSync('hello'), /compressed file does not contain a tar/],
  ['a tar compressed twice', gzipSync(gzipSync(tarPlain)), /does not contain a tar/],
  ['an empty tar', Buffer.alloc(1_024), /empty/],
  ['an empty tar.gz', gzipSync(Buffer.alloc(10_240)), /empty/],
  ['an empty zip', zipOf(), /empty/],
  ['folders only', tarOf({ path: 'a/', type: '5' }), /empty/],
  ['no package.json', tarOf({ path: 'index.ts' }), /no package\.json/],
  ['package.json too deep', tarOf({ path: 'a/b/package.json' }), /no package\.json/],
  ['package.json as a folder', tarOf({ path: 'package.json/x' }), /no package\.json/],
  [
    'two folders',
    tarOf({ path: 'a/package.json' }, { path: 'b/package.json' }),
    /no package\.json/,
  ],
  [
    'rubbish after a tar',
    Buffer.concat([tarPlain, Buffer.from('rubbish')]),
    /truncated|after its end/,
  ],
  ['a block after a tar', Buffer.concat([tarPlain, Buffer.alloc(512, 1)]), /data after its end/],
  ['a tar after a tar', Buffer.concat([tarPlain, tarPlain]), /data after its end/],
  [
    'rubbish after a gzip',
    Buffer.concat([gzipSync(tarPlain), Buffer.from('rubbish')]),
    /after its end/,
  ],
  [
    'rubbish after a tar in a gzip',
    gzipSync(Buffer.concat([tarPlain, Buffer.alloc(512, 1)])),
    /after its end/,
  ],
  ['rubbish after a zip', Buffer.concat([zipped, Buffer.from('rubbish')]), /damaged/],
  ['a tar without its end', tarParts(manifest), /is truncated/],
  ['a tar cut in a header', tarPlain.subarray(0, 700), /is truncated/],
  ['a tar cut in a body', tarParts(manifest).subarray(0, 513), /is truncated/],
  ['a tar cut behind a pax header', tarOf(manifest, pax({ path: 'x' })), /is truncated/],
  ['a truncated gzip', gzipSync(tarPlain).subarray(0, -20), /is truncated/],
  ['a gzip with changed bytes', damaged(gzipSync(tarPlain)), /damaged/],
  ['a truncated zip', zipped.subarray(0, -1), /damaged/],
  ['half a zip', zipped.subarray(0, 40), /damaged/],
])('rejects %s', async (_what, bytes, message) => {
  expect(await refusal(bytes)).toMatch(message);
});

function damaged(bytes: Buffer): Buffer {
  bytes[bytes.length - 6] = (bytes.at(-6) ?? 0) ^ 0xff;
  return bytes;
}

const many = (count: number) => Array.from({ length: count }, (_, n) => ({ path: `f${n}` }));
const zeros = Buffer.alloc(9_999);

it.each<[string, Buffer, RegExp | undefined]>([
  ['as many entries as are allowed', tarOf(manifest, ...many(9)), undefined],
  ['one entry more', tarOf(manifest, ...many(10)), /more than 10 entries/],
  ['as many in a zip', zipOf(manifest, ...many(9)), undefined],
  ['one more in a zip', zipOf(manifest, ...many(10)), /more than 10 entries/],
  [
    'pax headers without entries',
    tarOf(...Array.from({ length: 30 }, () => pax({ a: 'b' }))),
    /10 entries/,
  ],
  [
    'as many bytes as allowed',
    gzipSync(tarOf({ path: 'package.json', body: 'x' }, { path: 'a', body: zeros })),
    undefined,
  ],
  ['one byte more', gzipSync(tarOf(manifest, { path: 'a', body: zeros })), /more than 10000 bytes/],
  ['one byte more in a zip', zipOf(manifest, { path: 'a', body: zeros }), /more than 10000 bytes/],
  [
    'a bomb that announces its size',
    tarOf(manifest, { path: 'a', sizeField: Buffer.from('77777777777\0') }),
    /10000 bytes/,
  ],
  [
    'a bomb of empty blocks',
    gzipSync(Buffer.concat([tarPlain, Buffer.alloc(4_000_000)])),
    /10000 bytes/,
  ],
])('counts: %s', async (_what, bytes, message) => {
  if (message === undefined) await inspect(bytes);
  else expect(await refusal(bytes)).toMatch(message);
});

it('never repeats a path in full or unescaped', async () => {
  const message = await refusal(
    tarOf(pax({ path: `/\u001b[31m\n${'x'.repeat(500)}` }), { path: 'a' }),
  );
  for (const character of ['\u001b', '\n']) expect(message).not.toContain(character);
  expect(message.length).toBeLessThan(200);
});

it('throws, without blaming the archive, when the file is unreadable', async () => {
  await expect(inspectArchive(join(folder, 'missing'), limits)).rejects.toMatchObject({
    code: 'ENOENT',
  });
});

it('[I7] reads a long path of NULs in linear time', async () => {
  const path = { path: 'long', type: 'L', body: `${'\0'.repeat(16_000)}x` };
  const began = process.cpuUsage();
  expect(await refusal(tarOf(manifest, path, { path: 'a' }))).toContain('over 1024 bytes');
  // A pattern took a second for each, and there may be thousands.
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(300);
});

it('[I7] reads headers without entries up to a limit', async () => {
  const header = { path: 'long', type: 'L', body: 'x'.repeat(16_000) };
  expect(await refusal(tarOf(manifest, header, header, { path: 'a' }))).toBe(
    'The extended headers of the archive are too large',
  );
});

it.each([
  ['tar', tarOf],
  ['zip', zipOf],
])('[I7] counts the folders that a %s does not list', async (_format, archiveOf) => {
  const deep = (n: number) => ({ path: `${n}/a/b/c/d/e/f/g/h`, body: 'x' });
  expect(await refusal(archiveOf(manifest, deep(1), deep(2), deep(3)))).toBe(
    'The archive has more than 20 files and folders',
  );
});
