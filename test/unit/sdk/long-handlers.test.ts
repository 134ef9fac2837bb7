// Signs of life, the limit of a type, and attempts that must not run beside each other, on real sockets.
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { later } from '../../../src/sdk/index.ts';
import { eventually } from '../../support/runner/eventually.ts';
import type { Delivery } from '../../support/servers/signing-fairlead.ts';
import { gate, type ServedCarts, serveCarts } from './served-carts.ts';

let shop: ServedCarts;

afterEach(() => shop.stop());

/** Sends an event and collects the interim responses, and what they say of progress. */
function watched({ headers, body }: Delivery) {
  const seen: number[] = [];
  const progress: unknown[] = [];
  const sending = request(shop.served.url, { method: 'POST', headers });
  sending.on('information', ({ statusCode, headers: fields }) => {
    seen.push(statusCode);
    progress.push(fields['fairlead-progress']);
  });
  const status = new Promise<number | undefined>((resolve, reject) => {
    sending.once('error', reject);
    sending.once('response', (response) => resolve(response.resume().statusCode));
  });
  sending.end(body);
  return { seen, progress, status };
}

it('sends 102 while a handler runs, also to a second delivery of its event', async () => {
  shop = await serveCarts({ heartbeatMs: 10 });
  const { passed, open } = gate();
  shop.handle(() => passed.then(() => ({ url: 'made' })));
  const first = watched(shop.delivery());
  const second = watched(shop.delivery({ attempt: 2 }));
  await eventually(() =>
    expect(Math.min(first.seen.length, second.seen.length)).toBeGreaterThan(2),
  );
  open();
  expect(await Promise.all([first.status, second.status])).toEqual([200, 200]);
  expect(new Set([...first.seen, ...second.seen])).toEqual(new Set([102]));
  expect(shop.calls).toHaveLength(1);
});

it('sends the progress of a handler, the last one of each second, also to a second delivery', async () => {
  shop = await serveCarts({ heartbeatMs: 10_000 });
  const { passed, open } = gate();
  shop.handle(async ({ progress }) => {
    await Promise.resolve();
    for (let done = 1; done <= 500; done += 1) progress({ done, total: 500, message: 'Größe' });
    await passed;
    return { url: 'made' };
  });
  const first = watched(shop.delivery());
  const last = 'done=500, total=500, message=%"Gr%c3%b6%c3%9fe"';
  const one = last.replace('500', '1');
  await eventually(() => expect(first.progress.at(-1)).toBe(last));
  const second = watched(shop.delivery({ attempt: 2 }));
  await eventually(() => expect(second.progress).toEqual([last]));
  open();
  await first.status;
  expect(first.progress, 'of 500 reports').toEqual([one, last]);
});

it('sends the progress of an operation with its answer', async () => {
  shop = await serveCarts();
  const progress = { done: 1, total: 3 };
  shop.handle(() => Promise.resolve(later(5, { message: 'Copying', progress }) as never));
  expect(await shop.post(shop.delivery())).toEqual({
    status: 202,
    body: { retry_after: 5, message: 'Copying', progress },
  });
});

it('logs progress that does not fit, once, and goes on', async () => {
  const warnings: string[] = [];
  const shown = 'The report of the handler is not shown: progress';
  const fault = `${shown}: done (11) must not be above total (10)`;
  const log = { debug() {}, info() {}, error() {}, warn: (text: string) => warnings.push(text) };
  shop = await serveCarts({ heartbeatMs: 10_000, log });
  shop.handle(async ({ progress }) => {
    for (let done = 11; done < 20; done += 1) progress({ done, total: 10 });
    return await Promise.resolve({ url: 'made' });
  });
  const { status, progress } = watched(shop.delivery());
  expect(await status).toBe(200);
  shop.handle(() => Promise.resolve(later(5, { progress: { done: -1 } }) as never));
  expect(await shop.post(shop.delivery())).toEqual({ status: 202, body: { retry_after: 5 } });
  expect(progress).toEqual([]);
  expect(warnings).toEqual([
    fault,
    `${shown} of later: done must be a number from 0 to 999999999999999`,
  ]);
});

it('sends none to a client of HTTP/1.0', async () => {
  shop = await serveCarts({ heartbeatMs: 1 });
  const { passed, open } = gate();
  shop.handle(() => passed.then(() => ({ url: 'made' })));
  const { headers, body } = shop.delivery();
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const socket = connect(shop.served.port, '127.0.0.1');
  socket.write(`POST / HTTP/1.0\r\n${lines}\r\n${body}`);
  await shop.called();
  await shop.othersArrived();
  open();
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

it('aborts the signal at the limit of the type, and sends no sign of life after it', async () => {
  shop = await serveCarts({ heartbeatMs: 10, timeoutSeconds: 1 });
  const { passed, open } = gate();
  let reason: unknown;
  shop.handle(async ({ signal }) => {
    signal.addEventListener('abort', () => {
      ({ reason } = signal);
    });
    await passed;
    return { url: 'made' };
  });
  const { seen, status } = watched(shop.delivery());
  await eventually(() =>
    expect(reason).toEqual(new Error('The handler has run for 1 s, the limit of its type')),
  );
  const before = seen.length;
  await shop.othersArrived();
  expect(seen.length).toBe(before);
  open();
  expect(await status).toBe(200);
});

it('starts an event again only when its abandoned handler has ended', async () => {
  shop = await serveCarts({ heartbeatMs: 10 });
  const { passed, open } = gate();
  const order: string[] = [];
  shop.handle(async ({ attempt }) => {
    order.push(`${attempt} begins`);
    if (attempt === 1) await passed;
    order.push(`${attempt} ends`);
    return { url: 'made' };
  });
  const first = await shop.send(shop.delivery());
  await shop.called();
  first.leave();
  await expect(first.answer).rejects.toThrow();
  const second = watched(shop.delivery({ attempt: 2 }));
  await eventually(() => expect(second.seen.length).toBeGreaterThan(2));
  expect(order).toEqual(['1 begins']);
  open();
  expect(await second.status).toBe(200);
  expect(order).toEqual(['1 begins', '1 ends', '2 begins', '2 ends']);
});

it('starts an event again beside a handler that ignores that its time is over', async () => {
  shop = await serveCarts({ timeoutSeconds: 1 });
  shop.handle(({ attempt }) =>
    attempt === 1 ? new Promise(() => undefined) : Promise.resolve({ url: 'made' }),
  );
  const first = await shop.send(shop.delivery());
  await shop.called();
  first.leave();
  await expect(first.answer).rejects.toThrow();
  // An attempt whose own time ends while it waits never calls the handler.
  await eventually(async () => {
    expect((await shop.post(shop.delivery({ attempt: 2 }))).status).toBe(200);
  });
  expect(shop.calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
});
