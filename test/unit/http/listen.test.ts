// Connections that mean no good, over real sockets: whatever they do, they are answered or cut, and their sockets freed.
import { once } from 'node:events';
import { Agent, type RequestListener, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectionLimits, type Listening, listen } from '../../../src/http/listen.ts';
import { send } from '../../../src/http/response/send.ts';
import { eventually } from '../../support/runner/eventually.ts';

const host = '127.0.0.1';
let listening: Listening | undefined;
let sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await listening?.close(0);
});

const hello: RequestListener = (req, res) => {
  req.resume();
  res.end('hello');
};

async function serve(
  limits: Partial<ConnectionLimits> = {},
  app: RequestListener = hello,
): Promise<void> {
  listening = await listen(app, { host, port: 0, limits });
}

async function opened(): Promise<Socket> {
  const socket = connect(listening?.port ?? 0, host);
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes until the server ends the connection. */
async function answerTo(bytes: string): Promise<string> {
  const socket = await opened();
  socket.write(bytes);
  return text(socket);
}

function expectRefusal(answer: string, status: number, code: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head.split('\r\n')[0]).toContain(`HTTP/1.1 ${status} `);
  expect(head).toContain('Content-Type: application/json');
  const chunked = head.includes('chunked');
  const json = chunked ? (/{.*}/.exec(body)?.[0] ?? '') : body;
  expect(JSON.parse(json)).toEqual({ detail: expect.any(String), code });
}

const headers = (count: number) =>
  Array.from({ length: count }, (_, n) => `x-${n}: 1\r\n`).join('');
const close = 'Connection: close\r\n';

