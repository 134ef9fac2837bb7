// Writes a regular expression as the pattern of a JSON Schema, which has no flags: as groups with modifiers, which JavaScript and
// RE2 know. An expression is refused that would mean something else as a pattern. Pure.
/** Escapes, classes with what they begin with, and the rest. */
const parts = /\\(?:[pPu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*|./gs;
/**
 * @param path of the schema in the JSON Schema
 * @throws TypeError for an expression that no pattern can stand for
 */
export function patternText(regExp, path) {
    const { source, flags } = regExp;
    const problem = problemOf(regExp);
    if (problem !== undefined) {
        const place = path.length === 0 ? '' : ` at ${path.join('.')}`;
        throw new TypeError(`the regular expression ${regExp}${place} ${problem}`);
    }
    // RE2 has classes such as [:alpha:] there.
    const text = source.replace(parts, (part) => part.startsWith('[') ? `[${part.slice(1).replaceAll('[:', '\\[:')}` : part);
    const modifiers = [...'ims'].filter((flag) => flags.includes(flag)).join('');
    const modified = modifiers === '' ? text : `(?${modifiers}:${text})`;
    return flags.includes('y') ? `^(?:${modified})` : modified;
}
function problemOf({ source, unicode, unicodeSets }) {
    const found = [...source.matchAll(parts)].map(([part]) => part);
    if (unicodeSets && found.some(isSetOperation)) {
        return 'has the flag v with nested classes or set operations, which patterns do not have; list the characters';
    }
    const needsUnicode = found.some((part) => /\\[pPu]\{/.test(part));
    return needsUnicode && !unicode && !unicodeSets
        ? 'has \\p{…} or \\u{…}, which mean that only with the flag u; add it'
        : undefined;
}
function isSetOperation(part) {
    return part.startsWith('\\q') || (part.startsWith('[') && /[^\\][[]|--|&&|\\q/.test(part));
}
