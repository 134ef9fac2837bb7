// Against real servers on loopback. Whatever they do, an answer comes back and nothing is thrown.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDispatcher, type Dispatcher } from '../../../src/events/dispatch.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { answer, done, recordingProvider } from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { anEvent, newSigner } from '../../support/servers/signing-fairlead.ts';

const signer = await newSigner();
const forever = new AbortController().signal;
let dispatcher: Dispatcher;
let stack: AsyncDisposableStack;

beforeEach(() => {
  stack = new AsyncDisposableStack();
  dispatcher = dispatcherOf(10_000);
});

afterEach(() => stack.disposeAsync());

function dispatcherOf(timeoutMs: number, loopback = true): Dispatcher {
  const options = { signer, clock: systemClock, log: silentLog, timeoutMs, loopback };
  const made = createDispatcher(options);
  stack.defer(() => made.close());
  return made;
}

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that does with a connection what it wants once the request has begun. */
function onSocket(act: (socket: Socket) => void): Promise<string> {
  return listening(createServer((socket) => socket.once('data', () => act(socket))));
}

function onRequest(act: RequestListener): Promise<string> {
  return listening(
    createHttpServer((req, res) => void req.resume().on('end', () => act(req, res))),
  );
}

function send(url: string, signal = forever, by = dispatcher) {
  return by.dispatch(anEvent(), { url }, signal);
}

const failed = (code: string) => ({
  kind: 'failed',
  terminal: false,
  code,
  message: expect.stringMatching(/^The /),
});
const unanswered = (code: string) => ({ ...failed(code), unanswered: true });

describe('an event', () => {
  it('is sent as a signed CloudEvent, and returns the response', async () => {
    const provider = await recordingProvider(done({ url: 'x' }));
    stack.defer(() => provider.close());
    expect(await send(provider.url)).toEqual({ kind: 'succeeded', outputs: { url: 'x' } });
    const [receipt] = provider.receipts;
    expect(receipt?.body).toMatchObject({ event_id: 'evt-1', config: { size: 3 } });
    expect(receipt?.headers).toMatchObject({
      'content-type': 'application/json',
      'ce-id': 'evt-1',
      'ce-type': 'dev.fairlead.resource.create',
    });
    const token = receipt?.headers.authorization?.replace('Bearer ', '') ?? '';
    expect(decodeJwt(token)).toMatchObject({
      aud: 'provider:acme/shop',
      body_sha256: createHash('sha256').update(JSON.stringify(receipt?.body)).digest('hex'),
    });
  });

  it('is sent to the path and query of its endpoint', async () => {
    const url = await onRequest((req, res) => answer(res, 200, { outputs: { at: req.url ?? '' } }));
    const where = await send(`${url}/events?of=acme`);
    expect(where).toMatchObject({ outputs: { at: '/events?of=acme' } });
  });

  it('returns the error and the delay of the provider', async () => {
    const url = await onRequest((_req, res) => {
      res.setHeader('retry-after', '9');
      answer(res, 503, { error: { code: 'busy', message: 'Full' } });
    });
    const want = { kind: 'failed', terminal: false, code: 'busy', message: 'Full' };
    expect(await send(url)).toEqual({ ...want, retryAfterMs: 9_000 });
  });

  it('of a delete succeeds without a body', async () => {
    const url = await onRequest((_req, res) => res.writeHead(204).end());
    const answered = await dispatcher.dispatch(anEvent({ type: 'DELETE' }), { url }, forever);
    expect(answered).toEqual({ kind: 'succeeded', outputs: {} });
  });
});

