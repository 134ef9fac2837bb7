import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createArtifacts } from '../../../../src/providers/build-step/transfer.ts';

const content = Buffer.from('x'.repeat(200_000));
const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const digest = digestOf(content);

/** The server's behaviour for each request; the last one applies to all that follow. */
type Manner = 'well' | 'busy' | 'refusing' | 'cutting' | 'lying';

interface Asked {
  readonly method: string | undefined;
  readonly body: Buffer;
}

const report = (bytes: Buffer) => JSON.stringify({ digest: digestOf(bytes), size: bytes.length });
const other = Buffer.from('other');
const answers: Readonly<Record<Manner, (res: ServerResponse, asked: Asked) => unknown>> = {
  well: (res, { method, body }) => res.end(method === 'GET' ? content : report(body)),
  lying: (res, { method }) => res.end(method === 'GET' ? other : report(other)),
  busy: (res) => res.writeHead(503).end(),
  refusing: (res) => res.writeHead(403).end(),
  cutting(res) {
    res.writeHead(200, { 'content-length': content.length });
    res.write(content.subarray(0, 1_000), () => res.destroy());
  },
};

let server: Server;
let manners: Manner[];
let requests: { readonly line: string; readonly authorization: string | undefined }[];
let folder: string;

beforeEach(async () => {
  requests = [];
  folder = await mkdtemp(join(tmpdir(), 'transfer-'));
  server = createServer(async (req, res) => {
    requests.push({ line: `${req.method} ${req.url}`, authorization: req.headers.authorization });
    const [manner = 'well'] = manners.length > 1 ? manners.splice(0, 1) : manners;
    answers[manner](res, { method: req.method, body: await buffer(req) });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await rm(folder, { recursive: true, force: true });
});

function artifacts() {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/inner`;
  return createArtifacts({ url, token: 'a-token', attempts: 3, pauseMs: 1 });
}

async function download(): Promise<Buffer> {
  const path = join(folder, 'archive');
  await artifacts().download(digest, path);
  return await readFile(path);
}

async function* pieces() {
  for (let at = 0; at < content.length; at += 60_000) {
    yield await Promise.resolve(content.subarray(at, at + 60_000));
  }
}

const upload = () => artifacts().upload(pieces);

describe('a transfer', () => {
  it('requests the artifact by its digest, with the token', async () => {
    manners = ['well'];
    expect(await download()).toEqual(content);
    const authorization = 'Bearer a-token';
    expect(requests).toEqual([{ line: `GET /inner/artifacts/${digest}`, authorization }]);
  });

  it('uploads its input, and accepts only the digest of that', async () => {
    manners = ['well'];
    expect(await upload()).toEqual({ digest, size: content.length });
    expect(requests).toEqual([{ line: 'POST /inner/artifacts', authorization: 'Bearer a-token' }]);
  });

  const passing: readonly Manner[][] = [
    ['busy', 'well'],
    ['cutting', 'well'],
    ['lying', 'busy', 'well'],
  ];
  it.each(passing)('is retried after a response that is %s', async (...given) => {
    manners = [...given];
    expect(await download()).toEqual(content);
    manners = [...given];
    expect(await upload()).toEqual({ digest, size: content.length });
    expect(requests).toHaveLength(2 * given.length);
  });

  it('stops after several attempts', async () => {
    manners = ['busy'];
    await expect(download()).rejects.toThrow(/^The download of the artifact failed 3 times$/);
    await expect(upload()).rejects.toThrow(/^The upload of the artifact failed 3 times$/);
  });

  it('stops at once when it is rejected', async () => {
    manners = ['refusing'];
    await expect(download()).rejects.toThrow(
      'Fairlead rejected the transfer of the artifact (403)',
    );
    await expect(upload()).rejects.toThrow('Fairlead rejected the transfer of the artifact (403)');
    expect(requests).toHaveLength(2);
  });
});
