// Uploads over real connections into a real store: whole, wrong, broken off, endless.
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InvalidRequest } from '../../../../src/domain/errors.ts';
import type { ArtifactStore, StagedArtifact } from '../../../../src/domain/providers/artifact.ts';
import { ClientGone } from '../../../../src/http/request/body.ts';
import { defaultPace } from '../../../../src/http/request/pace.ts';
import { receiveCode, type UploadLimits } from '../../../../src/http/request/upload.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { openArtifactStore } from '../../../../src/providers/artifacts/index.ts';

let limits: UploadLimits;
const type = 'multipart/form-data; boundary=edge';

let folder: string;
let store: ArtifactStore;
let server: Server;
let sockets: Socket[];
let outcomes: Promise<unknown>[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-upload-'));
  store = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
  limits = { fileBytes: 1_000 };
  sockets = [];
  outcomes = [];
  server = createServer((req, res) => {
    const outcome = receiveCode(req, res, store, limits).catch((thrown: unknown) => thrown);
    outcomes.push(outcome.finally(() => res.end('answered')));
  });
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(...lines: readonly string[]): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(['POST / HTTP/1.1', 'Host: x', ...lines].join('\r\n'));
  return socket;
}

function send(body: string | Buffer, contentType = type): Socket {
  const length = Buffer.byteLength(body);
  const socket = open(`Content-Type: ${contentType}`, `Content-Length: ${length}`, '', '');
  socket.write(body);
  return socket;
}

async function outcome(): Promise<unknown> {
  if (outcomes.length === 0) await once(server, 'request');
  return await outcomes[0];
}

function part(name: string, body: string, head = ''): string {
  return `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="a.tgz"${head}\r\n\r\n${body}\r\n`;
}

const end = '--edge--\r\n';

function staged(): string[] {
  return readdirSync(join(folder, 'staging'));
}

async function contentOf(upload: unknown): Promise<string> {
  return await readFile((upload as StagedArtifact).path, 'utf8');
}

it.each([
  ['with a filename', part('code', 'the code')],
  ['with a type', part('code', 'the code', '\r\nContent-Type: application/gzip')],
  [
    'with a type alone',
    '--edge\r\nContent-Type: application/octet-stream\r\nContent-Disposition: form-data; name=code\r\n\r\nthe code\r\n',
  ],
  ['after some text', `for old readers\r\n${part('code', 'the code')}`],
])('receives a file %s', async (_how, body) => {
  send(`${body}${end}and after`);
  const upload = (await outcome()) as StagedArtifact;
  expect(await contentOf(upload)).toBe('the code');
  expect(upload.size).toBe(8);
  await upload.discard();
  expect(staged()).toEqual([]);
});

it('receives a file byte by byte, with boundary-like content', async () => {
  const content = '\r\n--edg\r\n--edg-e--\r\n\r\n-';
  const bytes = Buffer.from(part('code', content) + end);
  const socket = open(`Content-Type: ${type}`, `Content-Length: ${bytes.length}`, '', '');
  socket.setNoDelay();
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  expect(await contentOf(await outcome())).toBe(content);
});

it('receives up to the limit, and not one byte more', async () => {
  send(part('code', 'x'.repeat(1_000)) + end);
  expect(await outcome()).toMatchObject({ size: 1_000 });
  await ((await outcome()) as StagedArtifact).discard();
  outcomes = [];
  send(part('code', 'x'.repeat(1_001)) + end);
  expect(await outcome()).toMatchObject({ code: 'too_large' });
  expect(staged()).toEqual([]);
});

