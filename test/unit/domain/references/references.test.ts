// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearSentence, nearTarget } from '../../../../src/domain/references/near-reference.ts';
import {
  dependenciesOf,
  maxReferencedBytes,
  nearReferencesIn,
  referencesIn,
  resolveReferences,
  withoutReferenced,
} from '../../../../src/domain/references/references.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';

const outputs: JsonObject = {
  host: 'db.internal',
  port: 5432,
  tls: true,
  nothing: null,
  tags: ['a', { deep: 'b' }],
  auth: { user: 'u', 'user-name': 'v', outputs: { x: 'nested' } },
  trick: '${pg/db/orders.outputs.host}',
  'tls.crt': 'certificate',
  big: 'x'.repeat(300_000),
};
const ofOrders = ({ name }: { name: string }) => (name.startsWith('orders') ? outputs : undefined);
const resolved = (value: JsonValue) => resolveReferences({ value }, ofOrders).config['value'];

const kept = {
  'a whole string takes a string': ['${pg/db/orders.outputs.host}', 'db.internal'],
  'a whole string takes a number as a number': ['${pg/db/orders.outputs.port}', 5432],
  'a whole string takes a boolean as a boolean': ['${pg/db/orders.outputs.tls}', true],
  'a whole string takes null': ['${pg/db/orders.outputs.nothing}', null],
  'a whole string takes an array': ['${pg/db/orders.outputs.tags}', outputs['tags']],
  'a number in the path counts in an array': ['${pg/db/orders.outputs.tags.1.deep}', 'b'],
  'a path goes down objects': ['${pg/db/orders.outputs.auth.user-name}', 'v'],
  'the first .outputs. ends the name': ['${pg/db/orders.outputs.auth.outputs.x}', 'nested'],
  'a name may have dots': ['${pg/db/orders.v2.outputs.host}', 'db.internal'],
  'longer text takes strings and numbers': [
    'postgres://${pg/db/orders.outputs.host}:${pg/db/orders.outputs.port}/?tls=${pg/db/orders.outputs.tls}',
    'postgres://db.internal:5432/?tls=true',
  ],
  'a name with dots stands in brackets': ['${pg/db/orders.outputs["tls.crt"]}', 'certificate'],
  'a name in brackets may be anywhere in longer text': [
    '-${pg/db/orders.outputs.auth["user-name"]}${pg/db/orders.outputs["tags"].0}',
    '-va',
  ],
  'an escape of what is nearly a reference': [
    '$${ pg/db/orders.output.host }',
    '${ pg/db/orders.output.host }',
  ],
  'a space makes it longer text': [' ${pg/db/orders.outputs.port}', ' 5432'],
  'an escape is the text without its first dollar': [
    '$${pg/db/orders.outputs.host}',
    '${pg/db/orders.outputs.host}',
  ],
  'only the last two dollars escape': [
    '$$${pg/db/orders.outputs.host}',
    '$${pg/db/orders.outputs.host}',
  ],
  'a value is not read for references': [
    '${pg/db/orders.outputs.trick}',
    '${pg/db/orders.outputs.host}',
  ],
  'a value is not joined with what is around it to a reference': [
    '$${pg/db/orders.outputs.trick}${pg/db/orders.outputs.trick}',
    '${pg/db/orders.outputs.trick}${pg/db/orders.outputs.host}',
  ],
  'a shell variable is text': ['${HOME}', '${HOME}'],
  'an escaped shell variable is text as it is': ['$${HOME}', '$${HOME}'],
  'a provider in capitals is text': [
    '${PG/db/orders.outputs.host}',
    '${PG/db/orders.outputs.host}',
  ],
  'no path is text': ['${pg/db/orders.outputs.}', '${pg/db/orders.outputs.}'],
  'other brackets are text': [
    "${pg/db/orders.outputs[0]}${pg/db/orders.outputs['a']}${pg/db/orders.outputs[\"a}",
    "${pg/db/orders.outputs[0]}${pg/db/orders.outputs['a']}${pg/db/orders.outputs[\"a}",
  ],
  'a name in brackets that is no JSON string is text': [
    '${pg/db/orders.outputs["\\x"]}',
    '${pg/db/orders.outputs["\\x"]}',
  ],
  'an empty segment is text': ['${pg/db/orders.outputs.a..b}', '${pg/db/orders.outputs.a..b}'],
  'spaces inside are text': ['${ pg/db/orders.outputs.host }', '${ pg/db/orders.outputs.host }'],
  'no outputs is text': ['${pg/db/orders.config.host}', '${pg/db/orders.config.host}'],
  'two parts are text': ['${pg/orders.outputs.host}', '${pg/orders.outputs.host}'],
  'an open brace is text': ['${pg/db/orders.outputs.host', '${pg/db/orders.outputs.host'],
  'the inner one of two counts': ['${x${pg/db/orders.outputs.port}}', '${x5432}'],
} satisfies Record<string, [string, unknown]>;

