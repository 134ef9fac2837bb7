// The part of a config that `plan` sees while references have no values.
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { z } from '../../../../src/sdk/index.ts';
import { knownConfig } from '../../../../src/sdk/planning/known-config.ts';

const Config = z
  .strictObject({
    size: z.int().min(1),
    zone: z.string().default('a'),
    net: z
      .object({ id: z.string(), ports: z.array(z.int()).default([]), mtu: z.int().default(1500) })
      .optional(),
    rules: z.array(z.object({ port: z.int() })).default([]),
    tags: z.record(z.string(), z.string()).default({}),
  })
  .refine(({ size, zone }) => size < 100 || zone === 'b', {
    path: ['zone'],
    message: 'Large ones are in b',
  });

interface Case {
  readonly reason: string;
  readonly schema?: z.ZodType;
  readonly config: JsonObject;
  readonly unknown?: readonly string[];
  readonly want: unknown;
}

const cases: Record<string, Case> = {
  'all is known': {
    reason: 'It is parsed as for a handler, with its defaults.',
    config: { size: 1 },
    want: { value: { size: 1, zone: 'a', rules: [], tags: {} }, misfits: [] },
  },
  'a rule of the schema that only runs here': {
    reason: 'It refuses before anything is stored, at its place.',
    config: { size: 100 },
    want: { value: undefined, misfits: [{ path: '/zone', message: 'Large ones are in b' }] },
  },
  'a field that a reference supplies': {
    reason: 'It is absent and not its default, which would be a lie.',
    config: { size: 1, zone: 'ref' },
    unknown: ['/zone'],
    want: { value: { size: 1, rules: [], tags: {} }, misfits: [] },
  },
  'a required field that a reference supplies': {
    reason: 'Its absence breaks no schema.',
    config: { size: 'ref' },
    unknown: ['/size'],
    want: { value: { zone: 'a', rules: [], tags: {} }, misfits: [] },
  },
  'a member of an optional object': {
    reason: 'Objects are known member by member.',
    config: { size: 1, net: { id: 'ref', ports: [1] } },
    unknown: ['/net/id'],
    want: {
      value: { size: 1, zone: 'a', net: { ports: [1], mtu: 1500 }, rules: [], tags: {} },
      misfits: [],
    },
  },
  'an item of a list': {
    reason: 'Without it, the others would have other places.',
    config: { size: 1, rules: [{ port: 1 }, { port: 'ref' }] },
    unknown: ['/rules/1/port'],
    want: { value: { size: 1, zone: 'a', tags: {} }, misfits: [] },
  },
  'a value of a map': {
    reason: 'A map has no fields that could be parsed alone.',
    config: { size: 1, tags: { a: 'ref', b: 'x' } },
    unknown: ['/tags/a'],
    want: { value: { size: 1, zone: 'a', rules: [] }, misfits: [] },
  },
  'a known value that does not fit beside an unknown one': {
    reason: 'It is wrong whatever the reference supplies.',
    config: { size: 0, zone: 'ref' },
    unknown: ['/zone'],
    want: {
      value: { rules: [], tags: {} },
      misfits: [{ path: '/size', message: expect.any(String) }],
    },
  },
  'names of a prototype': {
    reason: 'They are fields only when the schema has them.',
    schema: z.looseObject({ size: z.int() }),
    config: { size: 'ref', constructor: 'x', free: 1 },
    unknown: ['/size'],
    want: { value: { constructor: 'x', free: 1 }, misfits: [] },
  },
  'a place with a slash in its name': {
    reason: 'JSON Pointers escape it.',
    schema: z.object({ 'a/b': z.string(), c: z.int() }),
    config: { 'a/b': 'ref', c: 1 },
    unknown: ['/a~1b'],
    want: { value: { c: 1 }, misfits: [] },
  },
  'a config whose form depends on the unknown value': {
    reason: 'No part of it can be read alone, so it is not planned.',
    schema: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), size: z.int() }),
      z.object({ kind: z.literal('b') }),
    ]),
    config: { kind: 'a', size: 'ref' },
    unknown: ['/size'],
    want: { value: undefined, misfits: [] },
  },
};

it.each(Object.entries(cases))(
  '%s',
  (_name, { reason, schema = Config, config, unknown = [], want }) => {
    expect(knownConfig(schema, config, unknown), reason).toEqual(want);
  },
);
