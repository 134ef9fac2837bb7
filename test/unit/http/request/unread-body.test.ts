import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { boundUnreadBody } from '../../../../src/http/request/unread-body.ts';

const lingerMs = 100;
let server: Server;
let socket: Socket;

// Every request is refused without a look at its body.
beforeEach(async () => {
  const bound = boundUnreadBody(lingerMs);
  server = createServer((req, res) => {
    bound(req as Request, res as Response, () => res.writeHead(401).end('no'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
});

afterEach(() => {
  vi.useRealTimers();
  socket.destroy();
  server.close();
});

async function answer(): Promise<string> {
  const [data] = await once(socket, 'data');
  return String(data);
}

it('answers a client that still sends, and closes the connection if it does not stop', async () => {
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n');
  expect(await answer()).toContain('401');
  const started = performance.now();
  const cut = socket;
  const feeding = setInterval(() => cut.write('x'.repeat(65_536)), 5);
  // Unread data causes a reset. `once` of node:events would throw it, and the interval would write into the next test.
  await new Promise((closed) => cut.once('close', closed));
  clearInterval(feeding);
  expect(performance.now() - started).toBeLessThan(10 * lingerMs);
});

it('keeps the connection of a client that completes its body', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const asked = once(server, 'request') as Promise<[Request]>;
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n';
  socket.write(head);
  expect(await answer()).toContain('401');
  expect(vi.getTimerCount()).toBe(1);
  const [request] = await asked;
  const completed = once(request, 'close');
  socket.write('x'.repeat(100_000));
  await completed;
  vi.advanceTimersByTime(2 * lingerMs);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await answer()).toContain('401');
});
