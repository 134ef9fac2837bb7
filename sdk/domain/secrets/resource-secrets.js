// What is secret in a resource: one answer over its config, the config that its provider applied last, and its outputs, with the
// marks of the schemas of now and those that were recorded when each of them was stored. Whatever shows or stores a part of a
// resource elsewhere asks here.
import { isJsonArray, pointer } from '../../lib/json.js';
import { mayHide, secretsIn, textsIn, walk } from './marks.js';
import { hasSecret } from './mask-text.js';
/** For a content that is not stored: another schema never applied to it. */
export const nothingRecorded = {
    appliedConfig: undefined,
    declared: [],
    applied: [],
};
/**
 * A place that was secret in one of the configs is secret in all parts. An inserted output is not: the declared config has
 * its reference there.
 */
export function marksOfResource({ declared, applied, received = [], returned = [] }, schemas) {
    const places = [...new Set([...(declared ?? []), ...(applied ?? [])])];
    const ofConfig = schemas?.config;
    const inserted = [...places, ...received];
    return {
        config: { schemas: ofConfig, places, isRecorded: declared !== undefined },
        applied: { schemas: ofConfig, places: inserted, isRecorded: applied !== undefined },
        outputs: {
            schemas: schemas && [...schemas.config, ...schemas.outputs],
            places: [...inserted, ...returned],
            isRecorded: true,
        },
    };
}
/** @returns whether a resource may have secrets that `withoutSecrets` hides, as far as marks and records say */
export function mayHaveSecrets(secrets, schemas) {
    return mayHide(marksOfResource(secrets, schemas).outputs);
}
/** @returns JSON Pointers of everything secret in the applied config, or in another value of its form */
export function appliedSecretPlaces(recorded, schemas, value) {
    const places = [];
    walk(marksOfResource(recorded, schemas).applied, value, (secret, path) => {
        places.push(path);
        return secret;
    });
    return places;
}
const maxRecorded = 50;
const maxRecordedCharacters = 4_096;
/** @returns the places to record for a config or outputs that are stored now; undefined while their schemas are unknown */
export function placesToRecord(value, marks) {
    if (marks.schemas === undefined)
        return undefined;
    const places = [];
    walk(marks, value, (secret, path) => {
        places.push(path);
        return secret;
    });
    return bounded(places);
}
/** @returns the places as a resource can record them: the one that stands for all, when they are too many */
export function bounded(places) {
    const isLong = places.length > maxRecorded || places.join('').length > maxRecordedCharacters;
    return isLong ? [''] : places;
}
/**
 * @param received by the config, whose references are resolved then
 * @returns the secrets of both configs and of the outputs, as texts to search for
 */
export function secretTexts({ config, outputs, secrets }, schemas, received = { places: [], texts: [] }) {
    const marks = marksOfResource(secrets, schemas);
    const within = (of, value) => secretsIn({ ...of, places: [...of.places, ...received.places] }, value);
    return [
        ...new Set([
            ...within(marks.config, config),
            ...within(marks.applied, secrets.appliedConfig ?? {}),
            ...secretsIn(marks.outputs, outputs),
            ...received.texts,
        ]),
    ];
}
/** Names of members are repeated in paths, so many paths could be longer than the record. */
const maxPaths = 200;
const maxPathCharacters = 32_768;
/** Texts of outputs times secrets; what needs more, as in an attack, is hidden whole. */
const maxComparisons = 10_000;
const tooMuch = Symbol('hidden whole');
/**
 * Hides secrets from people who may only view a record: null in their place. Outputs are hidden where their schema marks them,
 * where they have the place of a secret, and where a text or number contains a secret of one of the configs or of the outputs.
 * The outputs of an unknown config may contain any secret, so their texts are hidden.
 * @param schemas of the type; undefined when it is unknown, and then every value is hidden
 */
export function withoutSecrets({ config, outputs, secrets }, schemas) {
    const marks = marksOfResource(secrets, schemas);
    if (!mayHide(marks.outputs))
        return { config, outputs, masked: [] };
    const ofConfig = hidden('/config', config, (replace) => walk(marks.config, config, (_secret, path) => replace(path)));
    const ofOutputs = hidden('/outputs', outputs, (replace) => {
        const shown = walk(marks.outputs, outputs, (_secret, path) => replace(path));
        if (secrets.appliedConfig === undefined && mayHide(marks.applied) && !isEmpty(outputs)) {
            return withoutTexts(shown, { isHidden: (value) => typeof value === 'string', replace });
        }
        const texts = secretTexts({ config, outputs, secrets }, schemas);
        if (texts.length === 0)
            return shown;
        if (texts.length * [...textsIn(outputs)].length > maxComparisons)
            return tooMuch;
        return withoutTexts(shown, { isHidden: (value) => hasSecret(`${value}`, texts), replace });
    });
    return {
        config: ofConfig.value,
        outputs: ofOutputs.value,
        masked: [...ofConfig.paths, ...ofOutputs.paths],
    };
}
/** @returns what `withoutSecrets` returns for a content that is not stored, such as one that somebody writes */
export function withoutMarked(contents, schemas) {
    const secrets = { ...nothingRecorded, appliedConfig: contents.config };
    return withoutSecrets({ ...contents, secrets }, schemas);
}
function hidden(root, whole, hide) {
    const paths = [];
    let characters = 0;
    const isLong = () => paths.length > maxPaths || characters > maxPathCharacters;
    const value = hide((path) => {
        characters += path.length;
        if (!isLong())
            paths.push(`${root}${path}`);
        return null;
    });
    if (value !== tooMuch && !isLong())
        return { value: value, paths };
    return isEmpty(whole) ? { value: whole, paths: [] } : { value: {}, paths: [root] };
}
function withoutTexts(value, search, path = '') {
    const isText = typeof value === 'string' || typeof value === 'number';
    if (isText)
        return search.isHidden(value) ? search.replace(path) : value;
    if (typeof value !== 'object' || value === null)
        return value;
    if (isJsonArray(value)) {
        return value.map((item, index) => withoutTexts(item, search, pointer(path, `${index}`)));
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [
        name,
        withoutTexts(member, search, pointer(path, name)),
    ]));
}
function isEmpty(value) {
    return Object.keys(value).length === 0;
}
