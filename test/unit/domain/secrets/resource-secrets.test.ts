// What viewers do not see of a record: null in the place of secrets, and their paths.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveReferences } from '../../../../src/domain/references/references.ts';
import { marksSecrets } from '../../../../src/domain/secrets/marks.ts';
import { createSecretMask } from '../../../../src/domain/secrets/mask-text.ts';
import { outputSecrets, receivedSecrets } from '../../../../src/domain/secrets/received-secrets.ts';
import {
  marksOfResource,
  placesToRecord,
  type RecordedSecrets,
  secretTexts,
  withoutMarked,
  withoutSecrets,
} from '../../../../src/domain/secrets/resource-secrets.ts';
import { configOnly, typeSchemas } from '../../../../src/domain/secrets/type-schemas.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const secret = { type: 'string', sensitive: true };
const schema: JsonObject = {
  type: 'object',
  properties: {
    password: secret,
    users: { type: 'array', items: { properties: { 'a/b~c': { writeOnly: true } } } },
    size: { type: 'integer' },
  },
};

interface Case {
  readonly reason: string;
  readonly schema: JsonObject | undefined;
  readonly config: JsonObject;
  readonly outputs?: JsonObject;
  readonly want: { config: JsonObject; outputs?: JsonObject; masked: readonly string[] };
}

const cases: Record<string, Case> = {
  'hides marked values, and names them': {
    reason: 'the rest stays readable',
    schema,
    config: { password: 'hunter2', users: [{ 'a/b~c': 1, name: 'ada' }], size: 3 },
    want: {
      config: { password: null, users: [{ 'a/b~c': null, name: 'ada' }], size: 3 },
      masked: ['/config/password', '/config/users/0/a~1b~0c'],
    },
  },
  'hides a marked value that is null': {
    reason: 'null in the record must not show that there is no secret',
    schema,
    config: { password: null },
    want: { config: { password: null }, masked: ['/config/password'] },
  },
  'hides outputs in the place of a marked field': {
    reason: 'a provider returns the password that it made up under the name of the field',
    schema,
    config: {},
    outputs: { password: 'made-up', host: 'db' },
    want: { config: {}, outputs: { password: null, host: 'db' }, masked: ['/outputs/password'] },
  },
  'hides outputs that contain a secret of the config': {
    reason: 'connection strings contain the password, encoded',
    schema,
    config: { password: 'p@ss word' },
    outputs: { url: 'postgres://a:p%40ss%20word@db', list: ['p@ss word', 'x'] },
    want: {
      config: { password: null },
      outputs: { url: null, list: [null, 'x'] },
      masked: ['/config/password', '/outputs/url', '/outputs/list/0'],
    },
  },
  'hides nothing of a type that marks nothing': {
    reason: 'most types',
    schema: { type: 'object' },
    config: { password: 'visible' },
    want: { config: { password: 'visible' }, masked: [] },
  },
  'hides everything of an unknown type': {
    reason: 'its secrets are unknown',
    schema: undefined,
    config: { a: { b: 1 } },
    outputs: { c: 1 },
    want: { config: { a: null }, outputs: { c: null }, masked: ['/config/a', '/outputs/c'] },
  },
  'hides a config with too many secrets whole': {
    reason: 'the paths would be longer than the record',
    schema: { properties: { users: { items: secret } } },
    config: { users: Array.from({ length: 300 }, () => 'x') },
    want: { config: {}, masked: ['/config'] },
  },
  'looks for many secrets in many texts': {
    reason: 'the time is linear in both',
    schema: { properties: { users: { items: secret } } },
    config: { users: Array.from({ length: 150 }, (_, n) => `secret-${n}`) },
    outputs: Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`o${n}`, 'text'])),
    want: {
      config: { users: Array.from({ length: 150 }, () => null) },
      masked: Array.from({ length: 150 }, (_, n) => `/config/users/${n}`),
    },
  },
  'hides every text of outputs for more secrets than are looked for': {
    reason: 'as in an attack',
    schema: { properties: { users: { items: secret } } },
    config: { users: Array.from({ length: 4_001 }, (_, n) => `secret-${n}`) },
    outputs: { url: 'harmless', size: 2 },
    want: { config: {}, outputs: { url: null, size: 2 }, masked: ['/config', '/outputs/url'] },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, schema: given, want, ...contents }) => {
  const { config, outputs = {} } = contents;
  const expected = { outputs, ...want };
  expect(withoutMarked({ config, outputs }, configOnly(given)), reason).toEqual(expected);
});

it('returns the same objects when nothing is marked, so that a list costs nothing', () => {
  const contents = { config: { a: 1 }, outputs: {} };
  expect(withoutMarked(contents, configOnly({ type: 'object' })).config).toBe(contents.config);
});

