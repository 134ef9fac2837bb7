// What of a difference is recorded: bounded, and without secrets.
import { describe, expect, it, vi } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { type JsonObject, jsonBytes } from '../../../../src/lib/json.ts';
import {
  changedDrift,
  comparisonOf,
  type ExistsAnswer,
  goneDrift,
  isSameDrift,
  type SentContent,
} from '../../../../src/reconcilers/observation/drift.ts';
import { now, readyResource, secondsLater } from '../../../support/fixtures/builders.ts';
import {
  at,
  changed,
  found,
  gone,
  type ObservedShape,
} from '../../../support/fixtures/observation/observed-subjects.ts';

const schema = {
  type: 'object',
  properties: {
    password: { type: 'string', sensitive: true },
    tags: { uniqueItems: true },
    user: { properties: { token: { type: 'string', writeOnly: true } } },
  },
};

interface Given {
  readonly declared: JsonObject;
  readonly shape?: ObservedShape;
  readonly type?: object;
  readonly schemaVersion?: number;
}

function sentOf({
  declared,
  shape = {},
  type = { schema },
  schemaVersion = 1,
}: Given): SentContent {
  const resource = readyResource({
    ...shape,
    status: { appliedSecrets: [], ...shape.status },
    spec: { config: declared as Resource['spec']['config'], ...shape.spec },
  });
  return { resource, type: type as SentContent['type'], config: declared, schemaVersion };
}

async function recorded(given: Given, actual: JsonObject, more: Partial<ExistsAnswer> = {}) {
  const sent = sentOf(given);
  const answer = { ...found(actual), ...more };
  return await changedDrift(comparisonOf(sent, answer), {
    sent,
    found: answer,
    released: undefined,
    now,
  });
}

const changesOf = async (declared: JsonObject, actual: JsonObject, more?: Partial<ExistsAnswer>) =>
  (await recorded({ declared }, actual, more))?.changes;

