// A config with the members that a schema requires, to try a migration with. It is a guess: formats and patterns are many, so `examples`
// of a field come before anything else.
import { type Budget, createBudget } from '../../lib/budget.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
} from '../../lib/json.ts';
import { listIn, referred } from '../../tenant-schema/keywords.ts';

/** Schemas that refer to themselves, and unions of them, end there. */
const maxDepth = 20;
/** A schema that demands more needs `examples`. */
const maxItems = 100;
const maxLength = 10_000;

/** @returns null where a schema goes deeper than a sample does, and once the budget is spent */
export function sampleConfig(schema: JsonObject): JsonObject {
  const sample = sampleOf(schema, { root: schema, budget: createBudget(), depth: 0 });
  return isJsonObject(sample) ? sample : {};
}

interface SamplePlace {
  readonly root: JsonObject;
  readonly budget: Budget;
  readonly depth: number;
}

function sampleOf(schema: unknown, place: SamplePlace): JsonValue {
  const { root, budget, depth } = place;
  if (!isJsonObject(schema) || depth > maxDepth || !budget.spend(1)) return null;
  const { const: only, examples, enum: values, anyOf, oneOf, allOf, $ref } = schema;
  const [given] = [only, ...listIn(examples), ...listIn(values)].filter(
    (each) => each !== undefined,
  );
  if (given !== undefined) return given;
  const below = (part: unknown) => sampleOf(part, { ...place, depth: depth + 1 });
  const [form] = [...listIn(anyOf), ...listIn(oneOf)];
  const parts = [...listIn(allOf), referred(root, $ref), form].filter(isJsonObject).map(below);
  const all = [...parts, ownSample(schema, below)].filter((each) => each !== null);
  return all.length > 0 && all.every(isJsonObject) ? Object.assign({}, ...all) : (all[0] ?? null);
}

function ownSample(schema: JsonObject, below: Sampler): JsonValue {
  const { type } = schema;
  const name = isJsonArray(type) ? type[0] : type;
  return samplers[String(name)]?.(schema, below) ?? null;
}

type Sampler = (part: unknown) => JsonValue;

const samplers: Readonly<Record<string, (schema: JsonObject, below: Sampler) => JsonValue>> = {
  object: sampleObject,
  array: sampleList,
  string: sampleText,
  boolean: () => false,
  integer: sampleNumber,
  number: sampleNumber,
};

function sampleObject({ properties, required }: JsonObject, below: Sampler): JsonObject {
  const names = listIn(required).filter((name) => typeof name === 'string');
  return Object.fromEntries(names.map((name) => [name, below(ownMember(properties, name))]));
}

function sampleList({ items, prefixItems, minItems = 0 }: JsonObject, below: Sampler): JsonValue {
  const first = listIn(prefixItems).map(below);
  const more = Math.max(0, Math.min(Number(minItems), maxItems) - first.length);
  return [...first, ...Array.from({ length: more }, () => below(items))];
}

const textsByFormat: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00',
  duration: 'PT1S',
  email: 'somebody@example.com',
  uri: 'https://example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function sampleText({ format, minLength = 1 }: JsonObject): string {
  const usual = typeof format === 'string' ? textsByFormat[format] : undefined;
  return usual ?? 'a'.repeat(Math.min(Number(minLength), maxLength));
}

function sampleNumber({ minimum, exclusiveMinimum, maximum, multipleOf = 1 }: JsonObject): number {
  const least = Number(
    minimum ?? (exclusiveMinimum === undefined ? 1 : Number(exclusiveMinimum) + 1),
  );
  const step = Number(multipleOf);
  const number = Math.ceil(least / step) * step;
  return maximum === undefined ? number : Math.min(number, Number(maximum));
}