it.each([
  [{ properties: { a: { allOf: [{ format: 'password' }] } } }, true],
  [{ $defs: { a: { writeOnly: true } } }, true],
  [{ properties: { writeOnly: { type: 'boolean' } } }, false],
] as const)('finds marks anywhere in %j: %s', (given, marked) => {
  expect(marksSecrets(given)).toBe(marked);
});

interface RecordedCase extends Omit<Case, 'reason'> {
  readonly secrets: RecordedSecrets;
}

const declaredBefore: RecordedSecrets = {
  appliedConfig: undefined,
  declared: ['/old'],
  applied: undefined,
};
const recorded: Record<string, RecordedCase> = {
  'a place that an earlier schema marked': {
    schema,
    config: { old: 'canary', size: 1 },
    secrets: declaredBefore,
    want: { config: { old: null, size: 1 }, masked: ['/config/old'] },
  },
  'the same under a schema that marks nothing': {
    schema: {},
    config: { old: 'canary', size: 1 },
    secrets: declaredBefore,
    want: { config: { old: null, size: 1 }, masked: ['/config/old'] },
  },
  'what the schema does not describe, when nobody recorded what was secret': {
    schema,
    config: { size: 1, other: 'canary', users: [{ name: 'canary' }] },
    secrets: { ...declaredBefore, declared: undefined },
    want: {
      config: { size: 1, other: null, users: [{ name: null }] },
      masked: ['/config/other', '/config/users/0/name'],
    },
  },
  'outputs with a secret of the applied config': {
    schema,
    config: { password: 'newer' },
    outputs: { url: 'pg://x:canary@db', host: 'db' },
    secrets: { appliedConfig: { password: 'canary' }, declared: [], applied: [] },
    want: {
      config: { password: null },
      outputs: { url: null, host: 'db' },
      masked: ['/config/password', '/outputs/url'],
    },
  },
  'outputs with a secret of the applied config by the marks of its time': {
    schema,
    config: { size: 1 },
    outputs: { url: 'pg://x:canary@db' },
    secrets: { appliedConfig: { old: 'canary' }, declared: [], applied: ['/old'] },
    want: { config: { size: 1 }, outputs: { url: null }, masked: ['/outputs/url'] },
  },
  'all texts of outputs while the applied config is unknown': {
    schema,
    config: { password: 'newer' },
    outputs: { url: 'pg://x:canary@db', port: 5432 },
    secrets: { appliedConfig: undefined, declared: [], applied: undefined },
    want: {
      config: { password: null },
      outputs: { url: null, port: 5432 },
      masked: ['/config/password', '/outputs/url'],
    },
  },
  'numbers that contain a secret': {
    schema: { properties: { pin: { writeOnly: true } } },
    config: { pin: 482_913 },
    outputs: { note: 'pin 482913', other: 482_913, size: 17 },
    secrets: { appliedConfig: { pin: 482_913 }, declared: [], applied: [] },
    want: {
      config: { pin: null },
      outputs: { note: null, other: null, size: 17 },
      masked: ['/config/pin', '/outputs/note', '/outputs/other'],
    },
  },
};

describe('a stored resource hides', () => {
  it.each(Object.entries(recorded))(
    '[K26] %s',
    (_name, { schema: given, want, secrets, ...parts }) => {
      const { config, outputs = {} } = parts;
      expect(withoutSecrets({ config, outputs, secrets }, configOnly(given))).toEqual({
        outputs,
        ...want,
      });
    },
  );
});

it('hides what comes after a member without a value', () => {
  const config = { absent: undefined, password: 'canary', list: [undefined, { key: 'canary' }] };
  const marked = configOnly({
    properties: { password: secret, list: { items: { properties: { key: secret } } } },
  });
  const shown = withoutMarked({ config: config as never, outputs: {} }, marked);
  expect(shown.masked).toEqual(['/config/password', '/config/list/1/key']);
});

it('visits no more of a config once its secrets are too many to name', () => {
  let reads = 0;
  const read = () => {
    reads += 1;
    return 'secret';
  };
  const names = Array.from({ length: 5_000 }, (_, at) => `m${at}`);
  const config = Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { get: read, enumerable: true }])),
  );
  const marked = configOnly({ additionalProperties: secret });
  const shown = withoutMarked({ config, outputs: {} }, marked);
  expect(shown).toMatchObject({ config: {}, masked: ['/config'] });
  expect(reads).toBeLessThan(250);
});

