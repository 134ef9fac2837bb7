// Archives to folders and back, on a real file system.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FairleadError } from '../../../../src/domain/errors.ts';
import { defaultArchiveLimits } from '../../../../src/domain/providers/archive.ts';
import { extractArchive } from '../../../../src/providers/archive/extract.ts';
import { packFolder } from '../../../../src/providers/archive/pack.ts';
import { pax, tarOf, zipOf } from '../../../support/fixtures/code/archives.ts';

let folder: string;
let out: string;
let archive: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-extract-'));
  out = join(folder, 'out');
  archive = join(folder, 'archive');
  mkdirSync(out);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Path → mode and content, of everything below a folder. */
function tree(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const lines = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = (statSync(path).mode & 0o7777).toString(8);
    const content = entry.isFile() ? readFileSync(path, 'utf8') : '/';
    return [relative(root, path), `${mode} ${content}`];
  });
  return Object.fromEntries(lines);
}

function extract(bytes: Buffer, limits = defaultArchiveLimits) {
  writeFileSync(archive, bytes);
  return extractArchive(archive, out, limits);
}

function write(path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
}

async function packed(source: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of packFolder(source).bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const parts = [
  { path: 'package/package.json', body: '{}', mode: 0o600 },
  { path: 'package/bin/run', body: 'run', mode: 0o4777 },
  { path: 'package/src/deep/a.ts', body: 'a'.repeat(1_000), mode: 0o666 },
  { path: 'package/empty', body: '', mode: 0o644 },
];
const expected = {
  'package.json': '644 {}',
  bin: '755 /',
  'bin/run': '755 run',
  src: '755 /',
  'src/deep': '755 /',
  'src/deep/a.ts': `644 ${'a'.repeat(1_000)}`,
  empty: '644 ',
};

it.each([
  ['tar', tarOf(...parts)],
  ['tar.gz', gzipSync(tarOf(...parts))],
  ['zip', zipOf(...parts.map((part) => ({ ...part, mode: part.mode | 0o100000 })))],
  [
    'zip without compression',
    zipOf(...parts.map((part) => ({ ...part, mode: part.mode | 0o100000, method: 0 }))),
  ],
])('extracts the root of a %s, with fixed modes', async (_format, bytes) => {
  const mask = process.umask(0o077);
  try {
    expect(await extract(bytes)).toMatchObject({ root: 'package', files: 4 });
  } finally {
    process.umask(mask);
  }
  expect(tree(out)).toEqual(expected);
});

it('skips metadata of macOS', async () => {
  await extract(
    zipOf({ path: 'p/package.json', body: '{}' }, { path: '__MACOSX/p/._a', body: 'x' }),
  );
  expect(tree(out)).toEqual({ 'package.json': '644 {}' });
});

it.each([
  [
    'a link',
    tarOf({ path: 'package.json' }, { path: 'l', type: '2', link: '/etc' }, { path: 'l/x' }),
  ],
  ['a way out', tarOf({ path: 'package.json' }, pax({ path: '../out2' }), { path: 'x' })],
  ['a way out of a zip', zipOf({ path: 'package.json' }, { path: '../out2' })],
])('writes nothing of an archive with %s', async (_what, bytes) => {
  await expect(extract(bytes)).rejects.toMatchObject({ code: 'bad_archive' });
  expect(readdirSync(folder).toSorted()).toEqual(['archive', 'out']);
  expect(tree(out)).toEqual({});
});

it.each([
  ['longer than announced', { path: 'a', body: 'abc', size: 2 }],
  ['shorter than announced', { path: 'a', body: 'abc', size: 4 }],
  ['different from its checksum', { path: 'a', body: 'abc', sum: 1 }],
])('rejects a file of a zip that is %s', async (_what, part) => {
  const bytes = zipOf({ path: 'package.json' }, part);
  await expect(extract(bytes)).rejects.toMatchObject({ code: 'bad_archive' });
});

it('stops a zip that is larger than announced', async () => {
  const bomb = zipOf({ path: 'package.json', body: Buffer.alloc(50_000_000), size: 10 });
  await expect(extract(bomb)).rejects.toMatchObject({ code: 'bad_archive' });
  const written = tree(out)['package.json'] ?? '';
  expect(written.length).toBeLessThan(100_000);
});

it('extracts into an empty folder only', async () => {
  writeFileSync(join(out, 'mine'), '');
  await expect(extract(tarOf(...parts))).rejects.toThrow('not empty');
  expect(readdirSync(out)).toEqual(['mine']);
});

it('arbitrary bytes: extracts, or rejects as a bad archive, and writes nothing outside', async () => {
  const seeds = [tarOf(...parts), gzipSync(tarOf(...parts)), zipOf(...parts)];
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.array(change, { maxLength: 4 }),
      async (seed, changes) => {
        const bytes = Buffer.from(seed);
        for (const { at, byte } of changes) bytes[at % bytes.length] = byte;
        rmSync(out, { recursive: true });
        mkdirSync(out);
        const thrown = await extract(bytes).catch((reason: unknown) => reason);
        if (thrown instanceof Error) expect(thrown).toBeInstanceOf(FairleadError);
        expect(readdirSync(folder).toSorted()).toEqual(['archive', 'out']);
      },
    ),
    { numRuns: 300 },
  );
});

