// The answer of the protocol to an event, from what its handler returned.
import { maxOutputsBytes, } from '../../domain/event.js';
import { firstTypeVersion } from '../../domain/type-version.js';
import { jsonBytes } from '../../lib/json.js';
import { asJson } from '../as-json.js';
import { issueText } from '../failure-text.js';
import { isRemoval } from '../migrations/event-values.js';
import { versionOf } from '../migrations/migrate.js';
import { isLater } from '../outcome.js';
const maxMessageLength = 2_048;
/** @param returned what the handler returned */
export function replyFrom(type, event, returned) {
    if (isLater(returned)) {
        const { seconds, message, progress, context } = returned;
        const body = {
            retry_after: seconds,
            ...(message === undefined ? {} : { message }),
            ...(progress === undefined ? {} : { progress }),
            ...(context === undefined ? {} : { context: asJson(context) }),
        };
        return { status: 202, body };
    }
    if (isRemoval(event))
        return { status: 200, body: { outputs: {} } };
    const parsed = type.outputs.safeParse(returned);
    if (!parsed.success)
        return failure(422, 'invalid_outputs', issueText(parsed.error));
    return succeededReply(parsed.data, answeredVersion(type, event));
}
function succeededReply(outputs, version) {
    try {
        const sent = asJson(outputs);
        const bytes = jsonBytes(sent);
        if (bytes > maxOutputsBytes)
            return outputsTooLarge(bytes);
        return { status: 200, body: { outputs: sent, ...version } };
    }
    catch {
        return failure(422, 'invalid_outputs', 'The outputs cannot be serialized as JSON');
    }
}
/** Fairlead would refuse the answer, or not even read it and call the handler again for the same failure. */
function outputsTooLarge(bytes) {
    const message = `The outputs have ${bytes} bytes of JSON, of at most ${maxOutputsBytes}; return less, such as the address of what is large`;
    return failure(422, 'outputs_too_large', message);
}
/** Where nobody declares versions, the answer has none. */
export function answeredVersion(type, { schema_version }) {
    const isUnversioned = type.version === undefined && schema_version === firstTypeVersion;
    return isUnversioned ? {} : { outputs_schema_version: versionOf(type) };
}
/** The reply to an event whose handler ended the process. */
export function crashed(message) {
    return failure(500, 'crashed', message);
}
/** The reply to an event that is to be sent again after a wait. */
export function waitReply({ code, seconds, scope }, message) {
    const { status, body } = failure(429, code, message);
    // Whole seconds: a wait must not end early.
    return { status, body: { ...body, retry_scope: scope }, retryAfter: Math.ceil(seconds) };
}
export function failure(status, code, message) {
    const [line = ''] = message.split('\n');
    return { status, body: { error: { code, message: line.slice(0, maxMessageLength) } } };
}
