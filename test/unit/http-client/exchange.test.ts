// Requests that wait for a connection, on a real server. What servers do with a request under way is tested in events/ and kube/.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  bytesOfBody,
  exchange,
  NoResponse,
  textOfBody,
} from '../../../src/http-client/exchange.ts';
import { eventually } from '../../support/runner/eventually.ts';

const held: ServerResponse[] = [];
const paths: (string | undefined)[] = [];
const server = createServer((req, res) => {
  paths.push(req.url);
  if (req.url === '/held') held.push(res);
  else if (req.url === '/alive') showLife(res);
  else if (req.url === '/alive-once') res.writeProcessing();
  else if (req.url === '/storm') storm(res);
  else res.end('ok');
});
let connection: Agent;
let origin: string;

beforeEach(async () => {
  connection = new Agent({ connections: 1, pipelining: 1 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await connection.destroy();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  held.length = 0;
  paths.length = 0;
});

/** Sends interim responses for longer than a response may be quiet, and then the final one. */
function showLife(res: ServerResponse): void {
  let times = 0;
  const timer = setInterval(() => {
    times += 1;
    if (times <= 30) return res.writeProcessing();
    clearInterval(timer);
    res.end('alive');
  }, 10);
  res.on('close', () => clearInterval(timer));
}

function storm(res: ServerResponse): void {
  for (let times = 0; times < 6_000; times += 1) res.writeProcessing();
}

interface Limits {
  readonly timeoutMs?: number;
  readonly quietMs?: number;
  readonly signal?: AbortSignal;
  readonly onInterim?: () => number;
}

function send(path: string, { timeoutMs = 10_000, ...limits }: Limits = {}) {
  const request = { origin, path, method: 'GET', headers: {} } as const;
  return exchange(connection, request, { timeoutMs, ...limits, maxBytes: 100 }, textOfBody()).then(
    ({ body }) => body,
    (thrown: unknown) => {
      if (thrown instanceof NoResponse) return { why: thrown.why, sent: thrown.sent };
      throw thrown;
    },
  );
}

it('was not sent when it ends before a connection is free, and never will be', async () => {
  const first = send('/held');
  await eventually(() => expect(held.length).toBe(1));
  const stopping = new AbortController();
  const late = send('/late', { timeoutMs: 20 });
  const aborted = send('/aborted', { signal: stopping.signal });
  stopping.abort();
  expect(await late).toEqual({ why: 'timedOut', sent: false });
  expect(await aborted).toEqual({ why: 'aborted', sent: false });
  held[0]?.end('held');
  expect(await first).toBe('held');
  expect(await send('/next')).toBe('ok');
  expect(paths).toEqual(['/held', '/next']);
});

it('was sent when it ends without a response, and its connection is not used again', async () => {
  expect(await send('/held', { timeoutMs: 50 })).toEqual({ why: 'timedOut', sent: true });
  expect(await send('/next')).toBe('ok');
});

it('was not sent when its signal or its time had ended before', async () => {
  expect(await send('/a', { signal: AbortSignal.abort() })).toEqual({
    why: 'aborted',
    sent: false,
  });
  expect(await send('/a', { timeoutMs: 0 })).toEqual({ why: 'timedOut', sent: false });
  expect(paths).toEqual([]);
});

it('may be quiet only for a time, which every interim response starts again', async () => {
  let reports = 0;
  const onInterim = () => {
    reports += 1;
    return 0;
  };
  expect(await send('/alive', { quietMs: 150, onInterim })).toBe('alive');
  expect(reports).toBe(30);
  expect(await send('/held', { quietMs: 50 })).toEqual({ why: 'quiet', sent: true });
  expect(await send('/alive', { timeoutMs: 100, quietMs: 80 })).toEqual({
    why: 'timedOut',
    sent: true,
  });
  expect(await send('/next'), 'an interim response is not taken for the final one').toBe('ok');
});

it('may take longer by what an interim response adds, and be as quiet as before', async () => {
  const onInterim = () => 10_000;
  expect(await send('/alive', { timeoutMs: 100, onInterim })).toBe('alive');
  const pausing = send('/alive-once', { timeoutMs: 100, quietMs: 100, onInterim });
  expect(await pausing).toEqual({ why: 'quiet', sent: true });
  const short = send('/alive', { timeoutMs: 100, onInterim: () => 50 });
  expect(await short).toEqual({ why: 'timedOut', sent: true });
});

it('ends after thousands of interim responses', async () => {
  expect(await send('/storm')).toEqual({ why: 'tooLarge', sent: true });
});

it('collects one body as bytes and as text, wherever it is cut', () => {
  const text = 'aß€😀';
  const all = Buffer.from(text);
  for (let cut = 0; cut <= all.length; cut += 1) {
    const [bytes, characters] = [bytesOfBody(), textOfBody()];
    for (const chunk of [all.subarray(0, cut), all.subarray(cut)]) {
      bytes.add(chunk);
      characters.add(chunk);
    }
    expect([bytes.whole().toString(), characters.whole()]).toEqual([text, text]);
  }
});
