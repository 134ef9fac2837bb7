// CANCEL events: the end of a handler in flight, and the handler `cancel`, on real sockets.
import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { CancelsBody } from '../../../src/domain/event.ts';
import type { OutgoingEvent } from '../../../src/events/protocol.ts';
import { type CancelCall, fail, later } from '../../../src/sdk/index.ts';
import { eventually } from '../../support/runner/eventually.ts';
import type { Delivery } from '../../support/servers/signing-fairlead.ts';
import { type CartCall, gate, type ServedCarts, serveCarts } from './served-carts.ts';

let shop: ServedCarts;

afterEach(() => shop.stop());

function cancelOf(changes: Partial<CancelsBody> = {}): Partial<OutgoingEvent> {
  const cancels = { event_id: 'evt-1', event_type: 'CREATE', operation: false } as const;
  return { id: 'evt-cancel', type: 'CANCEL', cancels: { ...cancels, ...changes } };
}

/** Sends an event, and counts the interim responses. */
function watched({ headers, body }: Delivery) {
  let interims = 0;
  const sending = request(shop.served.url, { method: 'POST', headers });
  sending.on('information', () => {
    interims += 1;
  });
  const answer = once(sending, 'response').then(async ([response]) => ({
    status: response.statusCode as number,
    body: JSON.parse((await response.setEncoding('utf8').toArray()).join('')) as unknown,
  }));
  sending.end(body);
  return { answer, interims: () => interims };
}

describe('a handler in flight', () => {
  const aborted = ({ signal }: CartCall) => once(signal, 'abort');

  it('is aborted with a reason, and answered when it has ended, with signs of life until then', async () => {
    const logged: string[] = [];
    const note = (message: string) => void logged.push(message);
    const log = { debug: note, info: note, warn: note, error: note };
    shop = await serveCarts({ heartbeatMs: 10, log });
    const { passed, open } = gate();
    let reason: unknown;
    shop.handle(async (call) => {
      await aborted(call);
      ({ reason } = call.signal);
      await passed;
      throw new Error('Stopped half way');
    });
    const { answer, interims } = watched(shop.delivery());
    await shop.called();
    const done = { status: 200, body: { outputs: {} } };
    expect(await shop.post(shop.delivery(cancelOf()))).toEqual(done);
    await eventually(() => expect(reason).toEqual(new Error('The resource is being deleted')));
    const before = interims();
    await eventually(() => expect(interims()).toBeGreaterThan(before + 2));
    expect(await shop.post(shop.delivery(cancelOf()))).toEqual(done);
    open();
    const error = { code: 'cancelled', message: 'Stopped half way' };
    expect(await answer).toEqual({ status: 500, body: { error } });
    // Fairlead does not retry, so the log must not say so.
    expect(logged).toEqual([]);
  });

  it('may still succeed', async () => {
    shop = await serveCarts();
    shop.handle(async (call) => {
      await aborted(call);
      return { url: 'made' };
    });
    const { answer } = watched(shop.delivery());
    await shop.called();
    await shop.post(shop.delivery(cancelOf()));
    expect(await answer).toEqual({
      status: 200,
      body: { outputs: { url: 'made' }, outputs_schema_version: 1 },
    });
  });

  it('of another event is not aborted, and the sender learns that', async () => {
    shop = await serveCarts();
    const { passed, open } = gate();
    shop.handle(async ({ signal }) => {
      await passed;
      return { url: `${signal.aborted}` };
    });
    const { answer } = watched(shop.delivery());
    await shop.called();
    expect(await shop.post(shop.delivery(cancelOf({ event_id: 'evt-2' })))).toMatchObject({
      status: 404,
      body: { error: { code: 'not_running' } },
    });
    open();
    expect(await answer).toMatchObject({ body: { outputs: { url: 'false' } } });
    expect((await shop.post(shop.delivery(cancelOf()))).status, 'it has ended').toBe(404);
  });
});

describe('the handler cancel', () => {
  type Cancel = (call: CancelCall<{ size: number }, { url: string }>) => unknown;

  async function answered(cancel?: Cancel, changes: Partial<OutgoingEvent> = {}) {
    shop = await serveCarts(cancel === undefined ? {} : { cancel });
    const event = { ...cancelOf({ operation: true }), context: { job: 7 }, ...changes };
    return await shop.post(shop.delivery(event));
  }

  it('gets what identifies the operation', async () => {
    const calls: unknown[] = [];
    const answer = await answered((call) => calls.push(call), { outputs: { url: 'old' } });
    expect(answer).toEqual({ status: 200, body: { outputs: {} } });
    expect(calls).toEqual([
      expect.objectContaining({
        key: 'evt-cancel',
        operationKey: 'evt-1',
        config: { size: 3 },
        outputs: { url: 'old' },
        context: { job: 7 },
        settings: {},
        signal: expect.any(AbortSignal),
        name: 'mine',
        attempt: 1,
        sequence: 7,
      }),
    ]);
  });

  const answers: [string, Cancel | undefined, object][] = [
    [
      'that wants to be called again',
      () => later('9s', { context: { job: 8 } }),
      { status: 202, body: { retry_after: 9, context: { job: 8 } } },
    ],
    [
      'that throws',
      () => Promise.reject(new Error('no')),
      { status: 500, body: { error: { code: 'handler_error', message: 'no' } } },
    ],
    [
      'that refuses',
      () => fail('too_late', 'It is done'),
      { status: 422, body: { error: { code: 'too_late', message: 'It is done' } } },
    ],
    [
      'that the type does not have',
      undefined,
      { status: 422, body: { error: { code: 'not_cancellable' } } },
    ],
  ];
  it.each(answers)('%s', async (_what, cancel, want) => {
    expect(await answered(cancel)).toMatchObject(want);
  });

  it('is called although the config no longer fits the schema', async () => {
    const calls: unknown[] = [];
    await answered(({ config }) => calls.push(config), { config: { size: 'old' } });
    expect(calls).toEqual([{ size: 'old' }]);
  });

  it('is not called for a CANCEL that names no operation', async () => {
    const event = { id: 'evt-cancel', type: 'CANCEL' } as const;
    shop = await serveCarts({ cancel: () => undefined });
    expect(await shop.post(shop.delivery(event))).toMatchObject({ status: 422 });
  });
});
