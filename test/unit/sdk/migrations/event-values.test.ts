import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutgoingEvent } from '../../../../src/events/protocol.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { provider, z } from '../../../../src/sdk/index.ts';
import { configs, deliver, fourVersions, outputs, type Received } from './four-versions.ts';

const [Config4, Outputs4] = [configs[3], outputs[3]];

describe('a handler receives the newest version', () => {
  const newest = { disk: { gb: 3, kind: 'ssd' }, labels: ['none'] };

  it.each([
    ['of version 1, with the defaults of each version', { size: 3 }, 1, newest],
    ['of version 1 that relies on a default', {}, 1, { ...newest, disk: { gb: 1, kind: 'ssd' } }],
    ['of version 2', { sizeGb: 3, label: 'x' }, 2, { ...newest, labels: ['x'] }],
    ['of version 3', { disk: { gb: 3 }, label: 'x' }, 3, { ...newest, labels: ['x'] }],
    ['of version 4', { disk: { gb: 3 }, labels: ['none'] }, 4, newest],
    ['of a later version that fits', { disk: { gb: 3 }, labels: ['none'] }, 5, newest],
  ])('of a config %s', async (_what, config, schemaVersion, expected) => {
    const { call, status } = await deliver(fourVersions(), { config, schemaVersion });
    expect({ status, config: call?.config }).toEqual({ status: 200, config: expected });
  });

  it('of every value, each from its own version', async () => {
    const { call, body } = await deliver(fourVersions(), {
      type: 'UPDATE',
      config: { disk: { gb: 9 }, labels: ['a', 'b'] },
      schemaVersion: 4,
      previousConfig: { sizeGb: 3 },
      previousSchemaVersion: 2,
      outputs: { url: 'disk://1' },
      outputsSchemaVersion: 1,
    });
    expect(call).toMatchObject({
      config: { disk: { gb: 9, kind: 'ssd' }, labels: ['a', 'b'] },
      previousConfig: newest,
      outputs: { address: 'disk://1', region: 'eu' },
    });
    expect(body).toEqual({
      outputs: { address: 'disk://1', region: 'us' },
      outputs_schema_version: 4,
    });
  });

  it('in a deletion, with the outputs that fit', async () => {
    const event = {
      type: 'DELETE',
      config: { size: 3 },
      outputs: { url: 'x', region: 'us' },
      outputsSchemaVersion: 3,
    } as const;
    const { call, status } = await deliver(fourVersions(), event);
    expect({ status, call }).toEqual({
      status: 200,
      call: expect.objectContaining({
        config: newest,
        previousConfig: null,
        outputs: { region: 'us' },
      }),
    });
    const never = await deliver(fourVersions(), { ...event, outputs: {} });
    expect(never.call?.outputs).toEqual({});
  });
});

describe('without a call of the handler, an event fails', () => {
  const migration = 'The migration of the config from version';
  const cases: [string, Partial<OutgoingEvent>, string][] = [
    [
      'whose config does not fit its own version',
      { config: { size: 0 } },
      'The config of version 1 does not fit the schema of its migration: size: Too small',
    ],
    [
      'whose migration throws',
      { config: { sizeGb: 1, label: 'unmovable' }, schemaVersion: 2 },
      `${migration} 2 to 3 failed: An unmovable disk stays`,
    ],
    [
      'whose migration returns what the next version refuses',
      { config: { sizeGb: 1, label: '' }, schemaVersion: 2 },
      `${migration} 2 to 3 returned a value that does not fit: label: Too small`,
    ],
    [
      'whose migration returns what the newest version refuses',
      { config: { size: 900 } },
      `${migration} 3 to 4 returned a value that does not fit: disk.gb: Too big`,
    ],
    [
      'of a later version that does not fit, after a rollback',
      { config: { speed: 3 }, schemaVersion: 5 },
      'The config of version 5 does not fit version 4 of type cart, which serves now: disk:',
    ],
    [
      'whose previous config does not migrate',
      {
        type: 'UPDATE',
        config: { disk: { gb: 3 }, labels: ['a'] },
        schemaVersion: 4,
        previousConfig: { size: 900 },
        previousSchemaVersion: 1,
      },
      'The migration of the previous config from version 3 to 4 returned a value that does not fit',
    ],
    [
      'whose outputs do not migrate',
      {
        type: 'UPDATE',
        config: { disk: { gb: 3 }, labels: ['a'] },
        schemaVersion: 4,
        outputs: { url: 'x' },
      },
      'The migration of the outputs from version 3 to 4 returned a value that does not fit: address',
    ],
    [
      'that deletes, and has a config that does not migrate',
      { type: 'DELETE', config: { size: 900 } },
      `${migration} 3 to 4 returned a value that does not fit`,
    ],
  ];

  it.each(cases)('%s', async (_what, event, says) => {
    const { status, body, call } = await deliver(fourVersions(), event);
    expect({ status, body, call }).toEqual({
      status: 422,
      body: { error: { code: 'migration_failed', message: expect.stringContaining(says) } },
      call: undefined,
    });
  });

  it('with invalid_config when the config has the version of the type', async () => {
    const event = { config: { disk: { gb: 900 }, labels: ['a'] }, schemaVersion: 4 };
    const { body } = await deliver(fourVersions(), event);
    expect(body).toMatchObject({ error: { code: 'invalid_config' } });
  });

  it('of a version without a migration', async () => {
    const { body } = await deliver(fourVersions(3), { config: { size: 3 } });
    expect(body).toMatchObject({
      error: {
        code: 'migration_failed',
        message: expect.stringMatching(
          /^The config of version 1 does not fit version 4 of type cart, and no migration leads there: disk/,
        ),
      },
    });
  });
});

