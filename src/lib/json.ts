// JSON types and canonical JSON text: keys are sorted, so that equal values have equal texts.

type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** @returns compact JSON with the keys of every object in code-unit order. `-0` becomes `0`. */
export function canonicalJson(value: JsonValue | undefined): string {
  // The API server stores keys in this order, and the engine writes such a value several times as fast.
  return isSorted(value) ? (JSON.stringify(value) ?? 'null') : sortedJson(value);
}

function sortedJson(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`);
  return `{${members.join(',')}}`;
}

function isSorted(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (isJsonArray(value)) return value.every(isSorted);
  let before: string | undefined;
  for (const key of Object.keys(value)) {
    if ((before !== undefined && key < before) || !isSorted(value[key])) return false;
    before = key;
  }
  return true;
}

/** @returns the value of a JSON text; undefined when it is none */
export function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** @returns a member that an object has itself; undefined when it has none, and when it is no object */
export function ownMember(value: unknown, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** @returns the object as JSON has it: without the members that are undefined. */
export function withoutUndefined<Value extends object>(value: Value): Value {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members) as Value;
}

/** @returns the record without the names whose value is undefined */
export function definedOnly<Value>(
  record: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> {
  const entries = Object.entries(record).filter(
    (entry): entry is [string, Value] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

/** @returns the object with the members of those names only */
export function pick<Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Pick<Value, Name> {
  const members = names.filter((name) => name in value).map((name) => [name, value[name]]);
  return Object.fromEntries(members) as Pick<Value, Name>;
}

/** The result of a change that ends all changes. Undefined is none: lists have holes, and members may be undefined. */
export const ended = Symbol('ended');
type Ended<Changed> = Extract<Changed, typeof ended>;

/**
 * It sets no member by assignment: `__proto__` is a legal name in JSON.
 * @returns the object with what its members become; the object itself when none changes; `ended` when `change` ends it
 */
export function mapMembers<Changed extends JsonValue | typeof ended>(
  object: JsonObject,
  change: (value: JsonValue, name: string) => Changed,
): JsonObject | Ended<Changed> {
  const after: [name: string, value: JsonValue][] = [];
  let isChanged = false;
  for (const name of Object.keys(object)) {
    const before = object[name] as JsonValue;
    const value = change(before, name);
    if (value === ended) return value as Ended<Changed>;
    isChanged ||= value !== before;
    after.push([name, value as JsonValue]);
  }
  return isChanged ? Object.fromEntries(after) : object;
}

/** The same of a list. `map` keeps its holes. */
export function mapItems<Changed extends JsonValue | typeof ended>(
  list: readonly JsonValue[],
  change: (value: JsonValue, index: number) => Changed,
): readonly JsonValue[] | Ended<Changed> {
  let end: Ended<Changed> | undefined;
  let isChanged = false;
  const after = list.map((before, index) => {
    const value = end === undefined ? change(before, index) : before;
    if (value === ended) end = value as Ended<Changed>;
    isChanged ||= value !== before;
    return value as JsonValue;
  });
  return end ?? (isChanged ? after : list);
}

/** @returns the size of the compact UTF-8 text of a value, in bytes. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** @returns true for an object, false for a list, null and everything else */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** @returns the JSON Pointer (RFC 6901) of a member */
export function pointer(path: string, name: string): string {
  const isPlain = !(name.includes('~') || name.includes('/'));
  return `${path}/${isPlain ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** @returns the names in a JSON Pointer, from the root on */
export function pointerNames(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** @returns the JSON Pointers below a root, without it; the empty one is the root itself */
export function pathsBelow(root: string, paths: readonly string[]): readonly string[] {
  const below = paths.filter((path) => path === root || path.startsWith(`${root}/`));
  return below.map((path) => path.slice(root.length));
}

/** @returns a JSON Pointer as people write it: `a.b` of `/a/b` */
export function dottedPointer(path: string): string {
  return pointerNames(path).join('.');
}

/** @returns the part of a value at a JSON Pointer; undefined when there is none. Reads own members only. */
export function atPointer(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return pointerNames(path).reduce<JsonValue | undefined>(
    (part, name) => (isJsonArray(part) ? part[Number(name)] : ownMember(part, name)),
    value,
  );
}

/** A place in a value: its key, and the place that it is in. */
export interface ValueStep {
  readonly parent: ValueStep | undefined;
  readonly key: string | number;
}

/** @returns the keys from the root on */
export function stepPath(step: ValueStep | undefined): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = step; at !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

/** @returns the texts of a list; none for anything else */
export function textItems(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** @returns the text of a JSON file that people read */
export function indentedJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
