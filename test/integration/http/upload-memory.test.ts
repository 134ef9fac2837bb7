// The memory of an upload, in a separate process. Sizes are measured here, not times.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tarOf } from '../../support/fixtures/code/archives.ts';
import { eventually } from '../../support/runner/eventually.ts';

const mebibyte = 1_024 * 1_024;
const max = 16 * mebibyte;

let folder: string;
let url: string;
let receiver: ReturnType<typeof spawn>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-upload-'));
  const program = join(import.meta.dirname, '../../support/servers/upload-receiver.ts');
  receiver = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(receiver.stdout ?? receiver, 'data')) as [Buffer];
  url = `http://127.0.0.1:${String(port).trim()}`;
});

afterAll(async () => {
  receiver.kill();
  await rm(folder, { recursive: true, force: true });
});

/** @param archive a form with it is sent piece by piece */
async function upload(archive: Buffer): Promise<unknown> {
  const head = '--edge\r\nContent-Disposition: form-data; name="code"; filename="a.tgz"\r\n\r\n';
  const pieces = function* () {
    yield Buffer.from(head);
    for (let at = 0; at < archive.length; at += 65_536) yield archive.subarray(at, at + 65_536);
    yield Buffer.from('\r\n--edge--\r\n');
  };
  const headers = { 'Content-Type': 'multipart/form-data; boundary=edge' };
  const body = ReadableStream.from(pieces());
  const answer = await fetch(url, { method: 'POST', headers, body, duplex: 'half' });
  return await answer.json();
}

/** Its bytes do not get fewer by compression. */
function archiveOf(bytes: number): Buffer {
  const parts = [
    { path: 'package.json', body: '{}' },
    { path: 'data', body: randomBytes(bytes) },
  ];
  return gzipSync(tarOf(...parts), { level: 1 });
}

async function memory(): Promise<{ rss: number; peak: number }> {
  const answer = await fetch(url);
  return (await answer.json()) as { rss: number; peak: number };
}

it('grows by less than 16 MiB while 50 MB arrive and are inspected', async () => {
  // Packed first: that takes seconds, after which the server closes the connection of the last request.
  const [small, large] = [archiveOf(mebibyte), archiveOf(50_000_000)];
  await upload(small);
  const before = await memory();
  expect(await upload(large)).toMatchObject({ unpackedBytes: 50_000_002 });
  const after = await memory();
  expect(after.peak - before.rss).toBeLessThan(max);
  // The answer is sent before the file is discarded.
  await eventually(async () => expect(await readdir(join(folder, 'staging'))).toEqual([]));
});