it('packs the same files to the same bytes, regardless of time, folder and order', async () => {
  const first = join(folder, 'first');
  const second = join(folder, 'second');
  const files: [string, string, number][] = [
    ['package.json', '{}', 0o644],
    ['b/run.js', 'run', 0o755],
    ['a.ts', 'a', 0o644],
  ];
  for (const [path, content, mode] of files) write(join(first, path), content, mode);
  for (const [path, content] of files.toReversed()) {
    write(join(second, path), content, path === 'b/run.js' ? 0o700 : 0o600);
    utimesSync(join(second, path), 1, 1);
  }
  const digests = [await packed(first), await packed(second)].map(digestOf);
  expect(digests[0]).toBe(digests[1]);
  write(join(second, 'a.ts'), 'A');
  expect(digestOf(await packed(second))).not.toBe(digests[0]);
});

it('packs and extracts long names, other scripts, and sizes around a block', async () => {
  const source = join(folder, 'source');
  write(join(source, 'package.json'), '{}');
  for (const size of [0, 1, 511, 512, 513, 200_000])
    write(join(source, `size/${size}`), randomBytes(size).toString('hex').slice(0, size));
  for (let length = 70; length <= 200; length += 1)
    write(join(source, 'x'.repeat(50), 'n'.repeat(length)), 'n');
  for (let length = 25; length <= 80; length += 1)
    write(join(source, 'é'.repeat(99), '日'.repeat(length)), '日');
  await extract(await packed(source));
  expect(tree(out)).toEqual(tree(source));
});

it('skips links with a warning, and rejects a folder that violates the rules of extraction', async () => {
  const source = join(folder, 'source');
  write(join(source, 'package.json'), '{}');
  symlinkSync('/etc/passwd', join(source, 'link'));
  symlinkSync('..', join(source, 'up'));
  const packing = packFolder(source);
  const chunks: Buffer[] = [];
  for await (const chunk of packing.bytes) chunks.push(chunk);
  expect(packing.leftOut).toEqual(['link', 'up']);
  await extract(Buffer.concat(chunks));
  expect(tree(out)).toEqual({ 'package.json': '644 {}' });

  write(join(source, 'large'), Buffer.alloc(100));
  const reading = (async () => {
    const limited = packFolder(source, { ...defaultArchiveLimits, unpackedBytes: 100 });
    for await (const _ of limited.bytes);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'bad_archive' });
});

it.skipIf(process.platform === 'win32')('is compatible with the tar of the system', async () => {
  const source = join(folder, 'source');
  write(join(source, 'package.json'), '{}');
  write(join(source, 'd'.repeat(90), `${'日'.repeat(50)}.ts`), 'long');
  execFileSync('tar', ['-czf', archive, '-C', source, '.']);
  expect(await extractArchive(archive, out)).toMatchObject({ root: '', files: 2 });
  writeFileSync(archive, await packed(source));
  const back = join(folder, 'back');
  mkdirSync(back);
  execFileSync('tar', ['-xzf', archive, '-C', back]);
  expect(Object.keys(tree(back))).toEqual(Object.keys(tree(source)));
  expect(Object.keys(tree(out))).toEqual(Object.keys(tree(source)));
});

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
