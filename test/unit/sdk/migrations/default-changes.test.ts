// A version that gives an immutable field another default: a build refuses it, unless its migration writes the old one.
import { describe, expect, it } from 'vitest';
import { from, type Provider, provider, registrationsOf, z } from '../../../../src/sdk/index.ts';
import { declaredPart } from '../../../../src/sdk/migrations/declared.ts';
import { defaultProblem } from '../../../../src/sdk/migrations/default-changes.ts';

const outputs = z.object({});
const fixed = { immutable: true };
const zone = (value: string) => z.string().default(value).meta(fixed);
type Config = Readonly<Record<string, never>>;

/** @param migrate a step from version 1 to version 2 */
function made(before: z.ZodType, after: z.ZodType, migrate: (config: Config) => object): Provider {
  const disks = provider('disks');
  const step = from(1, { config: before as never, outputs }).to(migrate as never, () => ({}));
  const disk = disks.resource('disk', {
    ...{
      description: 'A disk',
      version: 2,
      config: after as never,
      outputs,
      migrations: [step] as never,
    },
    create: () => ({}),
    update: () => ({}),
    delete: () => undefined,
  });
  return disks.types(disk as never);
}

function problemOf(...how: Parameters<typeof made>): string | undefined {
  const disks = made(...how);
  const [registration] = registrationsOf(disks);
  const type = disks.types.get('disk');
  if (registration === undefined || type === undefined) throw new Error('no type');
  return defaultProblem(type, registration);
}

const before = z.strictObject({ size: z.int().min(3), zone: zone('a') });
const after = z.strictObject({ sizeGb: z.int().min(3), zone: zone('b') });
const nested = (value: string) => z.object({ place: z.object({ zone: zone(value) }) });

describe('another default of an immutable field', () => {
  it('is refused with the type, the field, both defaults and what to write', () => {
    const problem = problemOf(before, after, ({ size, ...rest }) => ({ ...rest, sizeGb: size }));
    expect(problem).toBe(
      'version 2 changes the default of zone, which cannot change once a resource exists, from "a" to "b". Resources that do not declare it would change: let the migration from version 1 write the old one, as zone: zone ?? "a"',
    );
  });

  it.each<[string, ...Parameters<typeof made>]>([
    [
      'is written by the migration',
      before,
      after,
      ({ size, zone: own }) => ({ sizeGb: size, zone: own ?? 'a' }),
    ],
    ['is the same', before, before, (config) => config],
    [
      'is that of a field that may change',
      z.object({ a: z.int().default(1) }),
      z.object({ a: z.int().default(2) }),
      (config) => config,
    ],
    [
      'is new',
      z.object({ zone: z.string().optional().meta(fixed) }),
      z.object({ zone: zone('b') }),
      (config) => config,
    ],
    [
      'is that of a field with another name, and is written',
      before,
      z.object({ at: zone('b') }),
      ({ zone: own }) => ({ at: own ?? 'a' }),
    ],
  ])('is accepted when it %s', (_what, ...how) => {
    expect(problemOf(...how)).toBeUndefined();
  });

  it.each<[string, ...Parameters<typeof made>]>([
    [
      'zone',
      before,
      z.object({ zone: z.string().optional().meta(fixed) }),
      ({ zone: own }) => ({ zone: own }),
    ],
    ['place.zone', nested('a'), nested('b'), (config) => config],
    [
      'zone, which cannot change once a resource exists and becomes at',
      before,
      z.object({ at: zone('b') }),
      ({ zone: own }) => ({ at: own }),
    ],
  ])('is found at %s', (name, ...how) => {
    expect(problemOf(...how)).toContain(`the default of ${name}`);
  });

  it('is refused when the migration cannot be tried, and asks for examples', () => {
    const named = (value: string) => z.object({ name: z.string(), zone: zone(value) });
    const split = ({ name, ...rest }: Config) => {
      const [, last] = `${name}`.split('-');
      if (last === undefined) throw new Error('no dash');
      return { ...rest, name: last, zone: rest['zone'] ?? 'a' };
    };
    expect(problemOf(named('a'), named('b'), split)).toContain(
      'The migration could not be tried (no dash): give the fields of version 1 examples',
    );
    const example = named('a').extend({ name: z.string().meta({ examples: ['disk-1'] }) });
    expect(problemOf(example, named('b'), split)).toBeUndefined();
  });
});

describe('a step that needs a default of its version', () => {
  const sized = z.object({
    name: z.string(),
    size: z.int().default(1),
    tier: z.string().default('x'),
  });

  it.each<[string, z.ZodType, (config: Config) => object, string | undefined]>([
    [
      'is refused with the field when it throws',
      z.object({ tier: z.string() }),
      ({ tier }) => ({ tier: (tier as unknown as string).toUpperCase() }),
      'the migration from version 1 needs tier, which has a default there, and which it does not receive where nobody declared it: let it give the value, as tier ?? "x"',
    ],
    [
      'is refused when the next version requires it',
      z.object({ gb: z.int() }),
      ({ size }) => ({ gb: size }),
      'as size ?? 1',
    ],
    ['may give the value', z.object({ gb: z.int() }), ({ size = 1 }) => ({ gb: size }), undefined],
    [
      'may leave it out',
      z.object({ gb: z.int().default(2) }),
      ({ size }) => ({ gb: size }),
      undefined,
    ],
    ['may fail for other reasons', z.object({ gb: z.int() }), () => ({}), undefined],
  ])('%s', (_what, next, migrate, says) => {
    const problem = problemOf(sized, next, migrate);
    if (says === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(says);
  });
});

describe('a step receives', () => {
  const schema = z.object({
    size: z.coerce.number(),
    tier: z.string().default('small'),
    mounts: z.array(z.object({ path: z.string(), mode: z.string().default('rw') })).default([]),
    labels: z.record(z.string(), z.object({ text: z.string() })).optional(),
    kind: z
      .union([z.object({ a: z.int() }), z.looseObject({ b: z.int() })])
      .nullable()
      .default(null),
  });

  it.each<[string, object, object]>([
    ['what was declared, without defaults', { size: 3 }, { size: 3 }],
    ['values as they were written', { size: '3' }, { size: '3' }],
    ['a value that equals a default', { size: 3, tier: 'small' }, { size: 3, tier: 'small' }],
    ['no member that the schema ignores', { size: 3, more: 1 }, { size: 3 }],
    [
      'none in items, records and the form of a union',
      { mounts: [{ path: '/', x: 1 }], labels: { any: { text: '', x: 1 } }, kind: { a: 1, x: 1 } },
      { mounts: [{ path: '/' }], labels: { any: { text: '' } }, kind: { a: 1 } },
    ],
    [
      'every member of an object that permits all',
      { kind: { b: 1, x: 1 } },
      { kind: { b: 1, x: 1 } },
    ],
  ])('%s', (_what, value, want) => {
    expect(declaredPart(schema, value)).toEqual(want);
  });
});
