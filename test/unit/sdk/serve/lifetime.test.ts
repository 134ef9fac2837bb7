import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type OutgoingRequest,
  requestBody,
  requestHeaders,
} from '../../../../src/events/requests.ts';
import {
  type DeclarationOptions,
  from,
  InvalidSettings,
  provider,
  type ServedProvider,
  type ServeOptions,
  StartFailure,
  serve,
  z,
} from '../../../../src/sdk/index.ts';
import { eventually } from '../../../support/runner/eventually.ts';
import {
  anEvent,
  type Delivery,
  deliveryOf,
  type SigningFairlead,
  signingFairlead,
} from '../../../support/servers/signing-fairlead.ts';
import { gate } from '../served-carts.ts';

const settings = z.object({
  url: z.url().meta({ sensitive: true }),
  region: z.string().default('eu-central-1'),
  retries: z.int().default(2),
});
const given = { url: 'https://user:hunter2@db.internal/x' };
const log = { debug() {}, info() {}, warn() {}, error() {} };

let fairlead: SigningFairlead;
const open: ServedProvider[] = [];

beforeEach(async () => {
  fairlead = await signingFairlead();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((served) => served.close(0)));
  await fairlead.close();
});

type Options = DeclarationOptions<typeof settings, { client: string }>;

interface Serving {
  readonly options?: Options;
  readonly handler?: (call: { client: string; signal: AbortSignal }) => unknown;
  readonly serving?: ServeOptions;
}

