import { describe, expect, it } from 'vitest';
import { from, provider, registrationsOf, z } from '../../../src/sdk/index.ts';

const anything = {
  description: 'Anything',
  config: z.object({}),
  outputs: z.object({}),
  create: () => ({}),
  update: () => ({}),
  delete: () => undefined,
};
const schemas = { config: z.object({}), outputs: z.object({}) };
const step = (version: number) =>
  from(version, schemas).to(
    () => ({}),
    () => ({}),
  );

describe('a declaration', () => {
  it('has types of its own', () => {
    const shop = provider('shop', { settings: z.object({ url: z.string() }), concurrency: 4 });
    const made = shop.types(shop.resource('cart', anything), shop.resource('shelf', anything));
    expect(made).toMatchObject({ name: 'shop', concurrency: 4 });
    expect(registrationsOf(made).map((each) => each.resource)).toEqual(['cart', 'shelf']);
  });

  it('refuses types of another one, whose `start` does not run', () => {
    const cart = provider('shop').resource('cart', anything);
    const says =
      'Type cart was not declared by provider market; make it with resource of the declaration whose types it belongs to';
    expect(() => provider('market').types(cart)).toThrow(new TypeError(says));
  });

  it('refuses two types of one name', () => {
    const shop = provider('shop');
    const cart = shop.resource('cart', anything);
    expect(() => shop.types(cart, cart)).toThrow('two types with the same name: cart');
  });

  it.each(['start', 'stop', 'check'])('refuses %s that is no function', (member) => {
    expect(() => provider('shop', { [member]: true } as object)).toThrow(
      new TypeError(`Provider shop: ${member} must be a function`),
    );
  });

  it('refuses a limit of blocked handlers beyond the time of every type', () => {
    const bounds = 'it must be a whole number from 2 to 3600';
    expect(() => provider('shop', { blockedLimitSeconds: 1 })).toThrow(
      `Provider shop: blockedLimitSeconds is 1; ${bounds}`,
    );
    const shop = provider('shop', { blockedLimitSeconds: 40 });
    const cart = (name: string, timeoutSeconds?: number) =>
      shop.resource(name, { ...anything, ...(timeoutSeconds && { timeoutSeconds }) });
    expect(shop.types(cart('cart'), cart('big', 40))).toMatchObject({ blockedLimitSeconds: 40 });
    expect(() => shop.types(cart('cart'), cart('big', 35))).toThrow(
      'Provider shop: blockedLimitSeconds is 40; it must be at most 35, the longest timeoutSeconds of its types',
    );
  });

  it('refuses a concurrency of nothing', () => {
    expect(() => provider('shop', { concurrency: 0 })).toThrow(
      'Provider shop: concurrency is 0; it must be a whole number from 1 to 1000',
    );
  });
});

describe('the registration of a type', () => {
  const Config = z.object({ size: z.int().default(1) });
  const Outputs = z.object({ url: z.string(), made: z.boolean().default(true) });
  const options = { ...anything, config: Config, outputs: Outputs };
  const registered = (type: object, version?: object) => {
    const shop = provider('shop');
    return registrationsOf(shop.types(shop.resource('cart', { ...type, ...version } as never)))[0];
  };

  it('has the schemas of its version, and of those that it migrates from', () => {
    const cart = { ...options, create: () => ({ url: '' }), update: () => ({ url: '' }) };
    const earlier = { config: z.object({ gb: z.string() }), outputs: z.object({ at: z.string() }) };
    const migrations = [
      from(2, earlier).to(
        () => ({}),
        ({ at }) => ({ url: at }),
      ),
    ];
    expect(registered(cart, { version: 3, migrations })).toMatchObject({
      type_version: 3,
      schema: { properties: { size: { type: 'integer', default: 1 } } },
      outputs_schema: { required: ['url', 'made'] },
      earlier_versions: [
        {
          type_version: 2,
          schema: { properties: { gb: { type: 'string' } } },
          outputs_schema: { required: ['at'] },
        },
      ],
    });
  });

  it.each([
    ['its outputs', {}, { outputs: z.object({ at: z.date() }) }],
    ['the config of version 2', { version: 2 }, { config: z.object({ at: z.date() }) }],
    [
      'the outputs of version 1',
      {
        version: 2,
        migrations: [
          from(1, { ...schemas, outputs: z.object({ at: z.date() }) }).to(
            () => ({}),
            () => ({}),
          ),
        ],
      },
      {},
    ],
  ])('is refused, when %s cannot be converted', (what, version, type) => {
    expect(() => registered({ ...anything, ...type } as never, version)).toThrow(
      `${what} cannot be converted to JSON Schema: Date cannot be represented`,
    );
  });
});

describe('versions', () => {
  const declare = (options: { version?: number; migrations?: ReturnType<typeof step>[] }) =>
    provider('shop').resource('cart', { ...anything, ...options } as never);
  const whole = 'it must be a whole number from 1 to';

  it.each([
    ['the first, without a declaration', {}],
    ['a later one without migrations', { version: 7 }],
    ['one step', { version: 2, migrations: [step(1)] }],
    [
      'steps that do not begin at the first version',
      { version: 5, migrations: [step(3), step(4)] },
    ],
  ])('may be %s', (_what, options) => {
    expect(declare(options)).toMatchObject({ name: 'cart' });
  });

  it.each([
    ['version 0', { version: 0 }, `Type cart: version is 0; ${whole} 1000`],
    ['half a version', { version: 1.5 }, `Type cart: version is 1.5; ${whole} 1000`],
    [
      'a gap in the middle',
      { version: 4, migrations: [step(1), step(3)] },
      'Type cart has no migration from version 2; add from(2, …) so that its migrations lead to version 4 without a gap',
    ],
    [
      'a gap at the end',
      { version: 4, migrations: [step(1), step(2)] },
      'Type cart has no migration from version 3; add from(3, …) so that its migrations lead to version 4 without a gap',
    ],
    [
      'a step too many',
      { version: 2, migrations: [step(1), step(2)] },
      'Type cart: from(2, …) does not come before version 2; list the migrations from the oldest up to the version before 2',
    ],
    [
      'steps in another order',
      { version: 3, migrations: [step(2), step(1)] },
      'Type cart: from(2, …) does not come before from(1, …); list the migrations from the oldest up to the version before 3',
    ],
    [
      'too many steps',
      { version: 22, migrations: Array.from({ length: 21 }, (_, at) => step(at + 1)) },
      'Type cart has 21 migrations; it may have 20. Remove the oldest',
    ],
  ])('refuse %s', (_what, options, says) => {
    expect(() => declare(options)).toThrow(says);
  });

  it.each([0, 1_000, 1.5])('refuse a step from version %d', (version) => {
    expect(() => step(version)).toThrow(`from: the version is ${version}; ${whole} 999`);
  });
});
