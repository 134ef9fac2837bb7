// Compares what a resource declares with what its provider observed, on declared values only. Pure.
import { canonicalJson, isJsonArray, isJsonObject, ownMember, pointer, } from '../../lib/json.js';
import { drawnIn, ofItem, ofMember } from '../applying-schemas.js';
/** @returns the differences; a value that the provider left out is unknown, and no difference */
export function compare({ declared, actual, schema, secrets, ignore }) {
    const secretPlaces = new Set(secrets);
    // Neither the config itself nor what is above an ignored value.
    const isLeftOut = (path) => secretPlaces.has(path) || ignore.some((each) => each === path || path.startsWith(`${each}/`));
    const root = schema ?? {};
    const changes = [];
    let compared = 0;
    let unknown = 0;
    function differ(path, left, right) {
        compared += 1;
        const isSecret = secrets.some((each) => each.startsWith(`${path}/`));
        changes.push({ path, declared: left, actual: right, isSecret });
    }
    function visit(left, right, place) {
        const { path } = place;
        if (right === undefined)
            unknown += leaves(left, path, isLeftOut);
        else if (path === '' || !isLeftOut(path))
            visitBoth(left, right, place);
    }
    function visitBoth(left, right, place) {
        if (isJsonObject(left) && isJsonObject(right))
            visitObject(left, right, place);
        else if (isJsonArray(left) && isJsonArray(right))
            visitList(left, right, place);
        else if (left === right)
            compared += 1;
        else
            differ(place.path, left, right);
    }
    /** An object without members declares that there is an object. */
    function visitObject(left, right, { path, applying }) {
        const members = Object.entries(left);
        if (members.length === 0 && path !== '')
            compared += 1;
        for (const [name, value] of members) {
            const below = drawnIn(root, ofMember(applying, name));
            visit(value, ownMember(right, name), { path: pointer(path, name), applying: below });
        }
    }
    function visitList(left, right, { path, applying }) {
        const isSet = [...applying].some((each) => ownMember(each, 'uniqueItems') === true);
        if (left.length !== right.length) {
            differ(path, left, right);
        }
        else if (left.length === 0) {
            compared += 1;
        }
        else if (!isSet) {
            for (const [index, item] of left.entries()) {
                const below = drawnIn(root, ofItem(applying, index));
                visit(item, right[index], { path: pointer(path, `${index}`), applying: below });
            }
        }
        else if (isSameSet(left, right, { path, isLeftOut })) {
            compared += 1;
        }
        else {
            differ(path, left, right);
        }
    }
    visit(declared, actual, { path: '', applying: drawnIn(root, [root]) });
    return { changes, compared, unknown };
}
/** @returns the number of values in a value, without those that are not compared */
function leaves(value, path, isLeftOut) {
    if (path !== '' && isLeftOut(path))
        return 0;
    if (!isJsonObject(value))
        return 1;
    const members = Object.entries(value);
    if (members.length === 0)
        return 1;
    return members.reduce((sum, [name, member]) => sum + leaves(member, pointer(path, name), isLeftOut), 0);
}
/** Pairs of items that are compared at most; a set that needs more, as in an attack, differs. */
const maxPairs = 100_000;
/** Each declared item has an observed one of its own. Equal items are found by their texts, the rest by comparing pairs. */
function isSameSet(declared, actual, { path, isLeftOut }) {
    const byText = Map.groupBy(actual, canonicalJson);
    const others = declared.flatMap((item, index) => {
        const isFound = byText.get(canonicalJson(item))?.pop() !== undefined;
        return isFound ? [] : [{ item, path: pointer(path, `${index}`) }];
    });
    const left = [...byText.values()].flat();
    if (others.length * left.length > maxPairs)
        return false;
    return others.every(({ item, path: at }) => {
        const index = left.findIndex((each) => isSame(item, each, { path: at, isLeftOut }));
        if (index >= 0)
            left.splice(index, 1);
        return index >= 0;
    });
}
/** By value and without coercion. Of objects only what the declared one has, and what is not left out on either side. */
function isSame(declared, actual, within) {
    const { path, isLeftOut } = within;
    if (actual === undefined || isLeftOut(path))
        return true;
    const isSameAt = (name, one, other) => isSame(one, other, { path: pointer(path, name), isLeftOut });
    if (isJsonArray(declared)) {
        return (isJsonArray(actual) &&
            declared.length === actual.length &&
            declared.every((item, index) => isSameAt(`${index}`, item, actual[index])));
    }
    if (!isJsonObject(declared))
        return declared === actual;
    return (isJsonObject(actual) &&
        Object.entries(declared).every(([name, each]) => isSameAt(name, each, ownMember(actual, name))));
}