it.each(Object.entries(kept))('resolves: %s', (_name, [text, want]) => {
  expect(resolved(text)).toEqual(want);
  expect(resolveReferences({ value: text }, ofOrders).unresolved).toEqual([]);
});

const impossible = {
  'an output that is not there': '${pg/db/orders.outputs.missing}',
  'a resource that has no outputs': '${pg/db/other.outputs.host}',
  'an object in longer text': 'x${pg/db/orders.outputs.auth}',
  'an array in longer text': 'x${pg/db/orders.outputs.tags}',
  'null in longer text': 'x${pg/db/orders.outputs.nothing}',
  'what every object inherits': '${pg/db/orders.outputs.constructor}',
  'the prototype': '${pg/db/orders.outputs.__proto__}',
  'the length of a string': '${pg/db/orders.outputs.tags.length}',
  'an index beyond the end': '${pg/db/orders.outputs.tags.2}',
  'an index with a zero before it': '${pg/db/orders.outputs.tags.01}',
  'a path through a string': '${pg/db/orders.outputs.host.0}',
  'one of two': '${pg/db/orders.outputs.host}${pg/db/orders.outputs.missing}',
};

it.each(Object.entries(impossible))('leaves unresolved: %s', (_name, text) => {
  const { config, unresolved } = resolveReferences({ value: [text] }, ofOrders);
  expect(config).toEqual({ value: [text] });
  expect(unresolved).toMatchObject([{ at: ['value', 0] }]);
});

it('reports the positions of references in text order, and ignores keys', () => {
  const config = {
    '${pg/db/key.outputs.x}': 1,
    list: ['${pg/db/a.outputs.x}', { inner: 'and ${pg/db/b.outputs.y.0}${pg/db/c.outputs.z}' }],
    last: '$${pg/db/d.outputs.x}',
  };
  const found = referencesIn(config).map(({ to, path, at, text, isWhole }) => {
    return { to, path, at, text, isWhole };
  });
  expect(found).toEqual([
    {
      to: { provider: 'pg', resource: 'db', name: 'a' },
      path: ['x'],
      at: ['list', 0],
      text: '${pg/db/a.outputs.x}',
      isWhole: true,
    },
    {
      to: { provider: 'pg', resource: 'db', name: 'b' },
      path: ['y', '0'],
      at: ['list', 1, 'inner'],
      text: '${pg/db/b.outputs.y.0}',
      isWhole: false,
    },
    {
      to: { provider: 'pg', resource: 'db', name: 'c' },
      path: ['z'],
      at: ['list', 1, 'inner'],
      text: '${pg/db/c.outputs.z}',
      isWhole: false,
    },
  ]);
});

