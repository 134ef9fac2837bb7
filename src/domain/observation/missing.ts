// Finds the fields that a config read from an object lacks: those that its schema requires, and secrets, which nobody reads. Pure.

import { type Budget, createBudget } from '../../lib/budget.ts';
import { isJsonObject, type JsonObject, ownMember, pointer } from '../../lib/json.ts';
import { listIn } from '../../tenant-schema/keywords.ts';
import { compile, type Place } from '../../tenant-schema/place.ts';

export interface MissingField {
  /** JSON Pointer in the config. */
  readonly path: string;
  readonly secret: boolean;
  readonly required: boolean;
}

const maxDepth = 32;
const maxFields = 200;

/**
 * @param budget when it is spent, what is not visited yet is not listed
 * @returns the fields, those of an object before those below it; nothing below one that lacks. Undefined after each step: a caller may
 * give others their turn
 * @example missingFields({ required: ['size'], properties: { size: {} } }, {}) // { path: '/size', secret: false, required: true }
 */
export function* missingFields(
  schema: JsonObject | null,
  config: JsonObject,
  budget = createBudget(),
): Iterable<MissingField | undefined> {
  const place = compile([schema ?? {}], budget);
  let found = 0;
  for (const field of lacking({ place, value: config, path: '', depth: 1 }, budget)) {
    yield field;
    if (field !== undefined) found += 1;
    if (found === maxFields) return;
  }
}

interface MissingPart {
  readonly place: Place | undefined;
  readonly value: JsonObject;
  readonly path: string;
  readonly depth: number;
}

function* lacking(whole: MissingPart, budget: Budget): Iterable<MissingField | undefined> {
  const known = new Map<Place, MissingFields>();
  const waiting = [whole];
  // A list iterates over what is added meanwhile, too.
  for (const part of waiting) {
    if (part.place === undefined) continue;
    const { names, needed } = known.get(part.place) ?? (yield* fieldsAt(part.place, budget));
    known.set(part.place, { names, needed });
    for (const { name, ...field } of needed) {
      if (Object.hasOwn(part.value, name)) continue;
      yield { path: pointer(part.path, name), ...field };
    }
    for (const below of partsIn(part, names, budget)) {
      waiting.push(below);
      yield undefined;
    }
    yield undefined;
  }
}

/** @returns the objects in an object that have one of the names */
function* partsIn(
  { place, value, path, depth }: MissingPart,
  names: ReadonlySet<string>,
  budget: Budget,
): Iterable<MissingPart> {
  if (depth === maxDepth) return;
  for (const [name, member] of Object.entries(value)) {
    if (!names.has(name) || !isJsonObject(member)) continue;
    const below = place?.member(name, budget);
    yield { place: below, value: member, path: pointer(path, name), depth: depth + 1 };
  }
}

interface MissingFields {
  /** Names of the schema, in its order. */
  readonly names: ReadonlySet<string>;
  /** The fields among them that no config should lack. */
  readonly needed: readonly (Omit<MissingField, 'path'> & { readonly name: string })[];
}

function* fieldsAt(place: Place, budget: Budget): Generator<undefined, MissingFields> {
  const listed = new Set(place.schemas.flatMap((each) => listIn(ownMember(each, 'required'))));
  const names = [...new Set([...place.properties, ...listed])].filter(
    (name) => typeof name === 'string',
  );
  if (!budget.spend(place.schemas.length + names.length)) return { names: new Set(), needed: [] };
  const needed: MissingFields['needed'][number][] = [];
  for (const name of names) {
    const secret = place.member(name, budget)?.isSecret ?? false;
    const required = listed.has(name);
    if (secret || required) needed.push({ name, secret, required });
    yield undefined;
  }
  return { names: new Set(names), needed };
}
