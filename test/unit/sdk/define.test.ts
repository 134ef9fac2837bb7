import { describe, expect, expectTypeOf, it } from 'vitest';
import { gone, provider, registrationsOf, z } from '../../../src/sdk/index.ts';

const anything = {
  description: 'Anything',
  config: z.object({}),
  outputs: z.object({}),
  create: () => ({}),
  update: () => ({}),
  delete: () => undefined,
};

const shop = provider('shop');

describe('names', () => {
  const typeNames = {
    database: true,
    d: true,
    'a-b_c9': true,
    [`a${'b'.repeat(62)}`]: true,
    [`a${'b'.repeat(63)}`]: false,
    '': false,
    Database: false,
    '9lives': false,
    _private: false,
    'a/b': false,
    'a.b': false,
    'a b': false,
    'database\n': false,
    größe: false,
  };

  it.each(Object.entries(typeNames))('of a type: %j is accepted: %s', (name, taken) => {
    const declare = () => shop.resource(name, anything);
    if (taken) expect(declare().name).toBe(name);
    else expect(declare).toThrow(TypeError);
  });

  const providerNames = {
    postgres: true,
    p: true,
    '9p': true,
    'a-b': true,
    ['a'.repeat(40)]: true,
    ['a'.repeat(41)]: false,
    '': false,
    '-a': false,
    'a-': false,
    a_b: false,
    'a.b': false,
    Postgres: false,
    'postgres\n': false,
  };

  it.each(Object.entries(providerNames))('of a provider: %j is accepted: %s', (name, taken) => {
    const declare = () => provider(name);
    if (taken) expect(declare().name).toBe(name);
    else expect(declare).toThrow(TypeError);
  });

  it('of two types of one provider differ', () => {
    const type = shop.resource('cart', anything);
    expect(() => shop.types(type, type)).toThrow(
      'Provider shop has two types with the same name: cart',
    );
  });
});

