// Uploads an archive as a form with one file, streamed from the disk.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { PushedBuild } from '../../../api/shapes.ts';
import { operationPath } from '../../../client/api/request.ts';
import type { Api } from '../../session/api/client.ts';
import type { Archive } from './archive.ts';

interface UploadOptions {
  readonly provider: string;
  /** Called with the bytes sent so far. */
  readonly onProgress: (bytes: number) => void;
}

/** The answer comes after the whole upload, which takes minutes over a slow line. */
const answerTimeoutMs = 15 * 60_000;
const boundary = 'fairlead-client-5f0c1b7e9a34d628';
const head = `--${boundary}\r\nContent-Disposition: form-data; name="code"; filename="code.tar.gz"\r\nContent-Type: application/gzip\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

/** @returns the build that was started. @throws as `Api.call` */
export async function upload(
  api: Api,
  { path, bytes }: Pick<Archive, 'path' | 'bytes'>,
  { provider, onProgress }: UploadOptions,
): Promise<PushedBuild> {
  const { body } = await api.send({
    method: 'POST',
    path: operationPath('pushCode', { provider }),
    headers: {
      accept: 'application/json',
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + bytes + tail.length),
    },
    body: () => Readable.from(form(path, onProgress), { objectMode: false }),
    // Equal bytes are built once.
    isRepeatable: true,
    answerTimeoutMs,
  });
  return JSON.parse(body) as PushedBuild;
}

async function* form(path: string, onProgress: (bytes: number) => void) {
  yield Buffer.from(head);
  let sent = 0;
  for await (const chunk of createReadStream(path)) {
    yield chunk as Buffer;
    sent += (chunk as Buffer).length;
    onProgress(sent);
  }
  yield Buffer.from(tail);
}
