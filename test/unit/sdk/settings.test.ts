import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AnyObject } from '../../../src/sdk/call.ts';
import { type Provider, provider, z } from '../../../src/sdk/index.ts';
import {
  declaredSettings,
  InvalidSettings,
  parseSettings,
  settingsSchemaOf,
  settingValues,
  withoutSettings,
} from '../../../src/sdk/settings.ts';

const settings = z.object({
  url: z.url().meta({ sensitive: true }),
  port: z.int().default(5432),
  tls: z.object({ ca: z.string() }).optional(),
});
const parts = {
  description: 'Anything',
  config: z.object({}),
  outputs: z.object({}),
  update: () => ({}),
  delete: () => undefined,
};

describe('settings', () => {
  it('have the type of their schema in handlers', () => {
    provider('shop', { settings }).resource('cart', {
      ...parts,
      create(call) {
        expectTypeOf(call.settings).toEqualTypeOf<z.output<typeof settings>>();
        return {};
      },
    });
    provider('shop').resource('cart', {
      ...parts,
      create(call) {
        expectTypeOf(call.settings).toExtend<AnyObject>();
        return {};
      },
    });
  });

  it('are those of the provider', () => {
    expect(provider('shop', { settings }).types().settings).toBe(settings);
    expect(provider('shop').types()).not.toHaveProperty('settings');
  });

  it('have the JSON Schema of what people give', () => {
    expect(settingsSchemaOf({ settings })).toMatchObject({
      type: 'object',
      required: ['url'],
      properties: { url: { sensitive: true }, port: { default: 5432 } },
    });
    expect(settingsSchemaOf({})).toBeUndefined();
  });

  it('are read from their stored forms', async () => {
    const texts = new Map([
      ['url', 'https://a.example'],
      ['tls', '{"ca":"x"}'],
      ['other', 'no'],
    ]);
    const values = settingValues(declaredSettings({ settings }), texts);
    expect(await parseSettings({ settings }, values)).toEqual({
      url: 'https://a.example',
      port: 5432,
      tls: { ca: 'x' },
    });
    expect(await parseSettings({}, { url: 'x' })).toEqual({});
  });
});

describe('invalid settings are named without their values', () => {
  const secret = 's3cr3t-canary';
  const strict = z.object({
    url: z.url(),
    port: z.int(),
    key: z.string().refine((text) => text === '', { error: ({ input }) => `bad ${input}` }),
  });
  const odd = z.object({
    key: z.string().transform((text) => {
      throw new Error(`cannot use ${text}`);
    }),
  });
  const cases: Record<string, readonly [Provider['settings'], AnyObject, string]> = {
    missing: [strict, { port: 1, key: '' }, 'the settings are invalid: url is not set'],
    'of another type': [
      strict,
      { url: 'https://a.example', port: secret, key: '' },
      'the settings are invalid: port must be a number',
    ],
    'that break rules': [
      strict,
      { url: secret, port: 1, key: secret },
      'the settings are invalid: url does not fit its schema (invalid_format); key does not fit its schema (custom)',
    ],
    'whose transformation fails': [odd, { key: secret }, 'a transformation of their schema failed'],
  };
  it.each(Object.entries(cases))('%s', async (_name, [schema, values, message]) => {
    const failure = await parseSettings({ settings: schema as z.ZodType }, values).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(failure).toBeInstanceOf(InvalidSettings);
    expect((failure as Error).message).toContain(message);
    expect(`${(failure as Error).stack}`).not.toContain(secret);
  });
});

describe('a sentence of the code has no secret setting', () => {
  const shown = (values: AnyObject, text: string) =>
    withoutSettings(
      { settings: z.object({ key: z.string().meta({ sensitive: true }) }) },
      values,
      text,
    );

  it.each([
    ['an ordinary word', { region: 'region' }, 'There is no region', 'There is no region'],
    ['an address', { url: 'http://db:1/x' }, 'http://db:1/x is down', 'http://db:1/x is down'],
    ['a sensitive value', { key: 'ab' }, 'ab is wrong', '(key) is wrong'],
    [
      'a password in the address of a setting without a mark',
      { url: 'http://ada:hunter%232@db/x' },
      'db refuses hunter#2 of http://ada:hunter%232@db/x',
      'db refuses (url) of http://ada:(url)@db/x',
    ],
  ])('with %s', (_, values, text, expected) => {
    expect(shown(values, text)).toBe(expected);
  });
});