const missing = [{ loc: ['body', 'code'], type: 'missing' }];
const extra = (name: string) => [{ loc: ['body', name], type: 'extra_forbidden' }];
const malformed = [
  { loc: ['body'], type: 'value_error', msg: expect.stringMatching('malformed or truncated') },
];
const tooMany = [{ loc: ['body'], msg: expect.stringMatching('one part') }];
const field = (name: string) =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\ntext\r\n`;

it.each<[string, string, unknown]>([
  ['nothing at all', '', missing],
  ['a form without parts', end, missing],
  ['a part without a name', `--edge\r\nX: y\r\n\r\nbody\r\n${end}`, missing],
  ['another name', part('kode', 'x') + end, extra('kode')],
  ['an empty name', part('', 'x') + end, extra('')],
  ['a field beside', part('code', 'x') + field('note') + end, extra('note')],
  ['a field before', field('__proto__') + part('code', 'x') + end, extra('__proto__')],
  ['a file beside', part('code', 'x') + part('more', 'y') + end, extra('more')],
  [
    'code twice',
    part('code', 'x') + part('code', 'y') + end,
    [{ loc: ['body', 'code'], msg: 'Input should be sent once' }],
  ],
  ['code as a text', field('code') + end, [{ loc: ['body', 'code'], type: 'value_error' }]],
  ['ten thousand parts', '--edge\r\nX: y\r\n\r\n\r\n'.repeat(2_600) + end, tooMany],
  ['a part with an endless header', `--edge\r\nX: ${'y'.repeat(60_000)}\r\n\r\n${end}`, missing],
  ['a part with many headers', `--edge\r\n${'X: y\r\n'.repeat(5_000)}\r\n${end}`, missing],
  ['no end', part('code', 'x'), malformed],
  ['half an end', `${part('code', 'x')}--ed`, malformed],
  ['half a part', part('code', 'x').slice(0, -3), malformed],
  ['half a header', part('code', 'x').slice(0, 40), malformed],
  ['no boundary anywhere', 'just text', malformed],
  ['another boundary', part('code', 'x').replaceAll('edge', 'rim'), malformed],
])('rejects %s, and stores nothing', async (_what, body, violations) => {
  send(body);
  const refused = await outcome();
  expect(refused).toBeInstanceOf(InvalidRequest);
  expect(refused).toMatchObject({ violations });
  expect(staged()).toEqual([]);
});

it.each([
  ['no type', ''],
  ['JSON', 'application/json'],
  ['a form of another kind', 'application/x-www-form-urlencoded'],
  ['another multipart', 'multipart/mixed; boundary=edge'],
  ['no boundary', 'multipart/form-data'],
  ['no boundary, but something else', 'multipart/form-data; charset=utf-8'],
  ['two bodies in one', `${type}\r\nContent-Encoding: gzip`],
])('rejects a body of an unsupported type: %s', async (_what, contentType) => {
  send(part('code', 'x') + end, contentType);
  expect(await outcome()).toMatchObject({ code: 'unsupported_media_type' });
  expect(staged()).toEqual([]);
});

it('[H10] rejects by the announced length alone, before 100 Continue', async () => {
  const socket = open(
    `Content-Type: ${type}`,
    'Content-Length: 90000',
    'Expect: 100-continue',
    '',
    '',
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/);
  expect(await outcome()).toMatchObject({ code: 'too_large' });
});

it('sends 100 Continue on request', async () => {
  const body = part('code', 'x') + end;
  const socket = open(
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
    '',
    '',
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 100 Continue/);
  socket.write(body);
  expect(await outcome()).toMatchObject({ size: 1 });
});

it.each([
  ['a file', part('code', 'x').slice(0, -2)],
  ['text around the parts', ''],
])('stops at the limit when %s has no end, and still responds', async (_what, start) => {
  const socket = open(`Content-Type: ${type}`, 'Transfer-Encoding: chunked', '', '');
  const chunk = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
  if (start !== '') chunk(start);
  let answered = false;
  const answer = once(socket, 'data').finally(() => {
    answered = true;
  });
  while (!answered) {
    if (!chunk('y'.repeat(10_000))) await Promise.race([answer, once(socket, 'drain')]);
    await new Promise(setImmediate);
  }
  expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 200/);
  expect(await outcome()).toMatchObject({ code: 'too_large' });
  expect(staged()).toEqual([]);
});

it.each([
  ['in the middle of the file', part('code', 'half').slice(0, -2)],
  ['between the end of the form and that of the body', part('code', 'whole') + end],
  ['before a byte of it', ''],
])('stores nothing when the client disconnects %s', async (_where, body) => {
  const socket = open(`Content-Type: ${type}`, 'Content-Length: 900', '', body);
  await once(server, 'request');
  socket.destroy();
  expect(await outcome()).toBeInstanceOf(ClientGone);
  expect(staged()).toEqual([]);
});

it('passes on the error of the store, and stores nothing', async () => {
  store = {
    ...store,
    put: async (source) => {
      for await (const _ of source) throw new Error('The disk is full');
      throw new Error('unreachable');
    },
  };
  send(part('code', 'x'.repeat(900)) + end);
  expect(await outcome()).toMatchObject({ message: 'The disk is full' });
});

it('[H09] rejects a form in one-byte chunks', async () => {
  limits = { ...limits, fileBytes: 1_000_000 };
  const socket = open(`Content-Type: ${type}`, 'Transfer-Encoding: chunked', '', '');
  const start = part('code', '').slice(0, -2);
  socket.write(`${start.length.toString(16)}\r\n${start}\r\n`);
  socket.write('1\r\nx\r\n'.repeat(5_000));
  expect(await outcome()).toMatchObject({
    code: 'too_large',
    message: expect.stringMatching(/chunks of 1 KiB/),
  });
  expect(staged()).toEqual([]);
});

it('[H09] aborts a form that is too slow, and stores nothing', async () => {
  limits = { ...limits, pace: { ...defaultPace, spanMs: 100, bytesInSpan: 50 } };
  const socket = open(`Content-Type: ${type}`, 'Content-Length: 900', '', part('code', 'x'));
  const drip = setInterval(() => socket.write('x'), 20);
  expect(await outcome()).toBeInstanceOf(ClientGone);
  clearInterval(drip);
  expect(staged()).toEqual([]);
});
