// Compares what a resource declares with what its provider observed, on declared values only. Pure.
import { createBudget, maxPathCharacters } from '../../lib/budget.js';
import { canonicalJson, isJsonArray, isJsonObject, ownMember, pointer, } from '../../lib/json.js';
import { compile } from '../../tenant-schema/place.js';
/**
 * @param budget when it is spent, lists that are sets have an order, and differ if their items are not the same in that order
 * @returns the differences; a value that the provider left out is unknown, and no difference
 */
export function compare({ declared, actual, schema, secrets, ignore }, budget = createBudget()) {
    // Each place is visited after those above it, so nothing below one that is left out is visited.
    const leftOut = new Set([...secrets, ...ignore]);
    const aboveSecrets = placesAbove(secrets);
    const changes = [];
    let compared = 0;
    let unknown = 0;
    function differ(path, left, right) {
        compared += 1;
        changes.push({ path, declared: left, actual: right, isSecret: aboveSecrets.has(path) });
    }
    function visit(left, right, part) {
        if (right === undefined)
            unknown += leafCount(left, part.path, leftOut);
        else if (part.path.length > maxPathCharacters)
            unknown += 1;
        else if (!leftOut.has(part.path))
            visitBoth(left, right, part);
    }
    function visitBoth(left, right, part) {
        if (isJsonObject(left) && isJsonObject(right))
            visitObject(left, right, part);
        else if (isJsonArray(left) && isJsonArray(right))
            visitList(left, right, part);
        else if (left === right)
            compared += 1;
        else
            differ(part.path, left, right);
    }
    /** An object without members declares that there is an object. */
    function visitObject(left, right, { path, place }) {
        const members = Object.entries(left);
        if (members.length === 0 && path !== '')
            compared += 1;
        for (const [name, value] of members) {
            const below = { path: pointer(path, name), place: place?.member(name, budget) };
            visit(value, ownMember(right, name), below);
        }
    }
    function visitList(left, right, part) {
        const { path, place } = part;
        if (left.length !== right.length) {
            differ(path, left, right);
        }
        else if (left.length === 0) {
            compared += 1;
        }
        else if (place?.isSet !== true) {
            for (const [index, item] of left.entries()) {
                const below = place?.item(index, budget);
                visit(item, right[index], { path: pointer(path, `${index}`), place: below });
            }
        }
        else if (isSameSet(left, right, { ...part, leftOut, budget })) {
            compared += 1;
        }
        else {
            differ(path, left, right);
        }
    }
    visit(declared, actual, { path: '', place: compile([schema ?? {}], budget) });
    return { changes, compared, unknown };
}
/** @returns the JSON Pointers of everything that contains a place */
function placesAbove(paths) {
    const above = new Set();
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
function leafCount(value, path, leftOut) {
    if (path.length > maxPathCharacters)
        return 1;
    if (leftOut.has(path))
        return 0;
    if (!isJsonObject(value))
        return 1;
    const members = Object.entries(value);
    if (members.length === 0)
        return 1;
    return members.reduce((sum, [name, member]) => sum + leafCount(member, pointer(path, name), leftOut), 0);
}
/** So many characters are written in the time of a step. */
const charactersInStep = 8;
/** So many pairs of values are compared in the time of a step. */
const pairsInStep = 4;
/**
 * Each declared item has an observed one of its own. Equal items are found by their texts, the rest by comparing pairs. A set that
 * takes more than the budget, as in an attack, differs.
 */
function isSameSet(declared, actual, { path, place, leftOut, budget }) {
    const [texts, actualTexts] = [declared.map(canonicalJson), actual.map(canonicalJson)];
    const characters = [...texts, ...actualTexts].reduce((sum, { length }) => sum + length, 0);
    if (!budget.spend(declared.length + actual.length + characters / charactersInStep))
        return false;
    const byText = Map.groupBy(actual, (_, index) => actualTexts[index]);
    const others = declared.flatMap((item, index) => {
        const isFound = byText.get(texts[index])?.pop() !== undefined;
        const part = { path: pointer(path, `${index}`), place: place?.item(index, budget) };
        return isFound ? [] : [{ item, within: { ...part, leftOut, budget } }];
    });
    const left = [...byText.values()].flat();
    const fitting = [];
    for (const { item, within } of others) {
        const fits = left.flatMap((each, index) => (isEqualWithin(item, each, within) ? [index] : []));
        if (fits.length === 0)
            return false;
        fitting.push(fits);
    }
    return isAssignable(fitting, budget);
}
/**
 * A declared item with few members fits several observed ones, and must not take the only one of another.
 * @param fitting for each declared item the observed ones that fit
 */
function isAssignable(fitting, budget) {
    const takenBy = new Map();
    const assign = (item, tried) => (fitting[item] ?? []).some((each) => {
        if (tried.has(each) || !budget.spend(1))
            return false;
        tried.add(each);
        const holder = takenBy.get(each);
        if (holder !== undefined && !assign(holder, tried))
            return false;
        takenBy.set(each, item);
        return true;
    });
    return fitting.every((fits, item) => {
        const free = fits.find((each) => !takenBy.has(each));
        if (free !== undefined)
            takenBy.set(free, item);
        return free !== undefined || assign(item, new Set());
    });
}
/** By value and without coercion. Compares the members of a declared object that neither side leaves out. */
function isEqualWithin(declared, actual, within) {
    if (!within.budget.spend(1 / pairsInStep) || within.path.length > maxPathCharacters)
        return false;
    if (actual === undefined || within.leftOut.has(within.path))
        return true;
    if (isJsonArray(declared))
        return isJsonArray(actual) && isSameList(declared, actual, within);
    if (!isJsonObject(declared))
        return declared === actual;
    return isJsonObject(actual) && isSameObject(declared, actual, within);
}
function isSameObject(declared, actual, within) {
    const { path, place, budget } = within;
    const members = Object.entries(declared);
    if (!budget.spend(members.length / pairsInStep))
        return false;
    return members.every(([name, each]) => {
        const other = ownMember(actual, name);
        // Before its path is written: pairs of items are many, and most members of one are the same or lack.
        if (other === undefined || other === each)
            return true;
        const below = { path: pointer(path, name), place: place?.member(name, budget) };
        return isEqualWithin(each, other, { ...within, ...below });
    });
}
function isSameList(declared, actual, within) {
    const { path, place, budget } = within;
    if (declared.length !== actual.length)
        return false;
    if (place?.isSet === true)
        return isSameSet(declared, actual, within);
    return declared.every((item, index) => {
        const below = { path: pointer(path, `${index}`), place: place?.item(index, budget) };
        return isEqualWithin(item, actual[index], { ...within, ...below });
    });
}
