import { describe, expect, it } from 'vitest';
import { resolveReferences } from '../../../../src/domain/references/references.ts';
import {
  changedImmutables,
  immutableRuleOfType,
} from '../../../../src/domain/schemas/immutable-changes.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const marked = (...names: readonly string[]): JsonObject => ({
  properties: Object.fromEntries(names.map((name) => [name, { immutable: true }])),
});

/** Version 2 names the place otherwise, and marks the size as well. */
const type = {
  schema: marked('region', 'kind', 'size'),
  typeVersion: 2,
  earlierVersions: [{ typeVersion: 1, schema: marked('zone', 'kind') }],
};

const versions = [
  { reason: 'one version has its own fields', from: 1, to: 1, want: [['zone'], ['kind']] },
  {
    reason: 'between two, only what both mark counts: the others have other names or meanings',
    from: 1,
    to: 2,
    want: [['kind']],
  },
  { reason: 'so it is on the way back', from: 2, to: 1, want: [['kind']] },
];

const paths = [['zone'], ['disk', 'kind']];
const outputs = { zone: 'a', disk: { kind: 'ssd' }, none: null };
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
const reference = '${net/network/main.outputs.zone}';
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
const object = '${net/network/main.outputs.disk}';

interface Row {
  readonly reason: string;
  readonly applied?: JsonObject;
  readonly config: JsonObject;
  readonly known?: JsonObject | undefined;
  readonly want: readonly string[];
}

const applied = { zone: 'a', disk: { kind: 'ssd', size: 1 } };
const rows: readonly Row[] = [
  { reason: 'an equal value is no change', config: applied, want: [] },
  {
    reason: 'what is not marked may change',
    config: { zone: 'a', disk: { kind: 'ssd', size: 2 }, more: 1 },
    want: [],
  },
  { reason: 'another value is one', config: { ...applied, zone: 'b' }, want: ['zone'] },
  { reason: 'leaving it out is one', config: { disk: applied.disk }, want: ['zone'] },
  { reason: 'leaving out what it is in is one', config: { zone: 'a' }, want: ['disk.kind'] },
  {
    reason: 'adding it is one',
    applied: { zone: 'a' },
    config: applied,
    want: ['disk.kind'],
  },
  { reason: 'null is not the same as nothing', config: { ...applied, zone: null }, want: ['zone'] },
  { reason: 'text is no number', config: { ...applied, zone: 1 }, want: ['zone'] },
  {
    reason: 'the order of members does not count',
    applied: { zone: { a: 1, b: 2 } },
    config: { zone: { b: 2, a: 1 } },
    want: [],
  },
  {
    reason: 'a reference counts as its value',
    config: { ...applied, zone: reference },
    known: outputs,
    want: [],
  },
  {
    reason: 'a reference with another value is a change',
    config: { ...applied, zone: reference },
    known: { zone: 'b' },
    want: ['zone'],
  },
  {
    reason: 'a reference without a value is not compared',
    config: { ...applied, zone: reference },
    want: [],
  },
  {
    reason: 'nor is what is inside a reference without a value',
    config: { zone: 'a', disk: object },
    want: [],
  },
  {
    reason: 'another field is compared all the same',
    config: { zone: reference, disk: { kind: 'hdd' } },
    want: ['disk.kind'],
  },
];

describe('the immutable fields of a type', () => {
  it.each(versions)('$reason', ({ from, to, want }) => {
    expect(immutableRuleOfType(type, from, to).fields).toEqual(want);
  });
});

describe('a change of an immutable field', () => {
  it.each(rows)('$reason', ({ applied: before = applied, config, known, want }) => {
    const resolution = resolveReferences(config, () => known);
    const rule = { fields: paths, before: undefined, after: undefined };
    const changed = changedImmutables(rule, before, resolution);
    expect(changed.map((path) => path.join('.'))).toEqual(want);
  });
});
