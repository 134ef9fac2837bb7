// Compares what a resource declares with what its provider observed, on declared values only. Pure.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointer,
} from '../../lib/json.ts';
import { type Applying, drawnIn, ofItem, ofMember } from '../applying-schemas.ts';
import { type Marks, walk } from '../secrets/marks.ts';

export interface Compared {
  /** The config of the last success, with references resolved. Its defaults are not filled in: nobody declared them. */
  readonly declared: JsonObject;
  readonly actual: JsonObject;
  /** Schema of the type, in the version that both have; undefined: it has none. */
  readonly schema: JsonObject | undefined;
  /** What is secret in both is not compared. */
  readonly marks: Marks;
  /** JSON Pointers of values that are not compared, with everything below them. */
  readonly ignore: readonly string[];
}

export interface FoundChange {
  /** JSON Pointer of the value in the config. */
  readonly path: string;
  readonly declared: JsonValue;
  readonly actual: JsonValue;
  /** True when one of the values contains something that is marked as secret. */
  readonly isSecret: boolean;
}

export interface Comparison {
  /** In the order of the declared values. */
  readonly changes: readonly FoundChange[];
  /** Declared values that were compared, equal or not. Lists and objects without members count as one. */
  readonly compared: number;
  /** Declared values that the provider left out. */
  readonly unknown: number;
}

/** @returns the differences; a value that the provider left out is unknown, and no difference */
export function compare({ declared, actual, schema, marks, ignore }: Compared): Comparison {
  const secrets = new Set([...placesIn(marks, declared), ...placesIn(marks, actual)]);
  // Neither the config itself nor what is above an ignored value.
  const isLeftOut = (path: string) =>
    secrets.has(path) || ignore.some((each) => each === path || path.startsWith(`${each}/`));
  const root = schema ?? {};
  const changes: FoundChange[] = [];
  let compared = 0;
  let unknown = 0;

  function differ(path: string, left: JsonValue, right: JsonValue): void {
    compared += 1;
    const isSecret = [...secrets].some((each) => each === '' || each.startsWith(`${path}/`));
    changes.push({ path, declared: left, actual: right, isSecret });
  }

  function visit(left: JsonValue, right: JsonValue | undefined, { path, applying }: Place): void {
    if (path !== '' && isLeftOut(path)) return;
    if (right === undefined) {
      unknown += leaves(left, path, isLeftOut);
    } else if (isJsonObject(left) && isJsonObject(right) && Object.keys(left).length > 0) {
      for (const [name, value] of Object.entries(left)) {
        const at = { path: pointer(path, name), applying: drawnIn(root, ofMember(applying, name)) };
        visit(value, ownMember(right, name), at);
      }
    } else if (isJsonArray(left) && isJsonArray(right) && left.length > 0) {
      visitList(left, right, { path, applying });
    } else if (isSame(left, right)) {
      compared += 1;
    } else {
      differ(path, left, right);
    }
  }

  function visitList(
    left: readonly JsonValue[],
    right: readonly JsonValue[],
    { path, applying }: Place,
  ): void {
    if (left.length !== right.length) return differ(path, left, right);
    if (![...applying].some((each) => ownMember(each, 'uniqueItems') === true)) {
      for (const [index, item] of left.entries()) {
        const below = {
          path: pointer(path, `${index}`),
          applying: drawnIn(root, ofItem(applying, index)),
        };
        visit(item, right[index], below);
      }
      return;
    }
    if (!isSameSet(left, right)) return differ(path, left, right);
    compared += 1;
  }

  visit(declared, actual, { path: '', applying: drawnIn(root, [root]) });
  return { changes, compared, unknown };
}

interface Place {
  readonly path: string;
  /** Every schema that applies here. */
  readonly applying: Applying;
}

function placesIn(marks: Marks, value: JsonObject): readonly string[] {
  const found: string[] = [];
  walk(marks, value, (secret, path) => {
    found.push(path);
    return secret;
  });
  return found;
}

/** @returns the number of values in a value, without those that are not compared */
function leaves(value: JsonValue, path: string, isLeftOut: (path: string) => boolean): number {
  if (path !== '' && isLeftOut(path)) return 0;
  if (!isJsonObject(value)) return 1;
  const members = Object.entries(value);
  if (members.length === 0) return 1;
  return members.reduce(
    (sum, [name, member]) => sum + leaves(member, pointer(path, name), isLeftOut),
    0,
  );
}

/** By value and without coercion. Of objects only what the declared one has: the rest nobody declared. */
function isSame(declared: JsonValue, actual: JsonValue | undefined): boolean {
  if (isJsonArray(declared)) {
    return (
      isJsonArray(actual) &&
      declared.length === actual.length &&
      declared.every((item, index) => isSame(item, actual[index]))
    );
  }
  if (!isJsonObject(declared)) return declared === actual;
  return (
    isJsonObject(actual) &&
    Object.entries(declared).every(([name, member]) => isSame(member, ownMember(actual, name)))
  );
}

/** Each declared item has an observed one of its own. */
function isSameSet(declared: readonly JsonValue[], actual: readonly JsonValue[]): boolean {
  const left = [...actual];
  return declared.every((item) => {
    const at = left.findIndex((each) => isSame(item, each));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}
