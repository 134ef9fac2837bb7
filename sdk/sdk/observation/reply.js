import { maxAnswerBytes, maxOutputsBytes, } from '../../domain/event.js';
import { isJsonObject, jsonBytes } from '../../lib/json.js';
import { issueText } from '../failure-text.js';
import { declaredConfig } from '../migrations/event-values.js';
import { isLater, TerminalFailure } from '../outcome.js';
import { answeredVersion } from '../serve/reply.js';
import { isGone } from './results.js';
/**
 * @returns what identifies an imported object, parsed by its schema; null for one that Fairlead created
 * @throws TerminalFailure `invalid_adopt` when it does not fit
 */
export function adoptedObject({ adopt }, event) {
    const given = event.adopt ?? null;
    if (given === null || adopt === undefined)
        return given;
    const parsed = adopt.safeParse(given);
    if (parsed.success)
        return parsed.data;
    throw new TerminalFailure('invalid_adopt', issueText(parsed.error));
}
/**
 * @param returned what `observe` returned
 * @throws TerminalFailure when it is no observation
 * @throws Error when it is a `later`
 */
export function observedBody(type, event, returned) {
    if (isLater(returned)) {
        throw new Error('observe returned later, and an observation has no later end: return what exists now, or throw an error');
    }
    if (isGone(returned))
        return { exists: false };
    if (!isObservation(returned)) {
        const rule = 'observe must return gone(), or an object with the objects config and outputs';
        throw new TerminalFailure('invalid_observation', rule);
    }
    const { outputs_schema_version: version } = answeredVersion(type, event);
    const declared = declaredConfig(type, event);
    return fittingAnswer({
        exists: true,
        config: sentValue('config', returned.config),
        outputs: sentValue('outputs', fittingOutputs(type.outputs, returned.outputs)),
        ...(version === undefined ? {} : { schema_version: version, outputs_schema_version: version }),
        ...(declared === undefined ? {} : { declared: sentValue('config', declared) }),
    });
}
/** Fairlead does not read a larger answer, which would look like a provider that is broken. */
function fittingAnswer(body) {
    const bytes = jsonBytes(body);
    if (bytes <= maxAnswerBytes)
        return body;
    throw new TerminalFailure('outputs_too_large', `The observation has ${bytes} bytes of JSON, of at most ${maxAnswerBytes}; leave out what is large`);
}
function isObservation(value) {
    return isJsonObject(value) && isJsonObject(value['config']) && isJsonObject(value['outputs']);
}
/** Outputs may be missing. Given ones must fit, because users of references get them. */
function fittingOutputs(schema, outputs) {
    const parsed = schema.safeParse(outputs);
    if (parsed.success)
        return parsed.data;
    const isMissing = ({ path }) => path.length === 1 && outputs[path[0]] === undefined;
    if (!parsed.error.issues.every(isMissing)) {
        throw new TerminalFailure('invalid_outputs', issueText(parsed.error));
    }
    // Only objects with fields miss some.
    const { shape = {}, def } = schema;
    const fitted = Object.entries(outputs).flatMap(([name, value]) => {
        const own = Object.hasOwn(shape, name) ? shape[name] : def?.catchall;
        const field = own;
        return field === undefined || value === undefined ? [] : [[name, field.parse(value)]];
    });
    return Object.fromEntries(fitted);
}
function sentValue(what, value) {
    const sent = toJson(what, value);
    const bytes = jsonBytes(sent);
    if (bytes <= maxOutputsBytes)
        return sent;
    throw new TerminalFailure('outputs_too_large', `The observed ${what} have ${bytes} bytes of JSON, of at most ${maxOutputsBytes}; leave out what is large`);
}
function toJson(what, value) {
    try {
        return JSON.parse(JSON.stringify(value));
    }
    catch {
        const message = `The observed ${what} cannot be serialized as JSON`;
        throw new TerminalFailure('invalid_observation', message);
    }
}
