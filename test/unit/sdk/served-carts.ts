// A provider on a real socket, beside a Fairlead that signs its events; what its one handler does is up to the test.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Call, CancelCall, ServedProvider, ServeOptions } from '../../../src/sdk/index.ts';
import { provider, serve, z } from '../../../src/sdk/index.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  anEvent,
  type Delivery,
  deliveryOf,
  type SigningFairlead,
  signingFairlead,
} from '../../support/servers/signing-fairlead.ts';

export type CartCall = Call<{ size: number }>;
export type Handler = (call: CartCall) => Promise<{ url: string }>;
export type CartCancel = (call: CancelCall<{ size: number }, { url: string }>) => unknown;

export interface ServedCarts {
  readonly fairlead: SigningFairlead;
  readonly calls: readonly CartCall[];
  readonly served: ServedProvider;
  handle(how: Handler): void;
  /** An event as Fairlead sends it. */
  delivery(changes?: Parameters<typeof anEvent>[0]): Delivery;
  post(delivery: Delivery): Promise<{ status: number; body: unknown }>;
  /** @returns when all bytes are on their way, with the answer still to come */
  send(delivery: Delivery): Promise<{ answer: Promise<{ body: unknown }>; leave(): void }>;
  /** Waits until the handler was called this often. */
  called(times?: number): Promise<void>;
  /** An event that was sent earlier has reached its handler when a later one is finished. */
  othersArrived(): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  readonly organizations?: readonly string[];
  readonly tls?: NonNullable<ServeOptions['tls']>;
  readonly heartbeatMs?: number;
  readonly log?: NonNullable<ServeOptions['log']>;
  readonly timeoutSeconds?: number;
  /** The handler of the type. */
  readonly cancel?: CartCancel;
  /** Path of the Fairlead. */
  readonly below?: string;
}

export async function serveCarts(given: Options = {}): Promise<ServedCarts> {
  const { below = '', timeoutSeconds, cancel, ...options } = given;
  const fairlead = await signingFairlead();
  const calls: CartCall[] = [];
  let handler: Handler = async () => await Promise.resolve({ url: 'x' });
  const shop = provider('shop');
  const cart = shop.resource('cart', {
    description: 'A cart',
    config: z.object({ size: z.number() }),
    outputs: z.object({ url: z.string() }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    create(call) {
      calls.push(call);
      return handler(call);
    },
    update: () => ({ url: 'x' }),
    delete: () => undefined,
    ...(cancel === undefined ? {} : { cancel: cancel as () => undefined }),
  });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const to = { fairlead: fairlead.url + below, port: 0, log, ...options };
  const served = await serve(shop.types(cart), to);
  const delivery = (changes = {}) => deliveryOf(anEvent(changes), fairlead.signer);
  const post = ({ headers, body }: Delivery) => posted(served.url, { headers, body });
  return {
    fairlead,
    calls,
    served,
    handle(how) {
      handler = how;
    },
    delivery,
    post,
    send: (what) => sent(served.url, what),
    async called(times = 1) {
      await eventually(() => expect(calls).toHaveLength(times));
    },
    async othersArrived() {
      const later = delivery({ id: 'evt-later', type: 'DELETE' });
      for (let round = 0; round < 3; round += 1) await post(later);
    },
    async stop() {
      await served.close(0);
      await fairlead.close();
    },
  };
}

async function posted(url: string, { headers, body }: Delivery) {
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as unknown };
}

async function sent(url: string, { headers, body }: Delivery) {
  const sending = request(url, { method: 'POST', headers });
  const answer = once(sending, 'response').then(async ([response]: unknown[]) => ({
    status: (response as IncomingMessage).statusCode,
    body: await json(response as IncomingMessage),
  }));
  answer.catch(() => undefined);
  sending.end(body);
  await once(sending, 'finish');
  return { answer, leave: () => void sending.destroy() };
}

/** A handler waits for it until a test releases it. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: () => resolve() };
}
