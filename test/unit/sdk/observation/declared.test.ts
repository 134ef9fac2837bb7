// What an observation says that people declared, of a config in an earlier version of its type: no default of a schema.
import { expect, it } from 'vitest';
import { compare } from '../../../../src/domain/observation/compare.ts';
import { eventBody } from '../../../../src/events/protocol.ts';
import { from, provider, z } from '../../../../src/sdk/index.ts';
import { declaredConfig, eventValues } from '../../../../src/sdk/migrations/event-values.ts';
import { anEvent } from '../../../support/servers/signing-fairlead.ts';

const outputs = z.object({});
const shop = provider('shop', {});
const disk = shop.resource('disk', {
  description: 'A disk',
  version: 3,
  config: z.strictObject({
    sizeGb: z.int(),
    tier: z.string().optional(),
    encrypted: z.boolean().default(true),
    labels: z.array(z.string()).optional(),
    mounts: z.array(z.object({ path: z.string(), mode: z.string().optional() })).optional(),
    zone: z.string().default('a'),
    region: z.string().optional(),
  }),
  outputs,
  migrations: [
    from(1, {
      config: z.strictObject({
        size: z.int(),
        tier: z.string().default('small'),
        tags: z.array(z.string()).default([]),
        mounts: z.array(z.object({ path: z.string(), mode: z.string().default('rw') })).optional(),
      }),
      outputs,
    }).to(
      ({ size, tags, ...others }) => ({ sizeGb: size, labels: tags, ...others }),
      () => ({}),
    ),
    from(2, {
      config: z.strictObject({
        sizeGb: z.int(),
        tier: z.string().optional(),
        labels: z.array(z.string()).optional(),
        mounts: z.array(z.object({ path: z.string(), mode: z.string().optional() })).optional(),
        encrypted: z.boolean().default(true),
      }),
      outputs,
    }).to(
      (config) => ({ ...config, region: 'eu' }),
      () => ({}),
    ),
  ],
  create: () => ({}),
  update: () => ({}),
  delete: () => undefined,
});

interface Case {
  readonly reason: string;
  readonly version?: number;
  readonly config: { readonly [name: string]: unknown };
  readonly want: object;
}

const region = 'eu';
const cases: Readonly<Record<string, Case>> = {
  'no default of an earlier version': {
    reason: 'Nobody declared tier, tags and encrypted.',
    config: { size: 3 },
    want: { sizeGb: 3, region },
  },
  'what people declared, also where it equals a default': {
    reason: 'They want it to stay so.',
    config: { size: 3, tier: 'small', tags: [] },
    want: { sizeGb: 3, tier: 'small', labels: [], region },
  },
  'no default in the items of a list': {
    reason: 'Items are compared by what they declare.',
    config: { size: 3, tier: 'x', mounts: [{ path: '/a' }, { path: '/b', mode: 'ro' }] },
    want: {
      ...{ sizeGb: 3, tier: 'x', region },
      mounts: [{ path: '/a' }, { path: '/b', mode: 'ro' }],
    },
  },
  'no default of a version between': {
    reason: 'Each step parses what the step before returned.',
    version: 2,
    config: { sizeGb: 3, tier: 'x' },
    want: { sizeGb: 3, tier: 'x', region },
  },
};

it.each(Object.entries(cases))('has %s', (_name, { reason, version = 1, config, want }) => {
  const event = anEvent({ type: 'OBSERVE', config: config as never, schemaVersion: version });
  const type = shop.types(disk).types.get('disk');
  if (type === undefined) throw new Error('no type');
  const declared = declaredConfig(type, eventBody(event));
  expect(declared, reason).toEqual(want);
  // What the handler gets has the defaults: they are what the config means.
  expect(eventValues(type, eventBody(event)).config).toMatchObject({ encrypted: true, zone: 'a' });
  // The system may have anything else where nobody declared a value.
  const actual = { encrypted: false, tier: 'huge', labels: ['x'], ...(declared ?? {}) };
  const given = { declared: declared ?? {}, actual, schema: undefined, secrets: [], ignore: [] };
  expect(compare(given as never).changes, reason).toEqual([]);
});
