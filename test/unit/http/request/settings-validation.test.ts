import { describe, expect, it } from 'vitest';
import { InvalidRequest, type Violation } from '../../../../src/domain/errors.ts';
import { settingsIn } from '../../../../src/domain/schemas/setting-schema.ts';
import { planSettings } from '../../../../src/http/request/settings-validation.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { SettingsRecord } from '../../../../src/store/providers/settings.ts';

const schema: JsonObject = {
  type: 'object',
  properties: {
    region: { type: 'string' },
    size: { type: 'integer' },
    token: { type: 'string', sensitive: true },
  },
  required: ['region', 'token'],
};
const declared = { schema, settings: settingsIn(schema) };
const entry = { setAt: '2026-01-01T00:00:00Z', setBy: 'ann' };
const record: SettingsRecord = {
  provider: 'shop',
  version: undefined,
  servingVersion: undefined,
  endpoint: undefined,
  secret: undefined,
  ownSecret: 'own',
  revision: 'r1',
  entries: [
    { name: 'region', sensitive: false, ...entry },
    { name: 'old', sensitive: true, ...entry },
  ],
  values: { region: 'here' },
};

const ann = { subject: 'ann', name: undefined };

async function plan(
  values: JsonObject,
  { isWhole = false, found = [] as Violation[], before = record } = {},
) {
  const schemas = { validate: () => Promise.resolve(found) };
  const wanted = { values, isWhole, by: ann, tenant: 'fl-acme' };
  return await planSettings(schemas, declared, { record: before, wanted }).catch(
    (thrown: unknown) => {
      if (thrown instanceof InvalidRequest) return thrown.violations;
      throw thrown;
    },
  );
}

describe('a change of settings', () => {
  it('sets what is given, and leaves the rest', async () => {
    expect(await plan({ size: 3, token: 'secret' })).toEqual({
      set: [
        { name: 'size', value: 3, sensitive: false, text: '3' },
        { name: 'token', value: 'secret', sensitive: true, text: 'secret' },
      ],
      remove: [],
      hide: [],
      by: ann,
    });
  });

  it('of all removes what is left out, also what only a broken write may have left', async () => {
    const change = await plan({ region: 'there', token: 'secret' }, { isWhole: true });
    expect(change).toMatchObject({ remove: ['size', 'old'] });
  });

  it('hides a recorded value that the version declares sensitive', async () => {
    const before = { ...record, values: { token: 'plain' } };
    expect(await plan({ size: 1 }, { before })).toMatchObject({ hide: ['token'] });
  });
});

describe('a change is rejected', () => {
  const canary = 'canary-4711';
  const at = (...loc: string[]) => ['body', 'values', ...loc];
  const violation = (loc: string[]): Violation => ({
    loc,
    msg: 'Input should be a valid string',
    type: 'string_type',
    input: canary,
    ctx: { canary },
  });
  const cases: Record<string, readonly [Parameters<typeof plan>, readonly Partial<Violation>[]]> = {
    'for unknown names, and lists the known ones': [
      [{ nothing: canary }],
      [{ loc: at('nothing'), msg: expect.stringContaining('region, size, token') }],
    ],
    'for required settings that a whole leaves out': [
      [{ size: 1 }, { isWhole: true }],
      [
        { loc: at('region'), msg: 'Field required', type: 'missing' },
        { loc: at('token'), msg: 'Field required', type: 'missing' },
      ],
    ],
    'for a value that is too long': [
      [{ token: 'x'.repeat(65_537) }],
      [{ loc: at('token'), msg: expect.stringContaining('65536 bytes') }],
    ],
    'without repeating a sensitive value or names inside it': [
      [{ token: canary }, { found: [violation(['token', canary])] }],
      [{ loc: at('token') }],
    ],
  };
  it.each(Object.entries(cases))('%s', async (_name, [given, violations]) => {
    const found = await plan(...given);
    expect(found).toMatchObject(violations);
    expect(JSON.stringify(found)).not.toContain(canary);
  });

  it('and repeats a value that is not sensitive', async () => {
    const found = await plan({ region: canary }, { found: [violation(['region'])] });
    expect(found).toMatchObject([{ loc: at('region'), input: canary }]);
  });
});