describe('nothing that is shown or stored elsewhere', () => {
  /** Names of members, and whether the schema of a time marks them. */
  const members = ['a', 'b', 'c', 'd'] as const;
  const marks = fc.record({ a: fc.boolean(), b: fc.boolean(), c: fc.boolean(), d: fc.boolean() });
  const value = fc.oneof(
    fc.stringMatching(/^[g-z]{8,20}$/),
    fc.integer({ min: 100_000, max: 999_999_999 }),
  );
  const config = fc.dictionary(fc.constantFrom(...members), value);
  const schemaFor = (marked: Record<(typeof members)[number], boolean>): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(members.map((name) => [name, { writeOnly: marked[name] }])),
  });
  const isText = (each: unknown): each is string | number => each !== undefined;

  it('[K26] has a value that was marked when it was applied, or is marked now', () => {
    fc.assert(
      fc.property(
        marks,
        marks,
        marks,
        config,
        config,
        (now, then, atSuccess, declared, applied) => {
          const schemaNow = configOnly(schemaFor(now));
          const plain = { appliedConfig: undefined, declared: [], applied: [] };
          const placesAt = (of: JsonObject, by: typeof now) =>
            placesToRecord(of, marksOfResource(plain, configOnly(schemaFor(by))).config);
          const secrets: RecordedSecrets = {
            appliedConfig: applied,
            declared: placesAt(declared, then),
            applied: placesAt(applied, atSuccess),
          };
          const planted = members.flatMap((name) => [
            ...(now[name] || then[name] ? [declared[name]] : []),
            ...(now[name] || atSuccess[name] ? [applied[name]] : []),
          ]);
          const outputs = {
            list: planted.filter(isText),
            url: planted.map((each) => `x:${each}@db`).join(' '),
          };
          const shown = withoutSecrets({ config: declared, outputs, secrets }, schemaNow);
          const texts = secretTexts({ config: declared, outputs, secrets }, schemaNow);
          const error = createSecretMask(texts).text(`failed with ${planted.join(', ')}`);
          const places = members.filter((name) => now[name] || then[name]);
          for (const name of places) expect(shown.config[name] ?? null).toBeNull();
          const elsewhere = `${JSON.stringify(shown.outputs)} ${error}`;
          for (const each of planted.filter(isText)) expect(elsewhere).not.toContain(`${each}`);
        },
      ),
    );
  });

  it('has an output that its schema, an earlier one or a record marks, nor what a reference made of it', () => {
    fc.assert(
      fc.property(marks, marks, marks, config, (now, earlier, returned, outputs) => {
        const isMarked = (name: (typeof members)[number]) =>
          now[name] || earlier[name] || returned[name];
        const planted = members.filter(isMarked).map((name) => outputs[name]);
        const schemas = typeSchemas({
          schema: {},
          outputsSchema: schemaFor(now),
          earlierVersions: [{ outputsSchema: schemaFor(earlier) }],
        });
        const secrets: RecordedSecrets = {
          ...{ appliedConfig: {}, declared: [], applied: [] },
          returned: members.filter((name) => returned[name]).map((name) => `/${name}`),
        };
        const note = planted.map((each) => `x:${each}@db`).join(' ');
        const producer = { config: {}, outputs: { ...outputs, note }, secrets };
        const shown = withoutSecrets(producer, schemas);
        for (const name of members.filter(isMarked)) {
          expect(shown.outputs[name] ?? null).toBeNull();
        }

        const references = Object.keys(outputs).map((name, index) => {
          const reference = `\${db/db/one.outputs.${name}}`;
          return [name, index % 2 === 0 ? reference : `pg://${reference}@db`];
        });
        const declared: JsonObject = Object.fromEntries(references);
        const received = receivedSecrets(declared, () => outputSecrets(producer, schemas));
        const { config: sent } = resolveReferences(declared, () => producer.outputs);
        const none = { appliedConfig: undefined, declared: [], applied: [] };
        const first = { config: sent, outputs: {}, secrets: none };
        const texts = secretTexts(first, configOnly({}), received);
        const error = createSecretMask(texts).text(
          `failed with ${note} and ${JSON.stringify(sent)}`,
        );

        // Recorded with the success, and the schema of the other type may be gone by then.
        const after = { ...none, appliedConfig: sent, received: received.places };
        const echo = { list: planted.filter(isText).map((each) => `pg://${each}@db`), ...sent };
        const consumer = withoutSecrets(
          { config: declared, outputs: echo, secrets: after },
          configOnly({}),
        );
        expect(consumer.config).toEqual(declared);
        const elsewhere = `${JSON.stringify([shown.outputs, consumer.outputs])} ${error}`;
        for (const each of planted.filter(isText)) expect(elsewhere).not.toContain(`${each}`);
      }),
    );
  });
});
