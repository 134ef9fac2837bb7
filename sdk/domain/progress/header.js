// The header of an interim response (102) that reports progress: `Fairlead-Progress: done=3, total=10, message="Copying"`, a
// dictionary of structured field values (RFC 9651). Pure.
import { parseProgress } from './value.js';
export const progressHeader = 'fairlead-progress';
/** A message of 200 characters, each of three bytes and so nine characters, fits, with room for what other releases may add. */
const maxLength = 4_096;
/** @param progress as `parseProgress` returns it */
export function progressField({ done, total, message }) {
    return [
        ...(done === undefined ? [] : [`done=${done}`]),
        ...(total === undefined ? [] : [`total=${total}`]),
        ...(message === undefined ? [] : [`message=${headerText(message)}`]),
    ].join(', ');
}
/** A string of RFC 9651 has only the visible characters of ASCII; a display string has any, encoded. */
function headerText(message) {
    if (/^[ -~]*$/.test(message))
        return `"${message.replace(/["\\]/g, '\\$&')}"`;
    const bytes = new TextEncoder().encode(message);
    const encoded = Array.from(bytes, (byte) => {
        const character = String.fromCharCode(byte);
        return /[ -~]/.test(character) && !/["%]/.test(character)
            ? character
            : `%${byte.toString(16).padStart(2, '0')}`;
    });
    return `%"${encoded.join('')}"`;
}
const key = '[a-z*][a-z0-9_.*-]*';
const item = [
    '-?\\d{1,12}\\.\\d{1,3}|-?\\d{1,15}',
    '"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"',
    '%"(?:[ !#$&-~]|%[0-9a-f]{2})*"',
    // Booleans, byte sequences, dates and tokens: of no member that is read.
    "\\?[01]|:[A-Za-z0-9+/=]*:|@-?\\d{1,15}|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*",
].join('|');
const parameters = `(?:; *${key}(?:=(?:${item}))?)*`;
const member = new RegExp(`(?<key>${key})(?:=(?<value>${item}))?${parameters}[ \\t]*(?:,[ \\t]*(?=\\S)|$)`, 'y');
/**
 * @param field from any provider
 * @returns undefined for what is no such dictionary, and for values that do not fit; members of other names are ignored
 */
export function progressInField(field) {
    const found = headerMembers(field);
    const parsed = found && parseProgress(found);
    return parsed === undefined || 'problem' in parsed ? undefined : parsed;
}
function headerMembers(field) {
    if (field.length > maxLength)
        return undefined;
    const members = new Map();
    member.lastIndex = 0;
    while (member.lastIndex < field.length) {
        const { key: name, value } = member.exec(field)?.groups ?? {};
        if (name === undefined)
            return undefined;
        members.set(name, itemValue(value));
    }
    return Object.fromEntries(members);
}
function itemValue(item) {
    if (item === undefined)
        return true;
    if (/^[-\d]/.test(item))
        return Number(item);
    if (item.startsWith('"'))
        return item.slice(1, -1).replace(/\\(.)/g, '$1');
    return item.startsWith('%"') ? decoded(item.slice(2, -1)) : item;
}
/** @returns null when the bytes are not UTF-8 */
function decoded(encoded) {
    try {
        return decodeURIComponent(encoded);
    }
    catch {
        return null;
    }
}
