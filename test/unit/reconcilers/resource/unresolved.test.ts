import { expect, it } from 'vitest';
import { resolveReferences } from '../../../../src/domain/references/references.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { explainUnresolved } from '../../../../src/reconcilers/resource/unresolved.ts';

const outputs = {
  user: 'u',
  host: 'h',
  db: { port: 5_432, host: 'h' },
  tags: ['a'],
  big: 'x'.repeat(600_000),
} as const;

const reference = (path: string) => `\${postgres/role/seller.outputs.${path}}`;

const cases: Record<string, [config: JsonObject, given: JsonObject | undefined, want: string]> = {
  'a mistyped output, with the existing ones': [
    { user: reference('usr') },
    { user: 'u', host: 'h' },
    'postgres/role/seller has no output "usr"; it has host, user',
  ],
  'a part of an output, with its parts': [
    { port: reference('db.prt') },
    outputs,
    'postgres/role/seller has no output "db.prt"; it has db.host, db.port',
  ],
  'an output with dots, with the form for it': [
    { crt: reference('tls.crt'), key: reference('["tls.kez"]').replace('.[', '[') },
    { 'tls.crt': 'c' },
    'postgres/role/seller has no output "tls.crt"; it has outputs["tls.crt"]. postgres/role/seller has no output outputs["tls.kez"]; it has outputs["tls.crt"]',
  ],
  'a resource without outputs': [
    { user: reference('user') },
    undefined,
    'postgres/role/seller has no output "user"; it has none',
  ],
  'a value that is not a string inside of text': [
    { url: `pg://${reference('db')}` },
    outputs,
    'The output "db" of postgres/role/seller is not a string, number or boolean and cannot be inserted into a string; make the reference the whole value, or refer to a part of it',
  ],
  'values that are too large together': [
    { one: reference('big'), two: `${reference('big')}` },
    outputs,
    'The outputs that the config refers to exceed 1048576 bytes in total; refer to fewer or smaller ones',
  ],
  'each cause once': [
    { one: reference('usr'), two: reference('usr'), three: `-${reference('tags')}` },
    { tags: [] },
    'postgres/role/seller has no output "usr"; it has tags. The output "tags" of postgres/role/seller is not a string, number or boolean and cannot be inserted into a string; make the reference the whole value, or refer to a part of it',
  ],
};

it.each(Object.entries(cases))('names %s', (_name, [config, given, want]) => {
  const { unresolved } = resolveReferences(config, () => given);
  expect(explainUnresolved(unresolved)).toBe(want);
});

it('says that outputs have an earlier version of their type', () => {
  const { unresolved } = resolveReferences({ user: reference('usr') }, () => ({ user: 'u' }));
  const earlier = new Map([['postgres/role/seller', { version: 1, serving: 2 }]]);
  expect(explainUnresolved(unresolved, earlier)).toBe(
    'postgres/role/seller has no output "usr"; it has user. Its outputs have version 1 of the type, and version 2 serves: they change with the next success of the resource',
  );
});

it('is bounded for any names', () => {
  const config = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`k${index}`, reference(`missing${index}`)]),
  );
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`${'n'.repeat(500)}${index}`, 1]),
  );
  const explanation = explainUnresolved(resolveReferences(config, () => many).unresolved);
  expect(explanation.length).toBeLessThan(10_000);
  expect(explanation).toMatch(/295 more references cannot be resolved$/);
});
