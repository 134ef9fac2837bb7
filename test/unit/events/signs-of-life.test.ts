// Providers that send 102 while they work on an event, on real servers.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDispatcher, type ProviderEndpoint } from '../../../src/events/dispatch.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { answer } from '../../support/fixtures/receipts.ts';
import { anEvent, newSigner } from '../../support/servers/signing-fairlead.ts';

const signer = await newSigner();
let stack: AsyncDisposableStack;

beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

async function provider(act: (res: ServerResponse) => void): Promise<string> {
  const server = createServer((req, res) => void req.resume().on('end', () => act(res)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Each delivery may be quiet for 100 ms. */
function send(url: string, endpoint: Partial<ProviderEndpoint> = {}) {
  const options = { signer, clock: systemClock, log: silentLog, timeoutMs: 100, loopback: true };
  const dispatcher = createDispatcher(options);
  stack.defer(() => dispatcher.close());
  return dispatcher.dispatch(anEvent(), { url, ...endpoint }, new AbortController().signal);
}

function beat(res: ServerResponse): void {
  const timer = setInterval(() => {
    if (!res.headersSent) res.writeProcessing();
  }, 20);
  res.on('close', () => clearInterval(timer));
}

it('a provider that shows them may answer later than after the time of one delivery', async () => {
  const url = await provider((res) => {
    beat(res);
    setTimeout(() => answer(res, 200, { outputs: { url: 'x' } }), 300);
  });
  let alive = 0;
  const onAlive = () => {
    alive += 1;
  };
  const answered = await send(url, { limitMs: 60_000, onAlive });
  expect(answered).toEqual({ kind: 'succeeded', outputs: { url: 'x' } });
  expect(alive).toBe(1);
});

it('a provider elsewhere may not say that time does not count', async () => {
  const url = await provider((res) => {
    res.socket?.write('HTTP/1.1 102 Processing\r\nFairlead-Waited: 60000\r\n\r\n');
    beat(res);
    setTimeout(() => answer(res, 200, { outputs: { url: 'x' } }), 600);
  });
  expect(await send(url, { limitMs: 200 })).toMatchObject({ code: 'TIMEOUT' });
});

it('what they report of progress is received, whatever is in it', async () => {
  const url = await provider((res) => {
    res.writeInformation(102, { 'Fairlead-Progress': 'done=1, total=2' });
    res.writeInformation(102, [
      ['Fairlead-Progress', 'done=2'],
      ['Fairlead-Progress', 'total=2'],
    ] as unknown as string[]);
    res.writeInformation(103, { 'Fairlead-Progress': '!' });
    res.writeProcessing();
    answer(res, 200, { outputs: {} });
  });
  const fields: string[] = [];
  await send(url, { onProgress: (field) => fields.push(field) });
  expect(fields).toEqual(['done=1, total=2', 'done=2, total=2', '!']);
});

it('they do not extend the limit of the type, nor the time of a type without a limit', async () => {
  const url = await provider(beat);
  expect(await send(url, { limitMs: 300 })).toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringMatching(/ did not answer within 0\.3 s$/),
  });
  expect(await send(url)).toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringMatching(/ did not answer within 0\.1 s$/),
  });
});

it('a limit below the time of one delivery shortens it', async () => {
  const url = await provider(() => undefined);
  expect(await send(url, { limitMs: 50 })).toMatchObject({
    message: expect.stringMatching(/ did not answer within 0\.05 s$/),
  });
});

it('a provider that ceases to show them times out before the limit', async () => {
  const url = await provider((res) => res.writeProcessing());
  expect(await send(url, { limitMs: 60_000 })).toMatchObject({
    code: 'TIMEOUT',
    unanswered: true,
    message: expect.stringContaining('sent nothing for 0.1 s'),
  });
});