async function serveCarts({ options = {}, handler = () => undefined, serving = {} }: Serving = {}) {
  const shop = provider('shop', { settings, ...options });
  const cart = shop.resource('cart', {
    description: 'A cart',
    version: 2,
    config: z.strictObject({ sizeGb: z.int(), mode: z.enum(['fast', 'slow']).default('slow') }),
    outputs: z.object({ url: z.string() }),
    migrations: [
      from(1, { config: z.object({ size: z.int() }), outputs: z.object({}) }).to(
        ({ size }) => {
          if (size === 13) throw new Error('There is no size 13');
          return { sizeGb: size };
        },
        () => ({ url: '' }),
      ),
    ],
    async create(call) {
      await handler(call);
      return { url: call.client };
    },
    update: () => ({ url: '' }),
    delete: () => undefined,
  });
  const to = { fairlead: fairlead.url, port: 0, log, settings: given, ...serving };
  const served = await serve(shop.types(cart), to);
  open.push(served);
  const post = async ({ headers, body }: Delivery) => {
    const response = await fetch(served.url, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const ask = async (request: OutgoingRequest['request']) => {
    const asked = { id: 'ask-1', organizationId: 'acme', request };
    const body = JSON.stringify(requestBody(asked));
    const signed = { id: asked.id, organizationId: 'acme', provider: request.provider };
    const authorization = `Bearer ${fairlead.signer.sign(signed, body)}`;
    return await post({ headers: { ...requestHeaders(asked, new Date()), authorization }, body });
  };
  const send = () =>
    post(deliveryOf(anEvent({ config: { sizeGb: 3 }, schemaVersion: 2 }), fairlead.signer));
  return { served, post, ask, send };
}

describe('a provider', () => {
  it('checks its settings, starts once, serves, and stops after the last handler', async () => {
    const steps: string[] = [];
    const { passed, open: release } = gate();
    const { send, served } = await serveCarts({
      options: {
        check: ({ settings: { retries } }) => void steps.push(`check ${retries}`),
        async start({ settings: { region } }) {
          steps.push('start');
          return await Promise.resolve({ client: region });
        },
        stop: ({ client }) => void steps.push(`stop ${client}`),
      },
      async handler({ client }) {
        steps.push(`begin ${client}`);
        await passed;
        steps.push('end');
      },
    });
    const answer = send();
    await eventually(() => expect(steps).toContain('begin eu-central-1'));
    const closed = served.close();
    release();
    expect(await answer).toMatchObject({ status: 200, body: { outputs: { url: 'eu-central-1' } } });
    await closed;
    expect(steps).toEqual(['check 2', 'start', 'begin eu-central-1', 'end', 'stop eu-central-1']);
    await served.close();
    expect(steps).toHaveLength(5);
  });

  it('waits for handlers whose signals it aborts, before it stops', async () => {
    const steps: string[] = [];
    const { send, served } = await serveCarts({
      options: { start: () => ({ client: 'x' }), stop: () => void steps.push('stop') },
      handler: ({ signal }) =>
        new Promise((resolve) => {
          steps.push('begin');
          signal.addEventListener('abort', () => setTimeout(() => resolve(steps.push('end')), 50));
        }),
    });
    const answer = send().catch(() => undefined);
    await eventually(() => expect(steps).toEqual(['begin']));
    await served.close(0);
    await answer;
    expect(steps).toEqual(['begin', 'end', 'stop']);
  });

  it('ends although it cannot stop', async () => {
    const errors: unknown[] = [];
    const { served } = await serveCarts({
      options: {
        start: () => ({ client: 'x' }),
        stop: () => Promise.reject(new Error('still busy')),
      },
      serving: { log: { ...log, error: (message, fields) => errors.push([message, fields]) } },
    });
    await served.close();
    const error = new Error('still busy');
    expect(errors).toEqual([['The provider ends without a complete stop', { error }]]);
  });

  it.each([
    ['its settings do not fit', { serving: { settings: {} } }, InvalidSettings, 'url is not set'],
    [
      'check throws',
      { options: { check: () => Promise.reject(new Error('wrong password')) } },
      StartFailure,
      'the settings do not work: wrong password',
    ],
    [
      'start throws',
      { options: { start: () => Promise.reject(new Error('no route\nto the host')) } },
      StartFailure,
      'start failed: no route',
    ],
    [
      'start throws something else',
      { options: { start: () => Promise.reject({ code: 7 }) } },
      StartFailure,
      'start failed: It threw a value that is not an Error',
    ],
    [
      'start returns a name of the calls',
      { options: { start: () => ({ client: 'x', config: 1 }) as never } },
      TypeError,
      'start of provider shop returns "config", which every handler receives already; return it under another name',
    ],
    [
      'start returns no object',
      { options: { start: () => 'x' as never } },
      TypeError,
      'start of provider shop must return an object, or nothing',
    ],
  ])('does not serve when %s', async (_what, serving, kind, says) => {
    const thrown = await serveCarts(serving as Serving).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(kind);
    expect((thrown as Error).message).toContain(says);
  });

  it('gives up a start that ignores that it is over', async () => {
    const ending = new AbortController();
    const served = serveCarts({
      options: { start: () => new Promise(() => undefined) },
      serving: { signal: ending.signal },
    });
    ending.abort(new Error('The provider is stopping'));
    await expect(served).rejects.toThrow('start failed: The provider is stopping');
  });

  it('says no value of a setting when it does not start', async () => {
    const leaky = () => Promise.reject(new Error(`${given.url} with hunter2 in eu-west-9 fails`));
    const thrown = await serveCarts({
      options: { start: leaky },
      serving: { settings: { ...given, region: 'eu-west-9' } },
    }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(StartFailure);
    const { message, trace } = thrown as StartFailure;
    expect(message).toBe('start failed: (url) with (url) in eu-west-9 fails');
    expect(trace).toMatch(/^Error: \(url\) with \(url\) in eu-west-9 fails\n\s+at /);
  });
});

describe('a request to migrate', () => {
  const reference = `\${shop/cart/other.outputs.size}`;
  const migrate = { event_type: 'MIGRATE', provider: 'shop', resource: 'cart' } as const;
  const start = () => ({ client: 'x' });

  it.each([
    ['of an earlier version', 1, { size: 3 }, { sizeGb: 3 }],
    ['of the newest version', 2, { sizeGb: 3 }, { sizeGb: 3 }],
    ['with a reference for a number', 1, { size: reference }, { sizeGb: reference }],
  ])('is answered with the config that people write, %s', async (_what, version, config, sent) => {
    const { ask } = await serveCarts({ options: { start } });
    expect(await ask({ ...migrate, schema_version: version, config })).toEqual({
      status: 200,
      body: { config: sent, schema_version: 2 },
    });
  });

  it.each([
    ['does not fit', 1, { size: 'x' }, 'does not fit the schema of its migration: size'],
    ['lacks a field beside a reference', 2, { size: reference }, 'The config does not fit: sizeGb'],
    ['fails in its step', 1, { size: 13 }, 'from version 1 to 2 failed: There is no size 13'],
    [
      'has the newest version, but not its shape',
      2,
      { size: 3 },
      'The config does not fit: sizeGb',
    ],
  ])('is refused for a config that %s', async (_what, version, config, says) => {
    const { ask } = await serveCarts({ options: { start } });
    expect(await ask({ ...migrate, schema_version: version, config })).toEqual({
      status: 422,
      body: { error: { code: 'migration_failed', message: expect.stringContaining(says) } },
    });
  });

  it('is unknown for another type', async () => {
    const { ask } = await serveCarts({ options: { start } });
    const request = { ...migrate, resource: 'shelf', schema_version: 1, config: {} };
    expect(await ask(request)).toMatchObject({ status: 404 });
  });
});

describe('a request to check settings', () => {
  const checkOf = (texts: Record<string, string>, unchanged: string[] = []) =>
    ({ event_type: 'CHECK', provider: 'shop', settings: texts, unchanged }) as const;

  async function asked(
    texts: Record<string, string>,
    { unchanged = [], check }: { unchanged?: string[]; check?: NonNullable<Options['check']> } = {},
  ) {
    const seen: unknown[] = [];
    let isStarted = false;
    const { ask } = await serveCarts({
      options: {
        start() {
          isStarted = true;
          return { client: 'x' };
        },
        check(call) {
          if (isStarted) seen.push(call.settings);
          return isStarted ? check?.(call) : undefined;
        },
      },
    });
    return { ...(await ask(checkOf(texts, unchanged))), seen };
  }

  it('runs check with the values, and the present ones of those that stay', async () => {
    const { status, body, seen } = await asked({ retries: '5' }, { unchanged: ['url'] });
    expect({ status, body }).toEqual({ status: 200, body: {} });
    expect(seen).toEqual([{ ...given, region: 'eu-central-1', retries: 5 }]);
  });

  it.each([
    ['lack one', { retries: '5' }, 'the settings are invalid: url is not set'],
    ['do not fit', { ...given, retries: '"x"' }, 'the settings are invalid: retries must be a'],
  ])('is refused when they %s, without a call of check', async (_what, texts, says) => {
    const { status, body, seen } = await asked(texts);
    expect({ status, body }).toEqual({
      status: 422,
      body: { error: { code: 'settings_refused', message: expect.stringContaining(says) } },
    });
    expect(seen).toEqual([]);
  });

  it('is refused with the sentence of check, without values', async () => {
    const { body } = await asked(
      { url: 'https://u:s%20ecret@h.example/' },
      { check: () => Promise.reject(new Error('https://u:s%20ecret@h.example/ refuses s ecret')) },
    );
    const message = '(url) refuses (url)';
    expect(body).toEqual({ error: { code: 'settings_refused', message } });
  });

  it('is accepted by a provider without check', async () => {
    const { ask } = await serveCarts({ options: { start: () => ({ client: 'x' }) } });
    expect(await ask(checkOf({ url: 'https://h.example/' }))).toEqual({ status: 200, body: {} });
  });
});