describe('the record of a difference', () => {
  it('[I7] spells each secret once, however many changes there are', async () => {
    const password = Array.from({ length: 500 }, (_, index) => `secret-${index}`);
    const values = (value: string) =>
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`m${index}`, value]));
    const spelled = vi.spyOn(globalThis, 'encodeURIComponent');
    const drift = await recorded(
      { declared: { ...values('a'), password } },
      { ...values('b'), password },
    );
    expect(drift?.changes).toHaveLength(50);
    expect(spelled.mock.calls.length).toBeLessThanOrEqual(password.length);
    spelled.mockRestore();
  });

  it('has the values as JSON, in the order of their paths, and the counts', async () => {
    const declared = { z: 1, a: { b: null, c: 'x' }, kept: 1, unread: [1, 2] };
    const drift = await recorded({ declared }, { z: '1', a: { b: 0, c: 'y' }, kept: 1 });
    expect(drift).toEqual({
      since: now.toISOString(),
      kind: 'Changed',
      changes: [
        { path: '/a/b', declared: 'null', actual: '0' },
        { path: '/a/c', declared: '"x"', actual: '"y"' },
        { path: '/z', declared: '1', actual: '"1"' },
      ],
      ...{ total: 3, compared: 4, unknown: 1 },
    });
  });

  it('is none when nothing differs', async () => {
    expect(await recorded({ declared: { a: 1, tags: [1, 2] } }, { a: 1, tags: [2, 1] })).toBe(
      undefined,
    );
  });

  it('leaves out what the resource ignores', async () => {
    const shape = { spec: { observe: { ignore: ['/tags', '/a'] } } };
    const declared = { a: { b: 1 }, tags: [1], c: 1 };
    const drift = await recorded({ declared, shape }, { a: { b: 2 }, tags: [2], c: 2 });
    expect(drift).toMatchObject({ changes: [{ path: '/c' }], total: 1, compared: 1 });
  });

  it('has 50 changes at most, and the number of all', async () => {
    const config = (value: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${10 + index}`, value]));
    const drift = await recorded({ declared: config(1) }, config(2));
    expect([drift?.changes.length, drift?.total]).toEqual([50, 60]);
    expect(drift?.changes.at(-1)?.path).toBe('/f59');
  });

  it('has 16 KiB of changes at most', async () => {
    const config = (letter: string) =>
      Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`f${10 + index}`, letter.repeat(500)]),
      );
    const { changes = [], total } = (await recorded({ declared: config('a') }, config('b'))) ?? {};
    const bytes = changes.reduce((sum, each) => sum + jsonBytes(each), 0);
    expect(bytes).toBeLessThanOrEqual(16 * 1_024);
    expect(bytes).toBeGreaterThan(15 * 1_024);
    expect([changes.length < 40, total]).toEqual([true, 40]);
  });

  it('has values of 1 KiB at most, in bytes, and long names cut', async () => {
    const [fits, long] = ['x'.repeat(1_022), 'ä'.repeat(600)];
    expect(await changesOf({ a: fits, b: 1, c: long }, { a: 'y', b: long, c: 1 })).toEqual([
      { path: '/a', declared: JSON.stringify(fits), actual: '"y"' },
      { path: '/b' },
      { path: '/c' },
    ]);
    const name = 'n'.repeat(2_000);
    expect(await changesOf({ [name]: 1 }, { [name]: 2 })).toEqual([
      { path: `/${name}`.slice(0, 1_024) },
    ]);
  });
});

describe('a difference', () => {
  it.each<[string, ObservedShape['status'], string]>([
    ['is new without one before', {}, now.toISOString()],
    ['is as old as it was first observed', { drift: { ...changed, since: at(-9) } }, at(-9)],
    ['is new in what was gone', { drift: { ...gone, since: at(-9) } }, now.toISOString()],
  ])('%s', async (_name, status = {}, since) => {
    const drift = await recorded({ declared: { a: 1 }, shape: { status } }, { a: 2 });
    expect(drift?.since).toBe(since);
  });

  it('of an object that is gone has no values, and its own age', () => {
    const later = secondsLater(60);
    const goneSince = (drift: typeof changed) =>
      goneDrift(readyResource({ status: { drift } }), { released: undefined, now: later });
    expect(goneSince(changed)).toEqual({ ...gone, since: later.toISOString() });
    expect(goneSince(gone)).toEqual(gone);
  });

  it('has the release that it came after, as long as it stays', () => {
    const { resource } = sentOf({ declared: {} });
    const first = goneDrift(resource, { released: at(-5), now });
    expect(first.correctionsReleased).toBe(at(-5));
    const known = readyResource({ status: { drift: first } });
    const later = { released: at(9), now: secondsLater(60) };
    expect(goneDrift(known, later)).toEqual(first);
    const lost = readyResource({ status: { drift: { ...first, kind: 'Changed' } } });
    expect(goneDrift(lost, later)).toMatchObject({ correctionsReleased: at(9) });
  });

  it('is the same whenever it was observed, and another with other values or counts', () => {
    const others = [
      gone,
      undefined,
      { ...changed, total: 2 },
      { ...changed, compared: 3 },
      { ...changed, unknown: 1 },
      { ...changed, changes: [{ path: '/size', declared: '2', actual: '4' }] },
      { ...changed, changes: [{ path: '/size' }] },
    ];
    expect(isSameDrift(changed, { ...changed, since: at(5) })).toBe(true);
    expect(isSameDrift(undefined, undefined)).toBe(true);
    for (const other of others) expect(isSameDrift(changed, other)).toBe(false);
  });
});

describe('secrets', () => {
  const secret = 'correct horse battery';
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const shown = { path: '/a', declared: '"x"', actual: '"y"' };

  it('are not compared where a schema marks them, in both configs', async () => {
    const declared = { password: secret, user: { token: 'one' }, a: 'x' };
    const actual = { password: 'other', user: { token: 'two' }, a: 'y' };
    expect(await changesOf(declared, actual)).toEqual([shown]);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['a value that contains a marked place', { user: { token: 'x' } }, { user: 1 }, '/user'],
    ['an observed value that contains one', { user: 1 }, { user: { token: 'x' } }, '/user'],
    ['a secret of the config in another place', { password: secret, a: 1 }, { a: secret }, '/a'],
    ['a part of a text', { password: secret, a: 1 }, { a: `x ${secret} y` }, '/a'],
    ['a secret in a URL', { password: secret, a: 1 }, { a: encodeURIComponent(secret) }, '/a'],
    ['a name of a member', { password: secret, a: 1 }, { a: { [secret]: 1 } }, '/a'],
    ['an observed secret in another place', { a: 1 }, { a: secret, password: secret }, '/a'],
    ['a declared secret in another place', { password: secret, a: secret }, { a: 1 }, '/a'],
    ['something like a credential', { a: 1 }, { a: token }, '/a'],
    ['a URL with a password', { a: 'x' }, { a: 'postgres://me:hunter22@db/orders' }, '/a'],
    ['a private key', { a: 'x' }, { a: '-----BEGIN PRIVATE KEY-----\nabc' }, '/a'],
  ])('are omitted with both values: %s', async (_name, declared, actual, path) => {
    expect(await changesOf(declared, actual)).toEqual([{ path }]);
  });

  it('of the outputs are omitted', async () => {
    const type = { schema, outputsSchema: { properties: { key: { sensitive: true } } } };
    const outputs = { key: secret };
    const drift = await recorded({ declared: { a: 1 }, type }, { a: secret }, { outputs });
    expect(drift?.changes).toEqual([{ path: '/a' }]);
  });

  it('that were recorded with the config of the last success are omitted', async () => {
    const status = { appliedSecrets: ['/dsn', '/list/0'], receivedSecrets: ['/key'] };
    const declared = { dsn: secret, list: ['one-secret', 1], key: 'key-secret', a: 1, b: 1 };
    const actual = { dsn: 'x', list: ['y', 2], key: 'z', a: secret, b: 'has key-secret' };
    const drift = await recorded({ declared, shape: { status }, type: {} }, actual);
    expect(drift?.changes).toEqual([
      { path: '/a' },
      { path: '/b' },
      { path: '/list/1', declared: '1', actual: '2' },
    ]);
  });

  it('in names of the provider are masked', async () => {
    const declared = { schemaVersion: 2, declared: { [secret]: 1, [token]: { 'a/b~': 1 } } };
    const type = { schema, typeVersion: 2 };
    const actual = { [secret]: 2, [token]: { 'a/b~': 2 } };
    const drift = await recorded({ declared: { password: secret }, type }, actual, declared);
    expect(drift?.changes).toEqual([{ path: '/[masked]' }, { path: '/[masked]/a~1b~0' }]);
  });

  it('are none in a type without a schema, and everything in a type that is not known', async () => {
    const drift = await recorded({ declared: { a: 1 }, type: { schema: undefined } }, { a: 2 });
    expect(drift?.changes).toEqual([{ path: '/a', declared: '1', actual: '2' }]);
    const sent = { ...sentOf({ declared: { a: 1 } }), type: undefined };
    expect(comparisonOf(sent, found({ a: 2 }))).toEqual({ changes: [], compared: 0, unknown: 0 });
  });
});

describe('an answer in another version of the type', () => {
  const type = {
    typeVersion: 2,
    schema: { properties: { labels: { uniqueItems: true } } },
    earlierVersions: [{ typeVersion: 1, schema: { properties: { tags: { uniqueItems: true } } } }],
  };
  const compared = (more: Partial<ExistsAnswer>, config: JsonObject) =>
    comparisonOf(sentOf({ declared: { tags: [1, 2] }, type }), { ...found(config), ...more });

  it('is compared with the migrated config, by the schema of that version', () => {
    const migrated = { schemaVersion: 2, declared: { labels: [1, 2] } };
    expect(compared(migrated, { labels: [2, 1] })).toMatchObject({ changes: [], compared: 1 });
    expect(compared(migrated, { labels: [2, 3] })).toMatchObject({
      changes: [{ path: '/labels', declared: [1, 2] }],
    });
  });

  it('is compared by the schema of the version of the config without one', () => {
    for (const more of [{}, { schemaVersion: 1 }]) {
      expect(compared(more, { tags: [2, 1] })).toMatchObject({ changes: [], compared: 1 });
    }
  });

  it('is not compared when the config is not migrated: all is unknown', () => {
    expect(compared({ schemaVersion: 2 }, { tags: [3], labels: [1] })).toEqual({
      changes: [],
      ...{ compared: 0, unknown: 1 },
    });
  });
});

describe('a default that somebody changed', () => {
  const type = {
    schema: {
      properties: {
        public: { type: 'boolean', default: false },
        token: { type: 'string', default: 'none', sensitive: true },
      },
    },
  };
  const declared = { size: 1 };
  const actual = { size: 1, public: true, token: 'changed' };

  it('is a difference of a type that compares defaults, but for a secret', () => {
    const sent = sentOf({ declared, type: { ...type, compareDefaults: true } });
    expect(comparisonOf(sent, found(actual))).toEqual({
      changes: [{ path: '/public', declared: false, actual: true, isSecret: false }],
      compared: 2,
      unknown: 0,
    });
    expect(comparisonOf(sent, found({ size: 1 }))).toMatchObject({ changes: [], unknown: 1 });
  });

  it('is none of another type', () => {
    const sent = sentOf({ declared, type });
    expect(comparisonOf(sent, found(actual))).toEqual({ changes: [], compared: 1, unknown: 0 });
  });
});
