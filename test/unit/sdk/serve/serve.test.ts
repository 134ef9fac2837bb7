import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retry } from '../../../../src/sdk/index.ts';
import { testAuthority } from '../../../support/fixtures/authority.ts';
import { eventually } from '../../../support/runner/eventually.ts';
import { gate, type ServedCarts, serveCarts } from '../served-carts.ts';

let shop: ServedCarts;

beforeEach(async () => {
  shop = await serveCarts();
});

afterEach(() => shop.stop());

/** A handler that creates a cart when released, and reports whether its signal was aborted meanwhile. */
function waitFor(passed: Promise<void>): void {
  shop.handle(async ({ signal }) => {
    await passed;
    return { url: signal.aborted ? 'aborted' : 'made' };
  });
}

/** A handler that ends only when its signal is aborted. */
function untilAborted(): Promise<void> {
  const { passed, open } = gate();
  shop.handle(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          open();
          reject(signal.reason as Error);
        });
      }),
  );
  return passed;
}

const made = { status: 200, body: { outputs: { url: 'made' }, outputs_schema_version: 1 } };

it('answers a handler that asks to wait with Retry-After', async () => {
  shop.handle(() => retry({ after: 90, code: 'rate_limited', message: 'Slow down' }));
  const { headers, body } = shop.delivery();
  const answer = await fetch(shop.served.url, { method: 'POST', headers, body });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '90']);
  expect(await answer.json()).toEqual({
    error: { code: 'rate_limited', message: 'Slow down' },
    retry_scope: 'resource',
  });
});

describe('an event that is delivered again', () => {
  it('while its handler runs gets the same response, and the handler runs once', async () => {
    const { passed, open } = gate();
    waitFor(passed);
    const first = await shop.send(shop.delivery({ attempt: 1 }));
    const second = await shop.send(shop.delivery({ attempt: 2 }));
    await shop.called();
    await shop.othersArrived();
    open();
    expect(await Promise.all([first.answer, second.answer])).toEqual([made, made]);
    expect(shop.calls).toHaveLength(1);
  });

  it('after its response runs the handler again', async () => {
    const delivery = shop.delivery();
    await shop.post(delivery);
    await shop.post(delivery);
    expect(shop.calls).toHaveLength(2);
  });

  it('continues for the client that still waits', async () => {
    const { passed, open } = gate();
    waitFor(passed);
    const goes = await shop.send(shop.delivery());
    await shop.called();
    const stays = await shop.send(shop.delivery());
    await shop.othersArrived();
    goes.leave();
    await expect(goes.answer).rejects.toThrow();
    await shop.othersArrived();
    open();
    expect(await stays.answer).toEqual(made);
    expect(shop.calls).toHaveLength(1);
  });
});

describe('when the client disconnects', () => {
  it('aborts the signal of the handler, and runs it again for the repeated event', async () => {
    const aborted = untilAborted();
    const goes = await shop.send(shop.delivery());
    await shop.called();
    goes.leave();
    await aborted;
    waitFor(Promise.resolve());
    expect(await shop.post(shop.delivery())).toEqual(made);
  });

  it('before the keys are loaded, calls no handler', async () => {
    const { passed, open } = gate();
    shop.fairlead.holdUntil(passed);
    const goes = await shop.send(shop.delivery());
    await eventually(() => expect(shop.fairlead.fetches()).toBe(1));
    goes.leave();
    await expect(goes.answer).rejects.toThrow();
    await fetch(`${shop.served.url}/readyz`);
    await fetch(`${shop.served.url}/readyz`);
    open();
    await shop.othersArrived();
    expect(shop.calls).toEqual([]);
  });

  it('in the middle of its event, calls no handler and keeps running', async () => {
    const socket = connect(shop.served.port, '127.0.0.1');
    await new Promise<void>((sent) => {
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a":', () => sent());
    });
    socket.destroy();
    expect(await shop.post(shop.delivery())).toMatchObject({ status: 200 });
    expect(shop.calls).toHaveLength(1);
  });
});

