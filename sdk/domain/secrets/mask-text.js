// Masks secrets in texts, however they are escaped there.
import { isJsonArray } from '../../lib/json.js';
export const maskedValue = '[masked]';
const minSecretLength = 4;
/** Maximum number of characters compared with secrets; a text that needs more, as in an attack, is masked whole. */
const maxCompared = 5_000_000;
/** @returns the text with `[masked]` in place of each secret of four characters or more, however it is escaped */
export function maskText(text, secrets) {
    const forms = new Set(secrets
        .filter((secret) => secret.length >= minSecretLength)
        .flatMap((each) => spellings(each))
        .filter((form) => form.length >= minSecretLength));
    const covered = new Uint8Array(text.length);
    let left = maxCompared;
    for (const form of forms) {
        left -= cover(covered, form, text);
        if (left < 0)
            return maskedValue;
    }
    return withoutCovered(text, covered);
}
/** @returns the value with `maskText` of each text, and `[masked]` in place of each number that contains a secret */
export function maskTexts(value, secrets) {
    if (typeof value === 'string')
        return maskText(value, secrets);
    if (typeof value === 'number')
        return hasSecret(`${value}`, secrets) ? maskedValue : value;
    if (typeof value !== 'object' || value === null)
        return value;
    if (isJsonArray(value))
        return value.map((item) => maskTexts(item, secrets));
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskTexts(member, secrets)]));
}
/** @returns whether a text contains a secret, as a URL contains a password in its encoded form */
export function hasSecret(text, secrets) {
    return maskText(text, secrets) !== text;
}
/** Overlapping secrets are masked as one: no part of them may remain. */
function withoutCovered(text, covered) {
    let result = '';
    let end = 0;
    for (let from = covered.indexOf(1); from >= 0; from = covered.indexOf(1, end)) {
        result += text.slice(end, from) + maskedValue;
        end = covered.indexOf(0, from);
        if (end < 0)
            return result;
    }
    return result + text.slice(end);
}
function spellings(secret) {
    const encoded = encodeURIComponent(secret.toWellFormed());
    const lower = encoded.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
    const plus = encoded.replaceAll('%20', '+');
    const escaped = JSON.stringify(secret).slice(1, -1);
    // Texts of one line, such as those of a log, have a space for each break.
    return [secret, escaped, encoded, lower, plus, oneLine(secret), oneLine(escaped)];
}
function oneLine(text) {
    return text.trim().replace(/\s+/g, ' ');
}
/**
 * Marks every occurrence of a form in a text, and its beginning at the end of a truncated text. Linear for any input:
 * attackers send forms that overlap with themselves at every character (Knuth, Morris and Pratt).
 * @returns the number of compared characters
 */
function cover(covered, form, text) {
    const isCut = text.endsWith('…');
    // Only the beginning of a longer form can be in the text.
    if (!isCut && (form.length > text.length || !text.includes(form)))
        return text.length / 16;
    const end = isCut ? text.length - 1 : text.length;
    const borders = bordersOf(form, Math.min(form.length, text.length));
    let matched = 0;
    let done = 0;
    for (let at = 0; at < end; at += 1) {
        matched = longer(form, borders, { matched, code: text.charCodeAt(at) });
        if (matched < form.length)
            continue;
        covered.fill(1, Math.max(done, at + 1 - form.length), at + 1);
        done = at + 1;
    }
    if (isCut && matched >= minSecretLength)
        covered.fill(1, end - matched, end);
    return text.length + borders.length;
}
/** @returns the length of the form prefix that the text ends with, after reading one more character */
function longer(form, borders, { matched, code }) {
    let length = matched === form.length ? (borders[matched - 1] ?? 0) : matched;
    while (length > 0 && form.charCodeAt(length) !== code)
        length = borders[length - 1] ?? 0;
    return form.charCodeAt(length) === code ? length + 1 : length;
}
/** @returns for each prefix of a form the length of its longest border */
function bordersOf(form, length) {
    const borders = new Uint32Array(length);
    let matched = 0;
    for (let at = 1; at < length; at += 1) {
        matched = longer(form, borders, { matched, code: form.charCodeAt(at) });
        borders[at] = matched;
    }
    return borders;
}