describe('a head', () => {
  it('[H09] of as many headers as allowed is served, and of one more is not', async () => {
    await serve();
    const max = `GET / HTTP/1.1\r\nHost: x\r\n${close}${headers(98)}\r\n`;
    expect(await answerTo(max)).toMatch(/^HTTP\/1.1 200/);
    const more = `GET / HTTP/1.1\r\nHost: x\r\n${close}${headers(99)}\r\n`;
    expectRefusal(await answerTo(more), 431, 'headers_too_large');
    const many = `GET / HTTP/1.1\r\nHost: x\r\n${headers(2_000)}\r\n`;
    expectRefusal(await answerTo(many), 431, 'headers_too_large');
  });

  it('[H09] that is too long is rejected', async () => {
    await serve();
    const long = `GET / HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`;
    expectRefusal(await answerTo(long), 431, 'headers_too_large');
    expectRefusal(
      await answerTo(`GET /${'y'.repeat(20_000)} HTTP/1.1\r\n\r\n`),
      431,
      'headers_too_large',
    );
  });

  it.each([
    'hello\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nx: a\u0000b\r\n\r\n',
    '\u0016\u0003\u0001\u0000 a TLS greeting\r\n\r\n',
  ])('[H09] that is not HTTP is rejected in JSON: %j', async (bytes) => {
    await serve();
    expectRefusal(await answerTo(bytes), 400, 'bad_request');
  });

  it.each([
    ['no Host', '', 400],
    ['two Hosts', 'Host: a\r\nHost: b\r\n', 400],
    ['an unknown expectation', 'Host: a\r\nExpect: tea\r\n', 417],
  ])('[H09] with %s is rejected in JSON', async (_what, lines, status) => {
    await serve();
    const answer = await answerTo(`GET / HTTP/1.1\r\n${lines}\r\n`);
    expectRefusal(answer, status, 'bad_request');
  });

  it('of HTTP/1.0 needs no Host', async () => {
    await serve();
    expect(await answerTo('GET / HTTP/1.0\r\n\r\n')).toContain('hello');
  });

  it('[H09] that trickles in times out, at any steady rate', async () => {
    await serve({ headersMs: 300 });
    const socket = await opened();
    socket.write('GET / HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('x: y\r\n'), 50);
    const answer = await text(socket);
    clearInterval(drip);
    expectRefusal(answer, 408, 'request_timeout');
  });

  it('[H09] that never arrives times out', async () => {
    await serve({ headersMs: 200 });
    const idle = await Promise.all(Array.from({ length: 50 }, opened));
    for (const socket of idle) socket.resume();
    await Promise.all(idle.map((socket) => once(socket, 'close')));
  });
});

describe('a body', () => {
  it('[H09] that trickles in without an end times out', async () => {
    await serve({ headersMs: 100, requestMs: 300 }, (req) => void req.resume());
    const socket = await opened();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const drip = setInterval(() => socket.write('1\r\nx\r\n'), 50);
    const answer = await text(socket);
    clearInterval(drip);
    expectRefusal(answer, 408, 'request_timeout');
  });

  it('[H09] shorter than announced is not read as the next request', async () => {
    let requests = 0;
    await serve({ headersMs: 100, requestMs: 300 }, (req) => {
      requests += 1;
      req.resume();
    });
    const text = 'GET /secret HTTP/1.1\r\nHost: x\r\n\r\n';
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length + 1}\r\n\r\n`;
    expectRefusal(await answerTo(`${head}${text}`), 408, 'request_timeout');
    expect(requests).toBe(1);
  });

  it('[H10] of 5 GB that waits for 100 Continue is rejected by its headers', async () => {
    await serve({}, (_req, res) => res.writeHead(413, { Connection: 'close' }).end());
    const answer = await answerTo(
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000000\r\nExpect: 100-continue\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 413/);
    expect(answer).not.toContain('100 Continue');
  });
});

describe('connections', () => {
  it('[H09] beyond the limit are closed, and accepted again when one closes', async () => {
    await serve({ connections: 2 });
    const [first] = [await opened(), await opened()];
    const third = await opened();
    third.resume();
    await once(third, 'close');
    first?.destroy();
    await expect
      .poll(() => answerTo(`GET / HTTP/1.1\r\nHost: x\r\n${close}\r\n`))
      .toMatch(/^HTTP\/1.1 200/);
  });

  it('[H30] are served in order, and end where more requests wait than may', async () => {
    let served = 0;
    await serve({}, (req, res) => {
      served += 1;
      res.end(`<${req.url}>`);
    });
    const asks = Array.from({ length: 60 }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const answers = await answerTo(asks.join(''));
    const names = Array.from({ length: 17 }, (_, n) => `</${n}>`);
    expect(answers.match(/<.*>/g)).toEqual(names);
    expect(served).toBe(17);
    expect(answers.match(/Connection: .*/g)?.map((line) => line.slice(12))).toEqual([
      ...names.slice(1).map(() => 'keep-alive'),
      'close',
    ]);
  });

  it('[H09] end after a thousand requests', async () => {
    await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async () => {
      const [response] = await once(
        request({ host, port: listening?.port, agent }).end(),
        'response',
      );
      response.resume();
      await once(response, 'end');
      return response.headers.connection;
    };
    const connectionHeaders = [];
    for (let n = 0; n < 1_001; n += 1) connectionHeaders.push(await ask());
    agent.destroy();
    expect(connectionHeaders.slice(0, 999)).not.toContain('close');
    expect(connectionHeaders.slice(999)).toEqual(['close', 'keep-alive']);
  });

  it('with a broken request after a good one get the complete first response', async () => {
    const slowly: RequestListener = (_req, res) => {
      res.write('a');
      setTimeout(() => res.end('b'), 50);
    };
    await serve({}, slowly);
    const answer = await answerTo('GET / HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n');
    expect(answer).not.toMatch(/bad_request/);
  });
});

describe('a response', () => {
  const large = Buffer.alloc(8 * 1_048_576, 'x');
  const asked = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  it('[H09] that is not read is cut off, with the pipelined ones behind it', async () => {
    const closed: Promise<unknown>[] = [];
    await serve({ unreadMs: 200 }, (_req, res) => {
      closed.push(once(res, 'close'));
      void send(res, { status: 200, content: { type: 'text/plain', bytes: large } });
    });
    const socket = await opened();
    socket.pause();
    socket.write(asked.repeat(3));
    await eventually(() => expect(closed.length).toBeGreaterThan(0));
    await Promise.all(closed);
  });

  it('[H30] that is not read holds back the pipelined requests behind it', async () => {
    let begun = 0;
    await serve({}, (_req, res) => {
      begun += 1;
      void send(res, { status: 200, content: { type: 'text/plain', bytes: large } });
    });
    const socket = await opened();
    socket.pause();
    socket.write(asked.repeat(60));
    await eventually(() => expect(begun).toBeGreaterThan(0));
    // Whatever came with the first request has had its turn when another connection is answered.
    expect(await answerTo(asked.replace('Host', `${close}Host`))).toContain('x');
    expect(begun).toBe(2);
  });

  it('that is read steadily is not cut off, however long it takes', async () => {
    await serve({ unreadMs: 2_000 }, (_req, res) => {
      void send(res, { status: 200, content: { type: 'text/plain', bytes: large } });
    });
    const socket = await opened();
    socket.write(asked.replace('Host', `${close}Host`));
    let read = 0;
    for await (const chunk of socket) {
      read += (chunk as Buffer).length;
      await pause(20);
    }
    expect(read).toBeGreaterThan(large.length);
  });

  it('with a pause is not cut off', async () => {
    await serve({ unreadMs: 100 }, (_req, res) => {
      res.write('begins');
      setTimeout(() => res.end('ends'), 500);
    });
    expect(await answerTo(asked.replace('Host', `${close}Host`))).toContain('ends');
  });
});

describe('connections', () => {
  const asks = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  /** @returns whether it was let in */
  async function isServed(): Promise<boolean> {
    const socket = await opened();
    const ended = once(socket, 'close').then(() => false);
    const answered = once(socket, 'data').then(
      () => true,
      () => false,
    );
    socket.write(asks);
    return await Promise.race([answered, ended]);
  }

  it('[H09] of one address leave as many free as they use', async () => {
    await serve({ connections: 6 });
    const served: boolean[] = [];
    for (let count = 0; count < 5; count += 1) served.push(await isServed());
    expect(served).toEqual([true, true, true, false, false]);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect(await isServed()).toBe(true));
  });

  it('[H09] of one address are limited by the setting', async () => {
    await serve({ connections: 100, connectionsPerAddress: 1 });
    expect([await isServed(), await isServed()]).toEqual([true, false]);
  });
});