it('passes what an earlier version left as it is, when its type is unknown', async () => {
  const calls: unknown[] = [];
  const shop = provider('shop');
  const cart = shop.resource('cart', {
    description: 'A cart',
    version: 2,
    config: z.object({ gb: z.int() }),
    outputs: z.object({ at: z.string() }),
    create: () => ({ at: '' }),
    update: (call) => {
      calls.push(call);
      return { at: '' };
    },
    delete: () => undefined,
  });
  const recording = { provider: shop.types(cart), calls: [] };
  const event = { type: 'UPDATE', config: { gb: 3 }, schemaVersion: 2 } as const;
  const left = { previousConfig: { size: 1 }, previousSchemaVersion: 1, outputs: { url: 'x' } };
  await deliver(recording, { ...event, ...left });
  expect(calls).toMatchObject([{ previousConfig: { size: 1 }, outputs: { url: 'x' } }]);
});

describe('for any stored values', () => {
  const word = fc.constantFrom('none', 'unmovable', 'disk://1', '');
  const number = fc.integer({ min: 0, max: 520 });
  const region = fc.constantFrom('eu', 'us', 'moon');
  const gb = fc.record({ gb: number });
  const configOf: readonly fc.Arbitrary<JsonObject>[] = [
    fc.record({ size: number }, { requiredKeys: [] }),
    fc.record({ sizeGb: number, label: word }, { requiredKeys: ['sizeGb'] }),
    fc.record({ disk: gb, label: word }),
    fc.record({ disk: gb, labels: fc.array(word) }),
  ];
  const located = fc.record({ url: word, region });
  const outputsOf: readonly fc.Arbitrary<JsonObject>[] = [
    fc.record({ url: word }),
    located,
    located,
    fc.record({ address: word, region }),
  ];
  /** Mostly what the version had, and at times what another one had, or a version that does not exist yet. */
  const storedOf = (of: readonly fc.Arbitrary<JsonObject>[]) =>
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.oneof(...of.map((each, at) => versioned(each, fc.constant(at + 1)))),
      },
      { weight: 1, arbitrary: versioned(fc.oneof(...of), fc.integer({ min: 1, max: 5 })) },
    );
  const versioned = (value: fc.Arbitrary<JsonObject>, version: fc.Arbitrary<number>) =>
    fc.record({ value, version });
  const stored = fc.record({
    type: fc.constantFrom('CREATE' as const, 'UPDATE' as const, 'DELETE' as const),
    config: storedOf(configOf),
    previous: fc.option(storedOf(configOf)),
    left: storedOf(outputsOf),
  });

  function requireNewest({ config, previousConfig = null, outputs: given = {} }: Received): void {
    expect(Config4.parse(config)).toEqual(config);
    if (previousConfig !== null) expect(Config4.parse(previousConfig)).toEqual(previousConfig);
    expect(Outputs4.partial().parse(given)).toEqual(given);
  }

  it('no handler receives one that does not fit the newest version', async () => {
    const seen = { called: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(stored, fc.constantFrom(1, 1, 2, 3), async (resource, oldest) => {
        const { type, config, previous, left } = resource;
        const { call, body } = await deliver(fourVersions(oldest), {
          type,
          config: config.value,
          schemaVersion: config.version,
          previousConfig: previous?.value ?? null,
          previousSchemaVersion: previous?.version ?? null,
          outputs: left.value,
          outputsSchemaVersion: left.version,
        });
        seen[call === undefined ? 'refused' : 'called'] += 1;
        if (call !== undefined) return requireNewest(call);
        const code = expect.stringMatching(/^(migration_failed|invalid_config)$/);
        expect(body).toMatchObject({ error: { code } });
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(seen.called, seen.refused)).toBeGreaterThan(200);
  });
});