it('writes the event on every line of its log, which fields of the handler cannot replace', async () => {
  const lines: unknown[] = [];
  const info = (message: string, fields?: object) => void lines.push({ message, ...fields });
  const quiet = { debug() {}, warn() {}, error() {} };
  const logging = await serveCarts({ log: { ...quiet, info } });
  logging.handle(async ({ log }) => {
    log.info('made', { size: 3, event: 'another', attempt: 9 });
    return await Promise.resolve({ url: 'x' });
  });
  await logging.post(logging.delivery());
  const about = { event: 'evt-1', resource: 'shop/cart/mine', attempt: 1, sequence: 7 };
  expect(lines).toEqual([{ message: 'made', size: 3, organization: 'acme', ...about }]);
  await logging.stop();
});

describe('drain', () => {
  it('reports not ready, and still accepts events', async () => {
    shop.served.drain();
    expect((await fetch(`${shop.served.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${shop.served.url}/livez`)).status).toBe(200);
    expect(await shop.post(shop.delivery())).toMatchObject({ status: 200 });
  });
});

describe('close', () => {
  it('waits for a running handler, and sends its response', async () => {
    const { passed, open } = gate();
    waitFor(passed);
    const answer = shop.post(shop.delivery());
    await shop.called();
    let isClosed = false;
    const closed = shop.served.close(60_000).then(() => {
      isClosed = true;
    });
    await expect(fetch(shop.served.url), 'takes nothing new').rejects.toThrow();
    expect(isClosed).toBe(false);
    open();
    expect(await answer).toEqual(made);
    const answered = performance.now();
    await closed;
    expect(performance.now() - answered, 'no kept connection holds it up').toBeLessThan(2_000);
  });

  it('aborts a handler after the grace period', async () => {
    const aborted = untilAborted();
    const lost = await shop.send(shop.delivery());
    await shop.called();
    await shop.served.close(20);
    await aborted;
    await expect(lost.answer).rejects.toThrow();
  });
});

describe('other requests', () => {
  const requests: Record<string, { path: string; method: string; status: number }> = {
    'a readiness probe': { path: '/readyz', method: 'GET', status: 200 },
    'a liveness probe': { path: '/livez', method: 'GET', status: 200 },
    'a GET of a page': { path: '/', method: 'GET', status: 404 },
    'a POST to another path': { path: '/events', method: 'POST', status: 404 },
  };

  it.each(Object.entries(requests))('%s', async (_name, { path, method, status }) => {
    const response = await fetch(`${shop.served.url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json');
    await response.json();
  });

  it('get a readiness response without any key', async () => {
    await shop.fairlead.close();
    expect((await fetch(`${shop.served.url}/readyz`)).status).toBe(200);
  });

  it('get 413 when larger than 4 MB', async () => {
    const body = 'x'.repeat(4 * 1_048_576 + 1);
    expect(await shop.post({ headers: {}, body })).toMatchObject({
      status: 413,
      body: { error: { code: 'too_large' } },
    });
  });

  it('get 413 while still being sent, without an end', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const endless = request(shop.served.url, { method: 'POST' }, (response) => {
        resolve(response.statusCode);
        endless.destroy();
      });
      const chunk = Buffer.alloc(65_536);
      const more = () => {
        while (!endless.destroyed && endless.write(chunk));
      };
      endless.on('drain', more).on('error', reject);
      more();
    });
    expect(status).toBe(413);
  });
});

it('serves over TLS 1.3 with a certificate, and on a second port without', async () => {
  const authority = await testAuthority();
  const wanted = { name: 'localhost', expiresAt: new Date(Date.now() + 86_400_000) };
  const { certificate: cert, key } = await authority.issue(wanted);
  const alone = await serveCarts({ tls: { cert, key } });
  const beside = await serveCarts({ tls: { cert, key, port: 0 } });
  const ca = authority.certificate;
  const get = (port: number, options: object) =>
    new Promise<number | undefined>((resolve, reject) => {
      const where = { host: '127.0.0.1', servername: 'localhost', port, path: '/readyz', ca };
      secureRequest({ ...where, agent: false, ...options }, (response) => {
        resolve(response.resume().statusCode);
      })
        .on('error', reject)
        .end();
    });
  for (const { served } of [alone, beside]) {
    expect(served.url).toBe(`https://127.0.0.1:${served.port}`);
    expect(await get(served.port, {})).toBe(200);
    await expect(get(served.port, { maxVersion: 'TLSv1.2' })).rejects.toThrow();
  }
  await alone.stop();
  await beside.stop();
  await expect(get(alone.served.port, {}), 'both ports are closed').rejects.toThrow();
});
