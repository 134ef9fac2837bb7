// Finds the lists in a value whose order means nothing, by their schema. Pure.
import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../lib/json.ts';
import { type Applying, drawnIn, listIn, ofItem, ofMember } from '../schemas/applying-schemas.ts';

/** A place in a value. */
export interface SetPlace {
  /** Whether a list at this place is a set. */
  readonly isSet: boolean;
  member(name: string): SetPlace;
  item(index: number): SetPlace;
}

/** A schema that needs more steps is an attack; the lists that it describes beyond them have an order. */
const maxSteps = 100_000;

const noSets: SetPlace = { isSet: false, member: () => noSets, item: () => noSets };

/** @returns the place of the whole value; what is below is computed once for each name, and once for all items of a list */
export function setsIn(schema: JsonObject | undefined): SetPlace {
  if (schema === undefined || !declaresSets(schema)) return noSets;
  const root = schema;
  let steps = 0;

  function placeOf(schemas: readonly unknown[]): SetPlace {
    const applying = drawnIn(root, schemas);
    if (applying.size === 0) return noSets;
    const cost = costOf(applying);
    const tuple = tupleLength(applying);
    const known = new Map<string, SetPlace>();
    const below = (name: string, schemasBelow: () => readonly unknown[]) => {
      const before = known.get(name);
      if (before !== undefined) return before;
      steps += cost;
      const place = steps > maxSteps ? noSets : placeOf(schemasBelow());
      known.set(name, place);
      return place;
    };
    return {
      isSet: [...applying].some(isSetSchema),
      member: (name) => below(`/${name}`, () => ofMember(applying, name)),
      item(index) {
        const at = Math.min(index, tuple);
        return below(`${at}`, () => ofItem(applying, at));
      },
    };
  }

  return placeOf([schema]);
}

function isSetSchema(schema: JsonObject): boolean {
  return ownMember(schema, 'uniqueItems') === true;
}

/** Each pattern is compared with each name. */
function costOf(applying: Applying): number {
  const patterns = [...applying].map((schema) => {
    const all = ownMember(schema, 'patternProperties');
    return isJsonObject(all) ? Object.keys(all).length : 0;
  });
  return patterns.reduce((sum, each) => sum + each, applying.size);
}

/** Items behind the longest tuple have the same schemas. */
function tupleLength(applying: Applying): number {
  return [...applying].reduce(
    (longest, schema) => Math.max(longest, listIn(ownMember(schema, 'prefixItems')).length),
    0,
  );
}

const declaring = new WeakMap<JsonObject, boolean>();

/** @returns whether anything in a schema declares a set; computed once for each schema, which is never mutated */
function declaresSets(schema: JsonObject): boolean {
  const before = declaring.get(schema);
  if (before !== undefined) return before;
  const found = hasSet(schema);
  declaring.set(schema, found);
  return found;
}

function hasSet(schema: JsonObject): boolean {
  const waiting: JsonValue[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (isJsonObject(next) && isSetSchema(next)) return true;
    for (const each of Object.values(next)) waiting.push(each);
  }
  return false;
}
