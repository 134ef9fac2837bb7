// Compares what a resource declares with what its provider observed, on declared values only. Pure.

import { type Budget, createBudget, maxPathCharacters } from '../../lib/budget.ts';
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointer,
} from '../../lib/json.ts';
import { compile, type Place } from '../../tenant-schema/place.ts';

export interface ComparedValues {
  /** The config of the last success, with references resolved. Its defaults are not filled in: nobody declared them. */
  readonly declared: JsonObject;
  readonly actual: JsonObject;
  /** Schema of the type, in the version that both have; undefined: it has none. */
  readonly schema: JsonObject | undefined;
  /** JSON Pointers of what is secret in one of the two: it is not compared. */
  readonly secrets: readonly string[];
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

export interface ValueComparison {
  /** In the order of the declared values. */
  readonly changes: readonly FoundChange[];
  /** Declared values that were compared, equal or not. Lists and objects without members count as one. */
  readonly compared: number;
  /** Declared values that the provider left out. */
  readonly unknown: number;
}

/**
 * @param budget when it is spent, lists that are sets have an order, and differ if their items are not the same in that order
 * @returns the differences; a value that the provider left out is unknown, and no difference
 */
export function compare(
  { declared, actual, schema, secrets, ignore }: ComparedValues,
  budget = createBudget(),
): ValueComparison {
  // Each place is visited after those above it, so nothing below one that is left out is visited.
  const leftOut = new Set([...secrets, ...ignore]);
  const aboveSecrets = placesAbove(secrets);
  const changes: FoundChange[] = [];
  let compared = 0;
  let unknown = 0;

  function differ(path: string, left: JsonValue, right: JsonValue): void {
    compared += 1;
    changes.push({ path, declared: left, actual: right, isSecret: aboveSecrets.has(path) });
  }

  function visit(left: JsonValue, right: JsonValue | undefined, part: ComparedPart): void {
    if (right === undefined) unknown += leafCount(left, part.path, leftOut);
    else if (part.path.length > maxPathCharacters) unknown += 1;
    else if (!leftOut.has(part.path)) visitBoth(left, right, part);
  }

  function visitBoth(left: JsonValue, right: JsonValue, part: ComparedPart): void {
    if (isJsonObject(left) && isJsonObject(right)) visitObject(left, right, part);
    else if (isJsonArray(left) && isJsonArray(right)) visitList(left, right, part);
    else if (left === right) compared += 1;
    else differ(part.path, left, right);
  }

  /** An object without members declares that there is an object. */
  function visitObject(left: JsonObject, right: JsonObject, { path, place }: ComparedPart): void {
    const members = Object.entries(left);
    if (members.length === 0 && path !== '') compared += 1;
    for (const [name, value] of members) {
      const below = { path: pointer(path, name), place: place?.member(name, budget) };
      visit(value, ownMember(right, name), below);
    }
  }

  function visitList(
    left: readonly JsonValue[],
    right: readonly JsonValue[],
    part: ComparedPart,
  ): void {
    const { path, place } = part;
    if (left.length !== right.length) {
      differ(path, left, right);
    } else if (left.length === 0) {
      compared += 1;
    } else if (place?.isSet !== true) {
      for (const [index, item] of left.entries()) {
        const below = place?.item(index, budget);
        visit(item, right[index], { path: pointer(path, `${index}`), place: below });
      }
    } else if (isSameSet(left, right, { ...part, leftOut, budget })) {
      compared += 1;
    } else {
      differ(path, left, right);
    }
  }

  visit(declared, actual, { path: '', place: compile([schema ?? {}], budget) });
  return { changes, compared, unknown };
}

interface ComparedPart {
  readonly path: string;
  readonly place: Place | undefined;
}

/** @returns the JSON Pointers of everything that contains a place */
function placesAbove(paths: readonly string[]): ReadonlySet<string> {
  const above = new Set<string>();
  for (const path of paths) {
    let end = path.lastIndexOf('/');
    // Above one that is known, all are.
    while (end >= 0 && !above.has(path.slice(0, end))) {
      above.add(path.slice(0, end));
      end = end === 0 ? -1 : path.lastIndexOf('/', end - 1);
    }
  }
  return above;
}

/** @returns the number of values in a value, without those that are not compared */
function leafCount(value: JsonValue, path: string, leftOut: ReadonlySet<string>): number {
  if (path.length > maxPathCharacters) return 1;
  if (leftOut.has(path)) return 0;
  if (!isJsonObject(value)) return 1;
  const members = Object.entries(value);
  if (members.length === 0) return 1;
  return members.reduce(
    (sum, [name, member]) => sum + leafCount(member, pointer(path, name), leftOut),
    0,
  );
}

interface Within extends ComparedPart {
  readonly leftOut: ReadonlySet<string>;
  readonly budget: Budget;
}

/** So many characters are written in the time of a step. */
const charactersInStep = 8;
/** So many pairs of values are compared in the time of a step. */
const pairsInStep = 4;

/**
 * Each declared item has an observed one of its own. Equal items are found by their texts, the rest by comparing pairs. A set that
 * takes more than the budget, as in an attack, differs.
 */
function isSameSet(
  declared: readonly JsonValue[],
  actual: readonly JsonValue[],
  { path, place, leftOut, budget }: Within,
): boolean {
  const [texts, actualTexts] = [declared.map(canonicalJson), actual.map(canonicalJson)];
  const characters = [...texts, ...actualTexts].reduce((sum, { length }) => sum + length, 0);
  if (!budget.spend(declared.length + actual.length + characters / charactersInStep)) return false;
  const byText = Map.groupBy(actual, (_, index) => actualTexts[index]);
  const others = declared.flatMap((item, index) => {
    const isFound = byText.get(texts[index])?.pop() !== undefined;
    const part = { path: pointer(path, `${index}`), place: place?.item(index, budget) };
    return isFound ? [] : [{ item, within: { ...part, leftOut, budget } }];
  });
  const left = [...byText.values()].flat();
  const fitting: (readonly number[])[] = [];
  for (const { item, within } of others) {
    const fits = left.flatMap((each, index) => (isEqualWithin(item, each, within) ? [index] : []));
    if (fits.length === 0) return false;
    fitting.push(fits);
  }
  return isAssignable(fitting, budget);
}

/**
 * A declared item with few members fits several observed ones, and must not take the only one of another.
 * @param fitting for each declared item the observed ones that fit
 */
function isAssignable(fitting: readonly (readonly number[])[], budget: Budget): boolean {
  const takenBy = new Map<number, number>();
  const assign = (item: number, tried: Set<number>): boolean =>
    (fitting[item] ?? []).some((each) => {
      if (tried.has(each) || !budget.spend(1)) return false;
      tried.add(each);
      const holder = takenBy.get(each);
      if (holder !== undefined && !assign(holder, tried)) return false;
      takenBy.set(each, item);
      return true;
    });
  return fitting.every((fits, item) => {
    const free = fits.find((each) => !takenBy.has(each));
    if (free !== undefined) takenBy.set(free, item);
    return free !== undefined || assign(item, new Set());
  });
}

/** By value and without coercion. Compares the members of a declared object that neither side leaves out. */
function isEqualWithin(
  declared: JsonValue,
  actual: JsonValue | undefined,
  within: Within,
): boolean {
  if (!within.budget.spend(1 / pairsInStep) || within.path.length > maxPathCharacters) return false;
  if (actual === undefined || within.leftOut.has(within.path)) return true;
  if (isJsonArray(declared)) return isJsonArray(actual) && isSameList(declared, actual, within);
  if (!isJsonObject(declared)) return declared === actual;
  return isJsonObject(actual) && isSameObject(declared, actual, within);
}

function isSameObject(declared: JsonObject, actual: JsonObject, within: Within): boolean {
  const { path, place, budget } = within;
  const members = Object.entries(declared);
  if (!budget.spend(members.length / pairsInStep)) return false;
  return members.every(([name, each]) => {
    const other = ownMember(actual, name);
    // Before its path is written: pairs of items are many, and most members of one are the same or lack.
    if (other === undefined || other === each) return true;
    const below = { path: pointer(path, name), place: place?.member(name, budget) };
    return isEqualWithin(each, other, { ...within, ...below });
  });
}

function isSameList(
  declared: readonly JsonValue[],
  actual: readonly JsonValue[],
  within: Within,
): boolean {
  const { path, place, budget } = within;
  if (declared.length !== actual.length) return false;
  if (place?.isSet === true) return isSameSet(declared, actual, within);
  return declared.every((item, index) => {
    const below = { path: pointer(path, `${index}`), place: place?.item(index, budget) };
    return isEqualWithin(item, actual[index], { ...within, ...below });
  });
}