describe('a provider that', () => {
  it('answers with 10 MB: the connection is closed', async () => {
    let socketClosed = false;
    let sent = 0;
    const url = await onRequest((_req, res) => {
      res.on('close', () => {
        socketClosed = true;
      });
      res.writeHead(200);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = () => {
        while (sent < 10 * 1_048_576 && !res.destroyed) {
          sent += chunk.length;
          if (!res.write(chunk)) return void res.once('drain', more);
        }
        res.end();
      };
      more();
    });
    expect(await send(url)).toEqual(failed('ANSWER_TOO_LARGE'));
    await eventually(() => expect(socketClosed).toBe(true));
    expect(sent).toBeLessThan(10 * 1_048_576);
  });

  it('announces 10 MB: the connection is closed at once', async () => {
    const url = await onRequest((_req, res) => res.end(Buffer.alloc(10 * 1_048_576, 'x')));
    expect(await send(url)).toEqual(failed('ANSWER_TOO_LARGE'));
  });

  it.each([301, 302, 303, 307, 308])('[Q16] redirects with %d: not followed', async (status) => {
    const elsewhere = await recordingProvider();
    stack.defer(() => elsewhere.close());
    for (const location of [
      elsewhere.url,
      'http://169.254.169.254/',
      'https://kubernetes.default',
    ]) {
      const url = await onRequest((_req, res) => void res.writeHead(status, { location }).end());
      expect(await send(url)).toEqual(failed('REDIRECT'));
    }
    expect(elsewhere.receipts).toEqual([]);
  });

  it('hangs up at once', async () => {
    expect(await send(await onSocket((socket) => socket.destroy()))).toEqual(
      unanswered('CONNECTION_LOST'),
    );
  });

  it('resets the connection', async () => {
    const url = await onSocket((socket) => socket.resetAndDestroy());
    expect(await send(url)).toEqual({
      ...unanswered('CONNECTION_LOST'),
      message: `The connection to the provider at ${url} was lost before it answered: connection reset`,
    });
  });

  const cut = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"outputs":{}}';
  const garbage: Record<string, string> = {
    'hangs up in the middle of its answer': cut,
    'hangs up in the middle of its headers': 'HTTP/1.1 200 OK\r\nContent-Le',
    'hangs up in the middle of a chunk':
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{',
    'speaks no HTTP': 'SSH-2.0-OpenSSH_9.9\r\n',
    'speaks HTTP badly': 'HTTP/1.1 abc\r\n\r\n',
    'sends two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    'changes the protocol':
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'sends headers without an end': `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`,
  };

  it.each(Object.entries(garbage))('%s', async (_name, bytes) => {
    const url = await onSocket((socket) => socket.end(bytes));
    expect(await send(url)).toEqual(unanswered('CONNECTION_LOST'));
  });

  it('answers with a page instead of outputs', async () => {
    const url = await onRequest((_req, res) => res.end('<html>'));
    expect(await send(url)).toEqual(failed('INVALID_ANSWER'));
  });

  it('answers with outputs nested without an end', async () => {
    const deep = `{"outputs":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const url = await onRequest((_req, res) => res.end(deep));
    expect(await send(url)).toMatchObject({ code: 'INVALID_OUTPUTS', terminal: true });
  });

  it('never answers: the delivery times out', async () => {
    const url = await onSocket(() => undefined);
    expect(await send(url, forever, dispatcherOf(100))).toEqual(unanswered('TIMEOUT'));
  });

  it('trickles its response: the delivery times out', async () => {
    const url = await onRequest((_req, res) => {
      const drip = setInterval(() => res.write(' '), 10);
      res.on('close', () => clearInterval(drip));
    });
    expect(await send(url, forever, dispatcherOf(100))).toEqual(unanswered('TIMEOUT'));
  });

  it('does not listen: the connection is refused', async () => {
    const server = createServer();
    const url = await listening(server);
    await new Promise((closed) => server.close(closed));
    expect(await send(`${url}/hooks/t0ken?key=s3cr3t`)).toEqual({
      ...unanswered('UNREACHABLE'),
      message: `The connection to the provider at ${url} failed: connection refused`,
    });
  });

  it('has a name that does not resolve', async () => {
    expect(await send('http://carts.invalid')).toEqual({
      ...unanswered('UNREACHABLE'),
      message: expect.stringMatching(/ at http:\/\/carts\.invalid failed: the host name /),
    });
  });

  it('has an endpoint that is not a URL', async () => {
    expect(await send('carts')).toEqual(unanswered('UNREACHABLE'));
  });

  it('failed once: it is called over a new connection', async () => {
    let times = 0;
    const url = await onRequest((req, res) => {
      times += 1;
      if (times === 1) req.socket.destroy();
      else answer(res, 200, { outputs: { times } });
    });
    expect(await send(url)).toEqual(unanswered('CONNECTION_LOST'));
    expect(await send(url)).toEqual({ kind: 'succeeded', outputs: { times: 2 } });
  });
});

describe('a provider on this machine', () => {
  const forbidden = unanswered('FORBIDDEN_ADDRESS');

  it.each(['127.0.0.1', 'localhost', '[::1]', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    '[Q16] receives nothing outside development, called %s',
    async (host) => {
      const provider = await recordingProvider();
      stack.defer(() => provider.close());
      const url = provider.url.replace('127.0.0.1', host);
      expect(await send(url, forever, dispatcherOf(10_000, false))).toEqual(forbidden);
      expect(provider.receipts).toEqual([]);
    },
  );

  it.each(['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '224.0.0.1', '0.0.0.0', '[::]'])(
    '[Q16] or a metadata service receives nothing, in development neither, called %s',
    async (host) => {
      expect(await send(`http://${host}:9`)).toEqual(forbidden);
    },
  );
});

describe('an aborted delivery', () => {
  it('before it begins sends nothing', async () => {
    const provider = await recordingProvider();
    stack.defer(() => provider.close());
    expect(await send(provider.url, AbortSignal.abort())).toEqual(unanswered('CONNECTION_LOST'));
    expect(provider.receipts).toEqual([]);
  });

  it('closes the connection while the provider works', async () => {
    const stopping = new AbortController();
    let left = false;
    const url = await onRequest((_req, res) => {
      res.on('close', () => {
        left = true;
      });
      stopping.abort();
    });
    expect(await send(url, stopping.signal)).toEqual(unanswered('CONNECTION_LOST'));
    await eventually(() => expect(left).toBe(true));
  });

  it('ends while the response is received', async () => {
    const stopping = new AbortController();
    const url = await onRequest((_req, res) => {
      res.writeHead(200);
      res.write('{', () => stopping.abort());
    });
    expect(await send(url, stopping.signal)).toEqual(unanswered('CONNECTION_LOST'));
  });

  it('ends when the dispatcher closes', async () => {
    const own = dispatcherOf(10_000);
    const url = await onRequest(() => void own.close());
    expect(await send(url, forever, own)).toEqual(unanswered('CONNECTION_LOST'));
  });
});

it('[Q16] goes to no blocked host, however its name is written', async () => {
  let asked = 0;
  const url = await onRequest((_req, res) => {
    asked += 1;
    answer(res, 200, { outputs: {} });
  });
  const common = { signer, clock: systemClock, log: silentLog, loopback: true };
  const made = createDispatcher({ ...common, refused: ['localhost'] });
  stack.defer(() => made.close());
  for (const name of ['localhost', 'LOCALHOST', 'localhost.']) {
    const there = url.replace('127.0.0.1', name);
    expect(await send(there, forever, made)).toEqual(unanswered('FORBIDDEN_ADDRESS'));
  }
  expect(asked).toBe(0);
  expect(await send(url, forever, made)).toMatchObject({ kind: 'succeeded' });
});
