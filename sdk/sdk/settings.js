import { settingsIn, settingsProblems, settingValue, } from '../domain/schemas/setting-schema.js';
import { percentDecoded } from '../lib/text.js';
import { jsonSchemaOf } from './json-schema.js';
export class InvalidSettings extends Error {
    name = 'InvalidSettings';
}
/** @returns the JSON Schema of the settings, in the form that people give; undefined when the provider declares none */
export function settingsSchemaOf({ settings }) {
    if (settings === undefined)
        return undefined;
    return jsonSchemaOf(settings, { io: 'input', what: 'their schema' });
}
/** @returns the settings of a provider with what is needed to read them */
export function declaredSettings(provider) {
    return settingsIn(settingsSchemaOf(provider));
}
/** @param texts the stored forms by name; others than declared ones are ignored */
export function settingValues(declared, texts) {
    const found = declared.flatMap((setting) => {
        const text = texts.get(setting.name);
        return text === undefined ? [] : [[setting.name, settingValue(setting, text)]];
    });
    return Object.fromEntries(found);
}
/**
 * @param values as people give them; defaults are filled in
 * @returns the settings for handlers; an empty object when the provider declares none
 * @throws InvalidSettings
 */
export async function parseSettings({ settings }, values) {
    if (settings === undefined)
        return {};
    const result = await safelyParsed(settings, values);
    if (result.success)
        return result.data;
    const problems = new Map(result.error.issues.map((issue) => [
        `${String(issue.path[0] ?? 'settings')}`,
        issueProblem(issue, values),
    ]));
    const list = [...problems].map(([name, problem]) => `${name} ${problem}`).join('; ');
    throw new InvalidSettings(`${settingsProblems.invalid}: ${list}`);
}
async function safelyParsed(settings, values) {
    try {
        return await settings.safeParseAsync(values);
    }
    catch {
        // Not what was thrown: errors of transformations quote their input.
        const why = 'a transformation of their schema failed';
        throw new InvalidSettings(`${settingsProblems.invalid}: ${why}`);
    }
}
/** Messages of the schema's author may quote the value. */
function issueProblem(issue, values) {
    const [name] = issue.path;
    if (typeof name === 'string' && !Object.hasOwn(values, name))
        return 'is not set';
    if (issue.path.length === 1 && issue.code === 'invalid_type')
        return `must be a ${issue.expected}`;
    return `does not fit its schema (${issue.code})`;
}
/**
 * @param values as people give them
 * @returns a text of the author's code in which the names of settings stand for what is secret in them: sensitive values, and
 * passwords in addresses. Others are ordinary words, which many sentences have.
 */
export function withoutSettings(provider, values, text) {
    const isSecret = secretNames(provider);
    const found = Object.entries(values).flatMap(([name, value]) => (isSecret(name) ? secretParts(value) : innerTexts(value).flatMap(passwordsOf)).map((each) => [name, each]));
    return found
        .sort(([, left], [, right]) => right.length - left.length)
        .reduce((shown, [name, each]) => shown.replaceAll(each, `(${name})`), text);
}
function secretNames(provider) {
    try {
        const secrets = declaredSettings(provider).filter(({ isSensitive }) => isSensitive);
        const names = new Set(secrets.map(({ name }) => name));
        return (name) => names.has(name);
    }
    catch {
        // Without a JSON Schema, nobody says which are.
        return () => true;
    }
}
/** @returns the texts and numbers of a value, and the passwords of addresses among them: libraries quote these alone */
function secretParts(value) {
    return innerTexts(value).flatMap((text) => [text, ...passwordsOf(text)]);
}
function innerTexts(value) {
    if (typeof value === 'object' && value !== null)
        return Object.values(value).flatMap(innerTexts);
    if (typeof value === 'number')
        return [String(value)];
    return typeof value === 'string' && value !== '' ? [value] : [];
}
function passwordsOf(text) {
    const password = URL.parse(text)?.password ?? '';
    return [password, percentDecoded(password)].filter((each) => each !== '');
}
