// Bodies over real connections: whole, broken off, endless, late.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FairleadError, InvalidRequest } from '../../../../src/domain/errors.ts';
import { ClientGone, readJsonBody } from '../../../../src/http/request/body.ts';
import { defaultPace } from '../../../../src/http/request/pace.ts';

const limits = { bodyBytes: 100, bodyMs: 20_000, depth: 8, nodes: 50 };

let server: Server;
let sockets: Socket[];
/** Handles the next request. */
let handle: (req: IncomingMessage, res: ServerResponse) => Promise<unknown>;
let outcomes: Promise<unknown>[];

beforeEach(async () => {
  sockets = [];
  outcomes = [];
  handle = (req, res) => readJsonBody(req, res, limits);
  server = createServer((req, res) => {
    const outcome = handle(req, res).catch((thrown: unknown) => thrown);
    outcomes.push(outcome.finally(() => res.end()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function open(...lines: readonly string[]): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(
    ['POST / HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...lines].join('\r\n'),
  );
  return socket;
}

async function outcome(): Promise<unknown> {
  if (outcomes.length === 0) await once(server, 'request');
  return await outcomes[0];
}

it('reads a body byte by byte, also in the middle of a character', async () => {
  const bytes = Buffer.from('{"a":"日😀"}');
  const socket = open(`Content-Length: ${bytes.length}`, '', '');
  socket.setNoDelay();
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  expect(await outcome()).toEqual({ a: '日😀' });
});

it('[H09] times out for a body that does not end', async () => {
  handle = (req, res) => readJsonBody(req, res, { ...limits, bodyMs: 50 });
  open('Content-Length: 100', '', '{"a":');
  expect(await outcome()).toBeInstanceOf(ClientGone);
});

it('reads up to the limit, and not one byte more', async () => {
  open('Content-Length: 100', '', `"${'x'.repeat(98)}"`);
  expect(await outcome()).toBe('x'.repeat(98));
  outcomes = [];
  open('Content-Length: 101', '', `"${'x'.repeat(99)}"`);
  expect(await outcome()).toMatchObject({ code: 'too_large' });
});

it('[H09] stops at the limit for endless chunks', async () => {
  open('Transfer-Encoding: chunked', '', '65', `${'x'.repeat(0x65)}`, '');
  const refused = await outcome();
  expect(refused).toBeInstanceOf(FairleadError);
  expect(refused).toMatchObject({ code: 'too_large' });
});

it.each([
  ['an empty one', ['Content-Length: 0', '', '']],
  ['none', ['', '']],
  ['one of no pieces', ['Transfer-Encoding: chunked', '', '0', '', '']],
])('reports a missing body for %s', async (_what, lines) => {
  open(...lines);
  const refused = await outcome();
  expect(refused).toBeInstanceOf(InvalidRequest);
  expect(refused).toMatchObject({ violations: [{ loc: ['body'], type: 'missing' }] });
});

it('ends when the client disconnects in the middle', async () => {
  const socket = open('Content-Length: 50', '', '{"a":');
  socket.once('connect', () => setImmediate(() => socket.destroy()));
  expect(await outcome()).toBeInstanceOf(ClientGone);
});

it('ends when the client has disconnected before the first read', async () => {
  handle = async (req, res) => {
    await new Promise((gone) => req.once('close', gone));
    return await readJsonBody(req, res, limits);
  };
  const socket = open('Content-Length: 50', '', '{"a":');
  socket.once('connect', () => setImmediate(() => socket.destroy()));
  expect(await outcome()).toBeInstanceOf(ClientGone);
});

it.each([
  ['at the start', [0xff, 0x22, 0x22], 0],
  ['after some', [0x22, 0x61, 0xc3, 0x28, 0x22], 2],
  ['half a pair', [0x22, 0xed, 0xa0, 0x80, 0x22], 1],
  ['cut off', [0x22, 0xe6, 0x97], 1],
])('reports the byte at which a text stops being UTF-8: %s', async (_where, bytes, position) => {
  const socket = open(`Content-Length: ${bytes.length}`, '', '');
  socket.write(Buffer.from(bytes));
  expect(await outcome()).toMatchObject({
    violations: [
      { loc: ['body', position], type: 'json_invalid', ctx: { error: 'Invalid UTF-8' } },
    ],
  });
});

describe('a body in chunks', () => {
  const large = { ...limits, bodyBytes: 1_000_000, nodes: 1_000 };
  const text = (length: number) => `"${'x'.repeat(length - 2)}"`;

  /** The account after one body. */
  function account() {
    const seen = { received: [] as number[], held: 0, holds: 0 };
    return {
      seen,
      received: (bytes: number) => void seen.received.push(bytes),
      hold(bytes: number) {
        seen.held += bytes;
        seen.holds += 1;
      },
    };
  }

  it('[H09] is held in one buffer, whatever the size of the chunks', async () => {
    const kept = account();
    handle = (req, res) => readJsonBody(req, res, large, kept);
    const body = Buffer.from(text(300_000));
    const socket = open(`Content-Length: ${body.length}`, '', '');
    for (let at = 0; at < body.length; at += 600) socket.write(body.subarray(at, at + 600));
    expect(await outcome()).toHaveLength(299_998);
    expect(kept.seen.received.at(-1)).toBe(body.length);
    expect(kept.seen.held).toBeLessThan(2 * body.length);
    expect(kept.seen.holds).toBeLessThan(20);
  });

  it('[H09] of a byte each is rejected after a thousand of them', async () => {
    const kept = account();
    handle = (req, res) => readJsonBody(req, res, large, kept);
    const socket = open('Transfer-Encoding: chunked', '', '');
    socket.write('1\r\nx\r\n'.repeat(5_000));
    expect(await outcome()).toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/chunks of 1 KiB/),
    });
    expect(kept.seen.received.at(-1)).toBeLessThan(1_100);
    expect(kept.seen.held).toBeLessThan(5_000);
  });

  it.each(['received', 'hold'] as const)('[I7] is rejected by the byte limit: %s', async (what) => {
    const refusal = new FairleadError('too_many_requests', 'No more');
    const strict = {
      ...account(),
      [what]: (bytes: number) => {
        if (bytes > 1_500) throw refusal;
      },
    };
    handle = (req, res) => readJsonBody(req, res, large, strict);
    open('Transfer-Encoding: chunked', '', '1000', text(0x1000), '');
    expect(await outcome()).toBe(refusal);
  });

  it('[H09] that is too slow is aborted, long before its timeout', async () => {
    const pace = { ...defaultPace, spanMs: 100, bytesInSpan: 50 };
    handle = (req, res) => readJsonBody(req, res, { ...large, pace });
    const socket = open('Content-Length: 100000', '', '"');
    const drip = setInterval(() => socket.write('x'), 20);
    expect(await outcome()).toBeInstanceOf(ClientGone);
    clearInterval(drip);
  });
});