describe('the registrations', () => {
  const cart = shop.resource('cart', {
    ...anything,
    description: 'A cart',
    config: z.strictObject({
      size: z.int().min(1).default(3).describe('Items at most'),
      owner: z.string(),
      note: z.string().optional(),
      code: z.string().transform((text) => text.length),
    }),
  });

  it('have one entry for each type, in order', () => {
    const types = registrationsOf(shop.types(cart, shop.resource('shelf', anything)));
    expect(types).toMatchObject([
      { provider: 'shop', resource: 'cart', description: 'A cart' },
      { provider: 'shop', resource: 'shelf', description: 'Anything' },
    ]);
  });

  it('have the limit of a type that declares one', () => {
    const slow = shop.resource('slow', { ...anything, timeoutSeconds: 3_600 });
    expect(registrationsOf(shop.types(slow))).toMatchObject([{ timeout_seconds: 3_600 }]);
    expect(registrationsOf(shop.types(cart))[0]).not.toHaveProperty('timeout_seconds');
    for (const timeoutSeconds of [0, -1, 1.5, 3_601, Number.NaN]) {
      expect(() => shop.resource('slow', { ...anything, timeoutSeconds })).toThrow(RangeError);
    }
  });

  it('have the retries of a type that declares them', () => {
    const retry = { attempts: 12, maxDelaySeconds: 300 };
    const patient = shop.resource('patient', { ...anything, retry });
    const once = shop.resource('once', { ...anything, retry: { attempts: 1 } });
    expect(registrationsOf(shop.types(patient, once))).toMatchObject([
      { retry: { attempts: 12, max_delay_seconds: 300 } },
      { retry: { attempts: 1 } },
    ]);
    expect(registrationsOf(shop.types(cart))[0]).not.toHaveProperty('retry');
  });

  it('have the pace of a type that declares it', () => {
    const paced = shop.resource('paced', {
      ...anything,
      concurrency: 4,
      operationLimitSeconds: 43_200,
    });
    expect(registrationsOf(shop.types(paced))).toMatchObject([
      { concurrency: 4, operation_limit_seconds: 43_200 },
    ]);
  });

  it('say from which output references to a deprecated one are answered', () => {
    const outputs = (old: z.ZodType) =>
      shop.resource('renamed', {
        ...anything,
        outputs: z.object({ bucketName: z.string(), name: old }),
        create: () => ({ bucketName: 'b', name: 'b' }),
        update: () => ({ bucketName: 'b', name: 'b' }),
      });
    const mark = { deprecated: true, from: 'bucketName' };
    const renamed = outputs(z.string().optional().meta(mark));
    expect(registrationsOf(shop.types(renamed))[0]?.outputs_schema).toMatchObject({
      properties: { name: { type: 'string', deprecated: true, 'x-from': '/bucketName' } },
      required: ['bucketName'],
    });
    const required = outputs(z.string().meta(mark));
    expect(() => registrationsOf(shop.types(required))).toThrow(
      'its outputs cannot be used at properties.name.x-from: References to name are answered from the other output: make it optional',
    );
  });

  it('say what a deletion can cancel', () => {
    const job = shop.resource('job', { ...anything, cancellable: true, cancel: () => undefined });
    const plain = shop.resource('plain', { ...anything, cancellable: false });
    const [first, second] = registrationsOf(shop.types(job, plain));
    expect(first).toMatchObject({ cancellable: true, cancels_operations: true });
    const always = [
      'provider',
      'resource',
      'description',
      'schema',
      'type_version',
      'outputs_schema',
    ];
    expect(Object.keys(second ?? {})).toEqual(always);
  });

  it('say whether its objects are observed and listed, and what identifies them', () => {
    const seen = shop.resource('seen', {
      ...anything,
      observeEvery: '10m',
      adopt: z.strictObject({ id: z.string(), zone: z.string().default('a') }),
      observe: () => gone(),
      list: () => ({ items: [] }),
    });
    const [first, second] = registrationsOf(shop.types(seen, shop.resource('not', anything)));
    expect(first).toMatchObject({
      observe: true,
      observe_every: '10m',
      listable: true,
      adopt_schema: { required: ['id'], additionalProperties: false },
    });
    const always = [
      'provider',
      'resource',
      'description',
      'schema',
      'type_version',
      'outputs_schema',
    ];
    expect(Object.keys(second ?? {})).toEqual(always);
  });

  it('have the schema of the input: fields with defaults are optional', () => {
    const [{ schema } = { schema: {} }] = registrationsOf(shop.types(cart));
    expect(schema).toMatchObject({
      type: 'object',
      required: ['owner', 'code'],
      additionalProperties: false,
      properties: {
        size: { type: 'integer', minimum: 1, default: 3, description: 'Items at most' },
        code: { type: 'string' },
      },
    });
  });

  it('say which fields cannot change', () => {
    const zone = z.string().optional().meta({ immutable: true });
    const placed = shop.resource('cart', { ...anything, config: z.object({ zone }) });
    const [{ schema } = { schema: {} }] = registrationsOf(shop.types(placed));
    expect(schema).toMatchObject({ properties: { zone: { type: 'string', immutable: true } } });
  });

  it('refuse a mark that cannot work, also of outputs', () => {
    const marked = z.object({ at: z.array(z.string().meta({ immutable: true })) });
    const placed = shop.resource('cart', { ...anything, config: marked });
    expect(() => registrationsOf(shop.types(placed))).toThrow(
      'its config cannot be used at properties.at.items.immutable: Items of a list cannot be immutable: mark at itself',
    );
    const cart = shop.resource('cart', { ...anything, outputs: marked } as never);
    expect(() => registrationsOf(shop.types(cart))).toThrow(
      'its outputs cannot be used at properties.at.items.immutable: Outputs cannot be immutable',
    );
  });

  it('refuse an adopt that cannot be converted, or has a mark', () => {
    const seen = { ...anything, observe: () => gone() };
    const made = (adopt: z.ZodType) =>
      registrationsOf(shop.types(shop.resource('cart', { ...seen, adopt: adopt as never })));
    expect(() => made(z.object({ at: z.date() }))).toThrow('its adopt cannot be converted to JSON');
    const marked = z.object({ id: z.string().meta({ immutable: true }) });
    expect(() => made(marked)).toThrow(
      'its adopt cannot be used at properties.id.immutable: The identity of an object never changes',
    );
  });

  it('are plain JSON', () => {
    const registrations = registrationsOf(shop.types(cart));
    expect(JSON.parse(JSON.stringify(registrations))).toEqual(registrations);
  });
});

