// Finds the subschemas that apply to a part of a value. It does not validate: a branch that the value does not take applies
// too, and so does a pattern that cannot be compared safely. For secrets that is the safe error.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
} from '../../lib/json.ts';

/** Every schema that may apply to one value. */
export type Applying = ReadonlySet<JsonObject>;

const branches = ['allOf', 'anyOf', 'oneOf'];
const conditions = ['if', 'then', 'else'];

/** @returns the schema itself and those it includes: branches, conditions, references to `#…` */
export function drawnIn(root: JsonObject, schemas: Iterable<unknown>): Applying {
  const found = new Set<JsonObject>();
  const waiting: unknown[] = [...schemas];
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    for (const keyword of branches) waiting.push(...listIn(ownMember(schema, keyword)));
    for (const keyword of conditions) waiting.push(ownMember(schema, keyword));
    waiting.push(...memberValues(ownMember(schema, 'dependentSchemas')));
    waiting.push(referred(root, ownMember(schema, '$ref')));
  }
  return found;
}

/** @returns the schemas for one member of an object */
export function ofMember(applying: Applying, name: string): readonly unknown[] {
  return [...applying].flatMap((schema) => {
    const named = ownMember(ownMember(schema, 'properties'), name);
    const patterns = Object.entries(objectOr(ownMember(schema, 'patternProperties')));
    const matching = patterns.filter(([pattern]) => mayMatch(pattern, name));
    const said = [...matching.map(([, each]) => each), ...(named === undefined ? [] : [named])];
    const surely = named !== undefined || matching.some(([pattern]) => isPlain(pattern));
    if (surely) return said;
    return [
      ...said,
      ownMember(schema, 'additionalProperties'),
      ownMember(schema, 'unevaluatedProperties'),
    ];
  });
}

/** @returns the schemas for one item of a list */
export function ofItem(applying: Applying, index: number): readonly unknown[] {
  return [...applying].flatMap((schema) => {
    const first = listIn(ownMember(schema, 'prefixItems'))[index];
    const rest = ['items', 'unevaluatedItems'].map((keyword) => ownMember(schema, keyword));
    return [ownMember(schema, 'contains'), ...(first === undefined ? rest : [first])];
  });
}

/** @returns whether the schema itself marks its value as one that a resource keeps */
export function isImmutable(schema: JsonObject): boolean {
  return ownMember(schema, 'immutable') === true;
}

/** @returns whether the schema itself marks its values as secret */
export function isSecret(schema: JsonObject): boolean {
  return (
    ownMember(schema, 'writeOnly') === true ||
    ownMember(schema, 'sensitive') === true ||
    ownMember(schema, 'format') === 'password'
  );
}

function objectOr(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function memberValues(value: unknown): readonly JsonValue[] {
  return Object.values(objectOr(value));
}

export function listIn(value: unknown): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}

/** @returns the target of `#/$defs/a` */
export function referred(root: JsonObject, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const name = unescaped(part);
    found = isJsonArray(found) ? found[Number(name)] : ownMember(found, name);
  }
  return found;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

const plain = /^\^?[\w-]*\$?$/;

function isPlain(pattern: string): boolean {
  return plain.test(pattern);
}

// A tenant's pattern may run for hours. Plain ones are compared as text; any other may match.
function mayMatch(pattern: string, name: string): boolean {
  if (!isPlain(pattern)) return true;
  const literal = pattern.replace(/^\^|\$$/g, '');
  const [start, end] = [pattern.startsWith('^'), pattern.endsWith('$')];
  if (start && end) return name === literal;
  if (start) return name.startsWith(literal);
  return end ? name.endsWith(literal) : name.includes(literal);
}
