// Answers as they are written: lists that are long are written in pieces, so that others are answered meanwhile.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer, json as readJson } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../../../src/http/listen.ts';
import {
  jsonList,
  jsonPieces,
  type RouteAnswer,
  send,
} from '../../../../src/http/response/send.ts';

const host = '127.0.0.1';
let listening: Listening | undefined;

afterEach(() => listening?.close(0));

async function answered(answer: RouteAnswer): Promise<IncomingMessage> {
  listening = await listen((_req, res) => void send(res, answer), { host, port: 0 });
  const [response] = await once(get({ host, port: listening.port, agent: false }), 'response');
  return response as IncomingMessage;
}

const values: Record<string, readonly unknown[]> = {
  nothing: [],
  'one value': [{ a: 1 }],
  'a few': [1, null, 'two', { three: [3] }],
  'many small ones': Array.from({ length: 100_000 }, (_, index) => ({ index })),
  'a few large ones': Array.from({ length: 5 }, () => 'ä'.repeat(300_000)),
  'one that is larger than a piece': ['x'.repeat(1_000_000)],
};

it.each(Object.entries(values))('a list of %s is read as it was written', async (_what, list) => {
  const response = await answered(await jsonList(list));
  expect(response.headers['content-type']).toBe('application/json');
  expect(await readJson(response)).toEqual(list);
});

it('has a Content-Length for a short list', async () => {
  const response = await answered(await jsonList([1, 2]));
  expect(response.headers['content-length']).toBe('5');
  response.resume();
});

/** A value that is counted when it is written, and again for every turn of the event loop. */
function counted() {
  const made = { inAll: 0, inThisTurn: 0 };
  const text = 'x'.repeat(100_000);
  const toJSON = () => {
    made.inAll += 1;
    made.inThisTurn += 1;
    return text;
  };
  return { made, value: { toJSON } };
}

it('[I7] writes a long list in chunks, yielding to other work in between', async () => {
  const { made, value } = counted();
  const { content } = await jsonList(Array.from({ length: 100 }, () => value));
  if (content === undefined || !('stream' in content)) throw new Error('It is not streamed');
  expect(made.inAll).toBeLessThan(10);
  const turns = setInterval(() => {
    made.inThisTurn = 0;
  }, 0);
  for await (const piece of content.stream(new AbortController().signal)) {
    expect(piece.length).toBeLessThan(400_000);
    expect(made.inThisTurn).toBeLessThan(50);
  }
  clearInterval(turns);
  expect(made.inAll).toBe(100);
});

it('[I7] stops a long list when its reader has disconnected', async () => {
  const { made, value } = counted();
  const response = await answered(await jsonList(Array.from({ length: 1_000 }, () => value)));
  response.destroy();
  await once(response, 'close');
  await listening?.close(0);
  expect(made.inAll).toBeLessThan(1_000);
});

it('[I7] lets others take their turn while the system accepts a large content at once', async () => {
  const content = { type: 'text/plain', bytes: Buffer.alloc(2 * 1_048_576, 'x') };
  let maxInOneTurn = 0;
  listening = await listen(
    (req, res) => {
      let before = req.socket.bytesWritten;
      const look = () => {
        const { bytesWritten } = req.socket;
        maxInOneTurn = Math.max(maxInOneTurn, bytesWritten - before);
        before = bytesWritten;
        if (!res.closed) setImmediate(look);
      };
      setImmediate(look);
      void send(res, { status: 200, content });
    },
    { host, port: 0 },
  );
  const [response] = await once(get({ host, port: listening.port, agent: false }), 'response');
  expect((await buffer(response as IncomingMessage)).length).toBe(content.bytes.length);
  expect(maxInOneTurn).toBeGreaterThan(0);
  // What a socket of Node buffers, twice.
  expect(maxInOneTurn).toBeLessThan(2 * 65_536);
});

describe('a list that is read in pieces', () => {
  async function* pieces(count: number, fails: boolean) {
    for (let at = 0; at < count; at += 1) yield [at, 'x'.repeat(300_000)];
    await Promise.resolve();
    if (fails) throw new Error('The storage is unavailable');
  }

  it.each([0, 1, 3])('has all values of %i pieces', async (count) => {
    const response = await answered(await jsonPieces(pieces(count, false)));
    const values = (await readJson(response)) as readonly unknown[];
    expect(values.filter(Number.isInteger)).toEqual(Array.from({ length: count }, (_, at) => at));
  });

  it('fails before anything is sent when the first piece cannot be read', async () => {
    await expect(jsonPieces(pieces(0, true))).rejects.toThrow('unavailable');
  });

  it('is cut when a later piece cannot be read, so that no client takes it for whole', async () => {
    const answer = await jsonPieces(pieces(3, true));
    listening = await listen((_req, res) => void send(res, answer).catch(() => res.destroy()), {
      host,
      port: 0,
    });
    const [response] = await once(get({ host, port: listening.port, agent: false }), 'response');
    await expect(readJson(response as IncomingMessage)).rejects.toThrow('aborted');
  });
});
