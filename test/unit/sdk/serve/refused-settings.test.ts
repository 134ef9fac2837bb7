// Settings that stop to work, such as a revoked credential, make events wait: after equal failures of different resources, when `check`
// refuses.
import { afterEach, expect, it } from 'vitest';
import { fail, provider, serve, z } from '../../../../src/sdk/index.ts';
import { anEvent, deliveryOf, signingFairlead } from '../../../support/servers/signing-fairlead.ts';

const token = 'the-token-of-the-store';
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Work = (name: string) => void;

/** @returns what sends an event of a resource, and the store */
async function serving({ checks = true } = {}) {
  const store = { isRevoked: false, checks: 0, work: (() => undefined) as Work };
  const fairlead = await signingFairlead();
  const shop = provider('shop', {
    settings: z.object({ token: z.string().meta({ sensitive: true }) }),
    ...(checks && {
      check({ settings }) {
        store.checks += 1;
        if (store.isRevoked) throw new Error(`The store refuses ${settings.token}`);
      },
    }),
  });
  const cart = shop.resource('cart', {
    description: 'A cart',
    config: z.object({ size: z.number() }),
    outputs: z.object({}),
    create({ name }) {
      store.work(name);
      return {};
    },
    update: () => ({}),
    delete: () => undefined,
  });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const to = { fairlead: fairlead.url, port: 0, log, settings: { token } };
  const served = await serve(shop.types(cart), to);
  stops.push(async () => {
    await served.close(0);
    await fairlead.close();
  });
  const send = async (name: string) => {
    const event = anEvent({ id: `evt-${name}-${Math.random()}`, name });
    const answer = await fetch(served.url, {
      method: 'POST',
      ...deliveryOf(event, fairlead.signer),
    });
    const body = (await answer.json()) as { error?: object };
    return { status: answer.status, after: answer.headers.get('retry-after'), ...body };
  };
  return { send, store };
}

const refused: Work = (name) => {
  throw new Error(`403 for ${name} (request 17)`);
};
const failed = { status: 500, error: { code: 'handler_error' } };
const waits = {
  status: 429,
  after: '30',
  retry_scope: 'provider',
  error: { code: 'settings_refused', message: 'The store refuses (token)' },
};

it('makes events wait from the third resource on, until the settings work again', async () => {
  const { send, store } = await serving();
  store.isRevoked = true;
  store.work = refused;
  expect(await send('one')).toMatchObject(failed);
  expect(await send('two')).toMatchObject(failed);
  expect(store.checks).toBe(1);
  expect(await send('three')).toMatchObject(waits);
  expect(await send('one')).toMatchObject(waits);
  store.isRevoked = false;
  expect(await send('two')).toMatchObject(failed);
  store.work = () => undefined;
  expect(await send('two')).toMatchObject({ status: 200 });
});

it('asks once for events that fail together', async () => {
  const { send, store } = await serving();
  store.isRevoked = true;
  store.work = refused;
  const names = Array.from({ length: 12 }, (_, at) => `cart-${at}`);
  const answers = await Promise.all(names.map(send));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(10);
  expect(store.checks).toBeLessThan(12);
});

const others: Record<string, { checks?: boolean; work: Work; names: readonly string[] }> = {
  'one resource, however often it fails': { work: refused, names: ['one', 'one', 'one', 'one'] },
  'failures that differ': {
    work: (name) => {
      throw new Error(`${'abc'[name.length - 3]} has no room`);
    },
    names: ['one', 'four', 'seven'],
  },
  'failures that the handler decided on': {
    work: () => fail('forbidden', 'It is not yours'),
    names: ['one', 'two', 'three', 'four'],
  },
  'a provider without check': { checks: false, work: refused, names: ['one', 'two', 'three'] },
};

it.each(Object.entries(others))('does nothing for %s', async (_name, { checks, work, names }) => {
  const { send, store } = await serving(checks === undefined ? {} : { checks });
  store.isRevoked = true;
  store.work = work;
  for (const name of names) expect((await send(name)).status).not.toBe(429);
  expect(store.checks).toBe(checks === false ? 0 : 1);
});

it('forgets failures after a success, and what check finds in order', async () => {
  const { send, store } = await serving();
  store.work = refused;
  for (const name of ['one', 'two', 'three']) expect(await send(name)).toMatchObject(failed);
  expect(store.checks).toBe(2);
  store.isRevoked = true;
  for (const name of ['one', 'two']) expect(await send(name)).toMatchObject(failed);
  store.work = () => undefined;
  await send('one');
  store.work = refused;
  for (const name of ['one', 'two']) expect(await send(name)).toMatchObject(failed);
  expect(store.checks).toBe(2);
  expect(await send('three')).toMatchObject(waits);
});