const nearly: Record<string, [body: string, right: string]> = {
  'an index in brackets': ['a/b/c.outputs.hosts[0]', '${a/b/c.outputs.hosts.0}'],
  'a name in single quotes': ["a/b/c.outputs['tls.crt']", '${a/b/c.outputs["tls.crt"]}'],
  'spaces around it': [' a/b/c.outputs.hosts ', '${a/b/c.outputs.hosts}'],
  'a misspelt word': ['a/b/c.v2.output.tls.crt', '${a/b/c.v2.outputs.tls.crt}'],
  'no outputs': ['a/b/c.url', '${a/b/c.outputs.url}'],
  'a resource alone': ['a/b/c', '${a/b/c.outputs.NAME}'],
  'an output that there is not': ['a/b/c.no', '${a/b/c.outputs.NAME}'],
  'spaces in it': ['a/b/c . outputs', '${provider/type/name.outputs.NAME}'],
};

it.each(Object.entries(nearly))('reads what is nearly a reference: %s', (_name, [body, right]) => {
  const [near] = nearReferencesIn({ list: ['x', `-\${${body}}`], escaped: `$\${${body}}` });
  expect(near).toMatchObject({ body, at: ['list', 1], isWhole: false });
  const { type, meant } = nearTarget(body) ?? {};
  expect(type).toEqual({ provider: 'a', resource: 'b' });
  expect(nearSentence('${x}', meant, ({ path }) => path[0] !== 'no')).toBe(
    `\${x} is not a reference; write ${right}, or $\${x} for the text as it is`,
  );
});

it('counts a dependency once, declared or referenced', () => {
  const a = { provider: 'pg', resource: 'db', name: 'a' };
  const b = { provider: 'pg', resource: 'db', name: 'b' };
  const config = { x: '${pg/db/a.outputs.x}', y: '${pg/db/b.outputs.x}${pg/db/b.outputs.y}' };
  expect(dependenciesOf({ dependencies: [a], config })).toEqual([a, b]);
  expect(dependenciesOf({ config: {} })).toEqual([]);
});

describe('the hash of what was used', () => {
  const hashOf = (config: JsonObject, found: JsonObject = outputs) =>
    resolveReferences(config, () => found).hash;

  it('exists only when an output was used', () => {
    expect(hashOf({ a: '${HOME}', b: '$${pg/db/orders.outputs.host}' })).toBeUndefined();
    expect(hashOf({ a: '${pg/db/orders.outputs.missing}' })).toBeUndefined();
    expect(hashOf({ a: '${pg/db/orders.outputs.host}' })).toMatch(/^[0-9a-f]{32}$/);
  });

  it('changes with the value, and with no other output', () => {
    const config = { a: '${pg/db/orders.outputs.host}' };
    expect(hashOf(config)).not.toBe(hashOf(config, { ...outputs, host: 'elsewhere' }));
    expect(hashOf(config)).toBe(hashOf(config, { ...outputs, port: 1 }));
  });

  it('distinguishes a number from its text', () => {
    const config = { a: '${pg/db/orders.outputs.host}' };
    expect(hashOf(config, { host: 1 })).not.toBe(hashOf(config, { host: '1' }));
  });
});

it('leaves references unresolved that would make a config too large', () => {
  const text = '${pg/db/orders.outputs.big}';
  const { config, unresolved } = resolveReferences({ list: Array(10).fill(text) }, ofOrders);
  const fitting = Math.floor(maxReferencedBytes / 300_002);
  expect(unresolved).toHaveLength(10 - fitting);
  expect((config['list'] as string[]).filter((each) => each === text)).toHaveLength(10 - fitting);
});

it('never modifies the given config or a prototype', () => {
  const config = JSON.parse('{"__proto__":{"x":"${pg/db/orders.outputs.auth}"},"kept":{"a":1}}');
  const before = JSON.stringify(config);
  const { config: after } = resolveReferences(config, ofOrders);
  expect(JSON.stringify(config)).toBe(before);
  expect(JSON.stringify(after)).toBe(
    `{"__proto__":{"x":${JSON.stringify(outputs['auth'])}},"kept":{"a":1}}`,
  );
  expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
});

