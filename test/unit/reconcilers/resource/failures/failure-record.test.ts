// Error messages of providers are shown to users, kubectl and metrics without secrets that the provider received.
import { describe, expect, it, vi } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { interpret } from '../../../../../src/events/answers.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';
import {
  maskedFailure,
  maskedLog,
  maskedText,
  receiptOf,
  secretPlaces,
} from '../../../../../src/reconcilers/resource/failures/failure-record.ts';
import { aResource, now } from '../../../../support/fixtures/builders.ts';

const schema: JsonObject = {
  properties: { name: { type: 'string' }, password: { type: 'string', writeOnly: true } },
};
const long = `correct-horse-battery-staple-${'x'.repeat(80)}`;

type Config = Resource['spec']['config'];

function sentWith(config: Config, applied: Config = {}) {
  return {
    resource: aResource({ spec: { config }, status: { appliedConfig: applied } }),
    schema,
    typeRegistered: true,
    resolution: { config: config as JsonObject, hash: undefined, unresolved: [] },
  };
}

const late = { kind: 'succeeded', outputs: {} } as const;

const source = sentWith(
  { name: 'orders', password: 'hunter22' },
  { name: 'orders', password: 'swordfish' },
);

const cases: Readonly<Record<string, readonly [code: string, message: string, object]>> = {
  'contains the message of the provider': [
    'refused',
    'orders is taken',
    { code: 'refused', error: 'refused: orders is taken' },
  ],
  'masks the secret of the sent config': [
    'refused',
    'hunter22 is too short',
    { error: 'refused: [masked] is too short' },
  ],
  'masks the secret of the previous config of an update': [
    'refused',
    'swordfish is no more',
    { error: 'refused: [masked] is no more' },
  ],
  'masks a credential of the provider itself': [
    'refused',
    'GET /v1 with Authorization: Bearer 3f9a0c1d2e4b, 401',
    { error: 'refused: GET /v1 with Authorization: [masked], 401' },
  ],
  'omits a code that is a secret': ['hunter22', '', { code: 'masked', error: 'masked: ' }],
  'omits a code that contains one': [
    'E_swordfish_1',
    'no',
    { code: 'masked', error: 'masked: no' },
  ],
};

describe('a failure', () => {
  it.each(Object.entries(cases))('%s', async (_name, [code, message, expected]) => {
    expect(await maskedFailure({ code, message }, source)).toMatchObject(expected);
  });

  it('omits a code that was cut within a secret', async () => {
    const body = Buffer.from(JSON.stringify({ error: { code: `E_${long}`, message: 'no' } }));
    const answer = interpret(
      { status: 422, body, retryAfter: undefined },
      { deleting: false, now },
    );
    const failed = answer.kind === 'failed' ? answer : { code: '', message: '' };
    expect(failed.code).toMatch(/^E_correct-horse/);
    const secret = sentWith({ password: long });
    expect(await maskedFailure(failed, secret)).toEqual({ code: 'masked', error: 'masked: no' });
  });

  it('of an unregistered type shows no sent value', async () => {
    const unknown = { ...source, schema: undefined, typeRegistered: false };
    const failure = { code: 'refused', message: 'orders and hunter22' };
    expect((await maskedFailure(failure, unknown)).error).toBe('refused: [masked] and [masked]');
  });

  it('of a type without a schema shows all', async () => {
    const open = { ...source, schema: undefined };
    expect((await maskedFailure({ code: 'a', message: 'hunter22' }, open)).error).toBe(
      'a: hunter22',
    );
  });
});

describe('the log of a failure', () => {
  const secret = sentWith({ password: long });
  const logs: Readonly<Record<string, readonly [lines: string[], want: string[], of: object]>> = {
    'keeps its lines': [['begins', 'ends'], ['begins', 'ends'], source],
    'masks secrets of configs': [
      ['sets hunter22', 'swordfish'],
      ['sets [masked]', '[masked]'],
      source,
    ],
    'masks a credential in each line': [
      ['token=3f9a0c1d2e4b', 'goes on'],
      ['token=[masked]', 'goes on'],
      source,
    ],
    'masks a key of several lines': [
      ['a', '-----BEGIN PRIVATE KEY-----', 'MIIE', '-----END PRIVATE KEY-----', 'b'],
      ['a', '[masked]', 'b'],
      source,
    ],
    'masks a secret at the end of a line that was cut': [
      [`sets ${long.slice(0, 40)}…`, 'goes on'],
      ['sets [masked]…', 'goes on'],
      secret,
    ],
    'masks a secret that was printed in several lines': [
      ['sets', 'first line', '  second line', 'ok'],
      ['sets', '[masked]', '  [masked]', 'ok'],
      sentWith({ password: 'first line\nsecond line\n' }),
    ],
    'keeps many lines': [
      Array.from({ length: 50 }, (_each, at) => `${at} ${'y'.repeat(300)}`),
      Array.from({ length: 50 }, (_each, at) => `${at} ${'y'.repeat(300)}`),
      source,
    ],
  };

  it.each(Object.entries(logs))('%s', async (_name, [lines, want, of]) => {
    expect(await maskedLog(lines, of as typeof source)).toEqual(want);
  });
});

