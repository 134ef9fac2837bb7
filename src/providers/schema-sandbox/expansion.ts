// Counts the schemas that validate one value once references are followed. Thirty definitions that each refer twice to the
// next are 2 kB of text and a billion checks; a self-reference without descent never ends. Recursion through `properties`
// or `items` is fine: each step uses up a level of the value.
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { schemaBounds } from '../../tenant-schema/bounds.ts';
import { everySchema, type Loc, referenced, subschemas } from '../../tenant-schema/structure.ts';
import type { SchemaProblem } from './without-effect.ts';

/** @param root a schema whose keywords and references are known to be well-formed */
export function expansionProblems(root: JsonObject): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const known = new Map<JsonValue, number>();
  const open = new Set<JsonValue>();

  function count(schema: JsonValue, loc: Loc): number {
    if (open.has(schema)) {
      problems.push({ loc, msg: "'$ref' refers back to itself for the same value" });
      return 1;
    }
    const before = known.get(schema);
    if (before !== undefined || !isJsonObject(schema)) return before ?? 1;
    open.add(schema);
    let total = 1;
    for (const part of sameValue(schema, root)) total += count(part.schema, [...loc, ...part.step]);
    open.delete(schema);
    known.set(schema, total);
    return total;
  }

  for (const { schema, loc } of everySchema(root)) {
    const total = count(schema, loc);
    if (problems.length === 0 && total > schemaBounds.expansion) {
      const msg = `References expand to more than ${schemaBounds.expansion} schemas`;
      problems.push({ loc, msg });
    }
    if (problems.length > 0) return problems.slice(0, 1);
  }
  return [];
}

/** Returns the subschemas that apply to the same value as the schema itself. */
function sameValue(schema: JsonObject, root: JsonObject): { schema: JsonValue; step: Loc }[] {
  const parts = subschemas(schema).filter(({ judges }) => judges === 'same');
  const { $ref } = schema;
  if (typeof $ref !== 'string') return parts;
  return [...parts, { schema: referenced(root, $ref) ?? true, step: ['$ref'] }];
}
