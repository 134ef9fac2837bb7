// Reduces Ajv errors: for a value that matches no branch of `anyOf`, Ajv reports the errors of every branch and the failed
// match. This keeps one error for each thing to fix. Pure.
import type { ErrorObject } from 'ajv';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { referenced, subschemas } from '../../tenant-schema/structure.ts';

const composites = ['anyOf', 'oneOf', 'not', 'contains'];

/** @param errors from a verbose Ajv: each refers to the schema object in `root` that it comes from */
export function essential(
  errors: readonly ErrorObject[],
  root: JsonObject,
): readonly ErrorObject[] {
  const dropped = new Set<ErrorObject>();
  for (const [index, error] of errors.entries()) {
    if (composites.includes(error.keyword)) {
      for (const detail of detailsOf(error, errors.slice(0, index), root)) dropped.add(detail);
    }
    if (isCoveredByDetails(error, errors)) dropped.add(error);
  }
  return errors.filter((error) => !dropped.has(error));
}

/** Details precede their composite. Behind a `$ref` their `schemaPath` restarts, so it cannot be used. */
function detailsOf(
  composite: ErrorObject,
  earlier: readonly ErrorObject[],
  root: JsonObject,
): readonly ErrorObject[] {
  const inside = reachable(composite.schema as JsonValue, root);
  return earlier.filter(({ instancePath, schemaPath, parentSchema }) => {
    if (!isPathWithin(instancePath, composite.instancePath)) return false;
    // The schema `false` is no object, and has no identity.
    if (typeof parentSchema !== 'object') return isPathWithin(schemaPath, composite.schemaPath);
    return inside.has(parentSchema as JsonValue);
  });
}

/** @returns the schemas inside the value of `anyOf`, `not` …, and behind their references */
function reachable(start: JsonValue, root: JsonObject): ReadonlySet<JsonValue> {
  const found = new Set<JsonValue>();
  const waiting = isJsonArray(start) ? [...start] : [start];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isJsonObject(next) || found.has(next)) continue;
    found.add(next);
    for (const { schema } of subschemas(next)) waiting.push(schema);
    const { $ref } = next;
    if (typeof $ref === 'string') waiting.push(referenced(root, $ref) ?? true);
  }
  return found;
}

/** `if` and `propertyNames` only report that there are other errors. */
function isCoveredByDetails(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  if (error.keyword === 'if') return errors.length > 1;
  if (error.keyword !== 'propertyNames') return false;
  return errors.some(
    (other) =>
      other.instancePath === error.instancePath &&
      other.propertyName !== undefined &&
      other.propertyName === error.params['propertyName'],
  );
}

function isPathWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}