describe('a type is refused', () => {
  const whole = (option: string, value: unknown, most: number) =>
    `Type cart: ${option} is ${value}; it must be a whole number from 1 to ${most}`;
  const options = 'attempts and maxDelaySeconds';
  const refused: [string, object, string][] = [
    ['a time limit of nothing', { timeoutSeconds: 0 }, whole('timeoutSeconds', 0, 3_600)],
    ['no attempt', { retry: { attempts: 0 } }, whole('retry.attempts', 0, 20)],
    ['too many attempts', { retry: { attempts: 21 } }, whole('retry.attempts', 21, 20)],
    ['half an attempt', { retry: { attempts: 1.5 } }, whole('retry.attempts', 1.5, 20)],
    ['attempts as text', { retry: { attempts: '3' } }, whole('retry.attempts', '3', 20)],
    ['no wait', { retry: { maxDelaySeconds: 0 } }, whole('retry.maxDelaySeconds', 0, 600)],
    ['a long wait', { retry: { maxDelaySeconds: 601 } }, whole('retry.maxDelaySeconds', 601, 600)],
    ['no delivery at a time', { concurrency: 0 }, whole('concurrency', 0, 1_000)],
    ['a day and more', { operationLimitSeconds: 86_401 }, 'a whole number from 60 to 86400'],
    ['a short operation', { operationLimitSeconds: 59 }, 'operationLimitSeconds is 59'],
    ['null', { retry: null }, `Type cart: retry must be an object with ${options}, or one of them`],
    ['nothing', { retry: {} }, `Type cart: retry is empty; set ${options}, or one of them`],
    [
      'nothing that is defined',
      { retry: { attempts: undefined } },
      `Type cart: retry is empty; set ${options}, or one of them`,
    ],
    [
      'the name of the HTTP field',
      { retry: { max_delay_seconds: 9 } },
      `Type cart: retry has no option max_delay_seconds; its options are ${options}`,
    ],
  ];

  it.each([
    ['cancellable', 'yes', 'Type cart: cancellable must be true or false'],
    ['cancellable', null, 'Type cart: cancellable must be true or false'],
    ['cancel', true, 'Type cart: cancel must be a function; omit it if nothing can be ended'],
  ])('with %s: %j', (option, value, says) => {
    const declare = () => shop.resource('cart', { ...anything, [option]: value });
    expect(declare).toThrow(new TypeError(says));
  });

  const observe = () => gone();
  it.each<[string, object, string]>([
    ['observe that is no function', { observe: true }, 'observe must be a function; omit it'],
    ['list that is no function', { observe, list: [] }, 'list must be a function; omit it'],
    ['compareDefaults alone', { compareDefaults: true }, 'compareDefaults has no effect without'],
    ['observeEvery alone', { observeEvery: '10m' }, 'observeEvery has no effect without'],
    ['adopt alone', { adopt: z.object({}) }, 'adopt has no effect without the handler observe'],
    ['list alone', { list: () => ({ items: [] }) }, 'add observe, or omit list'],
    ['adopt that is no schema', { observe, adopt: 'id' }, 'adopt must be a schema'],
    ['too many observations', { observe, observeEvery: '30s' }, 'observeEvery is 30s; it must be'],
    ['too few observations', { observe, observeEvery: '8d' }, 'from 1m to 7d'],
    ['seconds as a number', { observe, observeEvery: 600 }, 'observeEvery is 600; it must be'],
    ['never', { observe, observeEvery: 'never' }, 'observeEvery is never; it must be'],
  ])('with %s', (_what, option, says) => {
    expect(() => shop.resource('cart', { ...anything, ...option })).toThrow(says);
  });

  it.each(refused)('with %s', (_what, option, says) => {
    expect(() => shop.resource('cart', { ...anything, ...option })).toThrow(says);
  });

  it('by the compiler, too', () => {
    // @ts-expect-error a number
    expect(() => shop.resource('cart', { ...anything, retry: { attempts: '3' } })).toThrow(
      RangeError,
    );
    // @ts-expect-error no such option
    expect(() => shop.resource('cart', { ...anything, retry: { maxDelay: 3 } })).toThrow(TypeError);
  });
});

it('passes the parsed types of their schemas to handlers', () => {
  shop.resource('cart', {
    description: 'A cart',
    config: z.object({ size: z.int().default(3), code: z.string().transform(Number) }),
    outputs: z.object({ url: z.string(), made: z.boolean().default(true) }),
    create(call) {
      expectTypeOf(call.config).toEqualTypeOf<{ size: number; code: number }>();
      return { url: 'x' };
    },
    // @ts-expect-error outputs are checked against their schema
    update(call) {
      expectTypeOf(call.previousConfig).toEqualTypeOf<{ size: number; code: number }>();
      expectTypeOf(call.outputs).toEqualTypeOf<{ url: string; made: boolean }>();
      return { url: 1 };
    },
    delete(call) {
      expectTypeOf(call.outputs).toEqualTypeOf<Partial<{ url: string; made: boolean }>>();
      return undefined;
    },
  });
});

describe('outputs that are shown once', () => {
  const outputs = z.object({ id: z.string(), secret: z.string() });
  const made = () => ({ id: 'a', secret: 'b' });
  const declare = (onceOnly: unknown) => () =>
    shop.resource('key', {
      ...anything,
      ...{ outputs, create: made, update: made, onceOnly: onceOnly as readonly ['id'] },
    });

  it('are outputs', () => {
    expect(declare(['id', 'secret'])().onceOnly).toEqual(['id', 'secret']);
    expect(declare(['secrt'])).toThrow('Type key: onceOnly has "secrt", which is no output');
    for (const wrong of [[], 'id', {}]) expect(declare(wrong)).toThrow('names of outputs');
  });

  it('are checked by the compiler', () => {
    type Options = Parameters<typeof shop.resource<typeof anything.config, typeof outputs>>[1];
    expectTypeOf<Options['onceOnly']>().toEqualTypeOf<readonly ('id' | 'secret')[] | undefined>();
  });
});
