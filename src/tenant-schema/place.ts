// Says what schemas of a tenant mean for each place of a value, in one step for each member whatever the schemas are: a place is
// the set of the subschemas that may apply there. Places are made when a value has them, and kept with the schema, which is never
// mutated. Making them costs steps of a budget. When that is spent, a place is undefined, and each caller has its safe answer:
// what is there is secret, a list has an order, nothing is required.
//
//     const budget = createBudget();
//     compile([schema], budget)?.member('auth', budget)?.member('password', budget)?.isSecret ?? true

import type { Budget } from '../lib/budget.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { createTextSearch, type TextSearch } from '../lib/text-search.ts';
import { isSecret, listIn } from './keywords.ts';
import { anchored, included, isPlain, namesIn, ofItem, ofMember, patternsIn } from './subschema.ts';

export interface Place {
  /** All that may apply to the value; none when nothing describes it. */
  readonly schemas: readonly JsonObject[];
  readonly isSecret: boolean;
  /** Whether the order of a list means nothing. */
  readonly isSet: boolean;
  /** The names in `properties`, in their order. */
  readonly properties: ReadonlySet<string>;
  member(name: string, budget: Budget): Place | undefined;
  item(index: number, budget: Budget): Place | undefined;
}

type Compile = (roots: readonly JsonObject[], budget: Budget) => Place | undefined;

/** Steps of the places that a process keeps, which are some twenty megabytes, and of those of one schema. */
const maxKept = 250_000;
const maxKeptOfSchema = maxKept / 10;
let kept = 0;
let known = new WeakMap<JsonObject, PlaceCompiled>();

/** @returns the place of a whole value to which each of the schemas applies */
export const compile: Compile = (roots, budget) => {
  const [first = {}] = roots;
  const before = known.get(first);
  // One that is made to need many places loses its own, and not those of others.
  const isLarge = before !== undefined && before.kept > maxKeptOfSchema;
  if (isLarge) kept -= before.kept;
  // Dropped all at once: the places of an ordinary schema are made again in no time.
  if (kept > maxKept) {
    known = new WeakMap();
    kept = 0;
  }
  const compiled = before === undefined || isLarge ? createCompiled() : before;
  known.set(first, compiled);
  return compiled.compile(roots, budget);
};

interface PlaceCompiled {
  readonly compile: Compile;
  /** Steps of its places. */
  readonly kept: number;
}

interface IndexedSubschema {
  readonly id: number;
  readonly root: JsonObject;
  readonly schema: JsonObject;
}

function createCompiled(): PlaceCompiled {
  // By their roots: versions of a schema share parts, whose references lead elsewhere.
  const subschemas = new Map<JsonObject, Map<JsonObject, IndexedSubschema>>();
  const places = new Map<string, Place | undefined>();
  let made = 0;
  let keptHere = 0;

  function read(root: JsonObject, values: readonly unknown[]): readonly IndexedSubschema[] {
    const schemas = values.filter(isJsonObject);
    if (schemas.length === 0) return [];
    const ofRoot = subschemas.get(root) ?? new Map<JsonObject, IndexedSubschema>();
    subschemas.set(root, ofRoot);
    return schemas.map((schema) => {
      made += 1;
      const found = ofRoot.get(schema) ?? { id: made, root, schema };
      ofRoot.set(schema, found);
      return found;
    });
  }

  function placeOf(found: readonly IndexedSubschema[], budget: Budget): Place | undefined {
    const applying = new Set(found);
    const key = [...applying].map(({ id }) => id).join();
    const before = places.get(key);
    if (before !== undefined) return before;
    // A Set iterates over what is added meanwhile, too.
    for (const { root, schema } of applying) {
      const parts = read(root, included(root, schema));
      if (!budget.spend(1 + parts.length)) return undefined;
      for (const part of parts) applying.add(part);
    }
    const schemas = [...applying].map(({ schema }) => schema);
    const properties = new Set(schemas.flatMap((each) => namesIn(each['properties'])));
    const patterns = schemas.flatMap(patternsIn).filter(isPlain);
    const longest = Math.max(0, ...schemas.map((each) => listIn(each['prefixItems']).length));
    if (!budget.spend(properties.size + patterns.join().length)) return undefined;
    // Each schema is read, and what it leads to is part of a key.
    const cost = 1 + 2 * schemas.length + patterns.length;
    const known = new Map<string, Place | undefined>();
    let search: TextSearch | undefined;

    function below(name: string, part: (schema: JsonObject) => readonly unknown[], from: Budget) {
      const before = known.get(name);
      if (before !== undefined || !from.spend(cost + (name.length >>> 4))) return before;
      kept += cost;
      keptHere += cost;
      const all = [...applying].flatMap(({ root, schema }) => read(root, part(schema)));
      const place = placeOf(all, from);
      known.set(name, place);
      return place;
    }

    const place: Place = {
      schemas,
      isSecret: schemas.some(isSecret),
      isSet: schemas.some((each) => each['uniqueItems'] === true),
      properties,
      member(name, from) {
        const named = properties.has(name) ? `/${name}` : '';
        // The longest patterns that end somewhere in the name decide which other ones do.
        const matching = new Set<number>();
        if (patterns.length > 0) {
          search ??= createTextSearch(patterns);
          search.search(anchored(name), (_start, _end, which) => matching.add(which));
        }
        return below(`${[...matching]} ${named}`, (schema) => ofMember(schema, name), from);
      },
      item(index, from) {
        const at = Math.min(index, longest);
        return below(`${at}`, (schema) => ofItem(schema, at), from);
      },
    };
    places.set(key, place);
    return place;
  }

  return {
    compile: (roots, budget) =>
      placeOf(
        roots.flatMap((root) => read(root, [root])),
        budget,
      ),
    get kept() {
      return keptHere;
    },
  };
}