it('[I7] a failure and its log spell each secret once for texts, lines and codes', async () => {
  const password = Array.from({ length: 200 }, (_, index) => `secret-${index}`);
  const source = sentWith({ password });
  const spelled = vi.spyOn(globalThis, 'encodeURIComponent');
  const failure = await maskedFailure({ code: 'refused', message: 'no secret-7 here' }, source);
  expect(failure.error).toBe('refused: no [masked] here');
  await maskedFailure({ code: 'refused', message: 'again' }, source);
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index} of secret-${index}`);
  expect((await maskedLog(lines, source)).join()).not.toContain('secret-');
  expect(spelled.mock.calls.length).toBeLessThanOrEqual(3 * password.length);
  spelled.mockRestore();
});

describe('secret outputs', () => {
  const outputsSchema = { properties: { token: { sensitive: true }, ip: { sensitive: true } } };
  const outputs = { token: 'tok-7c2e', ip: '10.1.2.3', id: 'db-1' };
  const config = { url: 'https://hunter22@db' };
  const received = { places: ['/url'], texts: ['hunter22'] };
  const using = {
    ...sentWith(config),
    resource: aResource({ spec: { config: { url: '' } }, status: { outputs } }),
    schema: {},
    schemas: { config: [{}], outputs: [outputsSchema], adopt: [] },
    received,
    changedImmutables: [],
  };

  it('are masked in errors, logs and messages', async () => {
    const text = 'tok-7c2e of 10.1.2.3, db-1, hunter22, https://hunter22@db';
    const want = '[masked] of [masked], db-1, [masked], [masked]';
    const failure = await maskedFailure({ code: 'tok-7c2e', message: text }, using);
    expect(failure).toEqual({ code: 'masked', error: `masked: ${want}` });
    expect(await maskedLog([text], using)).toEqual([want]);
    expect(await maskedText(text, using)).toBe(want);
  });

  it('are masked as they were sent, when other outputs have come since', async () => {
    const sent = { places: ['/url'], texts: ['swordfish'] };
    const unrecorded = { config: { url: 'swordfish at db' }, received: sent, answer: late };
    const text = 'swordfish and swordfish at db';
    expect(await maskedText(text, { ...using, unrecorded })).toBe('[masked] and [masked]');
  });

  it('are recorded as places with a success', () => {
    expect(secretPlaces({ config, outputs, received }, using)).toEqual({
      appliedSecrets: [],
      receivedSecrets: ['/url'],
      outputsSecrets: ['/token', '/ip'],
    });
  });

  it('are masked in a receipt, also while no version has the type', async () => {
    const recorded = aResource({ status: { outputs, outputsSecrets: ['/token', '/ip'] } });
    const known = await receiptOf(using as never, { reason: 'Forced', now });
    const unknown = { ...using, schema: undefined, typeRegistered: false, resource: recorded };
    for (const receipt of [known, await receiptOf(unknown as never, { reason: 'Forced', now })]) {
      expect(receipt.outputs).toEqual({ token: '[masked]', ip: '[masked]', id: 'db-1' });
    }
  });
});

it('a 202 of a provider shows no secret', async () => {
  expect(await maskedText('still setting hunter22', source)).toBe('still setting [masked]');
});

it('[K01] a receipt keeps the identifying outputs, and no password', async () => {
  const outputs = { url: 'postgres://orders:hunter22@db1:5432/orders', password: 'hunter22' };
  const { config } = source.resource.spec;
  const observed = {
    ...source,
    resource: aResource({ spec: { config }, status: { outputs } }),
    changedImmutables: [],
  } as unknown as Parameters<typeof receiptOf>[0];
  const receipt = await receiptOf(observed, { reason: 'Forced', now });
  expect(receipt.outputs).toEqual({ url: 'postgres://db1:5432', password: '[masked]' });
  expect(JSON.stringify(receipt)).not.toContain('hunter22');
  const unrecorded = { answer: { kind: 'succeeded', outputs: { id: 'db-2' } }, config: {} };
  const newer = await receiptOf({ ...observed, unrecorded } as typeof observed, {
    reason: 'Forced',
    now,
  });
  expect(newer.outputs).toEqual({ id: 'db-2' });
});