it('drops violations of a value that is a reference only', () => {
  const config = { union: { kind: 'a', port: '${pg/db/a.outputs.port}' }, plain: { kind: 'a' } };
  const at = (type: string, ...loc: string[]) => ({ loc, msg: 'm', type });
  const kept = [at('missing', 'union', 'size'), at('value_error', 'plain'), at('x', 'union')];
  expect(withoutReferenced([...kept, at('value_error', 'union')], config)).toEqual(kept);
});

it('drops violations at a reference and under it, and keeps the others', () => {
  const config = { port: '${pg/db/a.outputs.port}', list: ['x ${pg/db/a.outputs.y}', 'plain'] };
  const at = (...loc: (string | number)[]) => ({ loc, msg: 'm', type: 't' });
  const kept = [at(), at('list'), at('list', 1), at('missing'), at('toString'), at('list', 9)];
  const dropped = [at('port'), at('port', 'deeper'), at('list', 0)];
  expect(withoutReferenced([...dropped, ...kept], config)).toEqual(kept);
});

const fragment = fc.constantFrom(
  '$',
  '{',
  '}',
  '${',
  '$${',
  'pg/db/orders',
  '.outputs.',
  'host',
  '${pg/db/orders.outputs.host}',
  '/',
  'x',
  '["tls.crt"]',
);
const text = fc.oneof(
  fc.string(),
  fc.array(fragment, { maxLength: 12 }).map((all) => all.join('')),
);
const { value: anyJson } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
  ),
}));
const anyConfig = fc.dictionary(text, anyJson, { maxKeys: 4 });

it('never throws, and resolves or reports every reference', () => {
  fc.assert(
    fc.property(anyConfig, (config) => {
      const all = referencesIn(config);
      const none = resolveReferences(config, () => undefined);
      expect(none.unresolved.map((each) => each.text)).toEqual(all.map((each) => each.text));
      expect(resolveReferences(config, ofOrders).unresolved).toEqual([]);
    }),
  );
});

it('leaves a config without references and escapes as it is', () => {
  fc.assert(
    fc.property(anyConfig, (config) => {
      const plain = JSON.parse(JSON.stringify(config).replaceAll('pg/', 'pg.'));
      expect(JSON.stringify(resolveReferences(plain, ofOrders).config)).toBe(JSON.stringify(plain));
    }),
  );
});

it('restores any escaped text', () => {
  const reference = '${pg/db/orders.outputs.host}';
  fc.assert(
    fc.property(text, text, (before, after) => {
      const clean = (each: string) => each.replaceAll(/[${}]/g, '');
      const value = `${clean(before)}$${reference}${clean(after)}`;
      expect(resolved(value)).toBe(`${clean(before)}${reference}${clean(after)}`);
    }),
  );
});

it('takes linear time, and constant stack', () => {
  const began = performance.now();
  const hostile = {
    ...{ a: '${'.repeat(100_000), b: '${a/b/'.repeat(50_000), c: '$'.repeat(200_000) },
    d: `\${a/b/c${'.outputs'.repeat(30_000)}/}`,
    e: `\${a/b/c.outputs${'["'.repeat(60_000)}}`,
    f: `\${a/b/c${' '.repeat(200_000)}.}`,
  };
  expect(referencesIn(hostile)).toHaveLength(0);
  for (const { body } of nearReferencesIn(hostile)) expect(nearTarget(body)).toBeDefined();
  let deep: JsonValue = '${pg/db/orders.outputs.port}';
  for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
  const [only] = referencesIn({ deep });
  expect(only?.at).toHaveLength(20_001);
  expect(resolveReferences({ deep }, ofOrders).unresolved).toEqual([]);
  expect(performance.now() - began).toBeLessThan(2_000);
});
