import { plainCode, } from '../domain/event.js';
import { isDeleted } from './cancelled.js';
import { withoutFolder } from './crash/describe.js';
import { ProcessExit } from './crash/process-exit.js';
import { isLater, isTerminalFailure, TerminalFailure } from './outcome.js';
const maxMessageLength = 2_048;
/** @returns the response of the protocol; never throws */
export async function runEvent(provider, event, surroundings) {
    const { log, codeFolder } = surroundings;
    const shown = (text) => (codeFolder ? withoutFolder(text, codeFolder) : text);
    const type = provider.types.get(event.resource);
    if (type === undefined) {
        return failure(422, 'unknown_type', `This provider has no type ${event.resource}`);
    }
    try {
        const call = callFrom(type, event, surroundings);
        return replyFrom(type, event, await handle(type, event, call));
    }
    catch (thrown) {
        if (isTerminalFailure(thrown)) {
            warnOfCode(log, thrown.code);
            return failure(422, thrown.code, shown(thrown.message));
        }
        // The event is answered, and the end of the process is in the log.
        if (thrown instanceof ProcessExit)
            return crashed(thrown.message);
        if (isDeleted(surroundings.signal))
            return failure(500, 'cancelled', shown(thrownText(thrown)));
        note(log, thrown);
        return failure(500, 'handler_error', shown(thrownText(thrown)));
    }
}
/** The reply to an event whose handler ended the process. */
export function crashed(message) {
    return failure(500, 'crashed', message);
}
function note(log, thrown) {
    quietly(() => log.error('A handler failed; Fairlead will retry', { error: thrown }));
}
function warnOfCode(log, code) {
    const sent = plainCode(code);
    if (sent === code)
        return;
    const rule = 'A code of fail has only letters, digits, "_", "-" and "."';
    quietly(() => log.warn(`${rule}: "${code}" is recorded as "${sent}"`));
}
/** A failing log of the provider must not prevent the answer. */
function quietly(write) {
    try {
        write();
    }
    catch { }
}
/** A thrown value need not be an error, or convertible to text. */
function thrownText(thrown) {
    const description = thrown instanceof Error ? thrown.message : thrown;
    return typeof description === 'string'
        ? description
        : 'The handler threw a value that is not an Error';
}
function handle(type, event, call) {
    switch (event.event_type) {
        case 'CREATE':
            return type.create(call);
        case 'UPDATE': {
            const previousConfig = lenient(type.config, event.previous_config ?? event.config);
            return type.update({
                ...call,
                previousConfig,
                outputs: lenient(type.outputs, event.outputs),
            });
        }
        case 'DELETE':
            return type.delete({ ...call, ...previousValues(type, event) });
        case 'CANCEL':
            return cancel(type, event, call);
    }
}
function cancel(type, event, call) {
    const { event_id: operationKey } = requiredCancels(event);
    if (type.cancel === undefined) {
        throw new TerminalFailure('not_cancellable', `Type ${type.name} has no handler \`cancel\``);
    }
    return type.cancel({ ...call, operationKey, ...previousValues(type, event) });
}
function previousValues(type, { previous_config, outputs }) {
    const previousConfig = previous_config === null ? null : lenient(type.config, previous_config);
    return { previousConfig, outputs: lenient(type.outputs, outputs) };
}
/** @throws TerminalFailure for an event that Fairlead does not send */
function requiredCancels({ cancels }) {
    if (cancels !== undefined)
        return cancels;
    throw new TerminalFailure('not_an_event', 'A CANCEL must have the member cancels');
}
function callFrom(type, event, { signal, log, settings = {}, traceparent }) {
    return {
        config: configFor(type, event),
        settings,
        key: event.event_id,
        signal,
        log,
        organization: event.organization_id,
        project: event.project_id,
        resource: event.resource,
        name: event.name,
        attempt: event.attempt,
        sequence: event.sequence,
        context: event.context,
        traceparent: traceparent ?? null,
    };
}
function configFor(type, { event_type, config }) {
    // A resource must be deletable although its stored values no longer fit the schema.
    if (returnsNothing(event_type))
        return lenient(type.config, config);
    const parsed = type.config.safeParse(config);
    if (parsed.success)
        return parsed.data;
    throw new TerminalFailure('invalid_config', issueText(parsed.error));
}
function returnsNothing(type) {
    return type === 'DELETE' || type === 'CANCEL';
}
/** Values of an older version of the provider may not fit the current schema; they are passed unparsed. */
function lenient(schema, value) {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : value;
}
function replyFrom(type, event, returned) {
    if (isLater(returned)) {
        const { seconds, message, context } = returned;
        const body = {
            retry_after: seconds,
            ...(message === undefined ? {} : { message }),
            ...(context === undefined ? {} : { context: asSent(context) }),
        };
        return { status: 202, body };
    }
    if (returnsNothing(event.event_type))
        return { status: 200, body: { outputs: {} } };
    const parsed = type.outputs.safeParse(returned);
    if (!parsed.success)
        return failure(422, 'invalid_outputs', issueText(parsed.error));
    return succeeded(parsed.data);
}
function succeeded(outputs) {
    try {
        return { status: 200, body: { outputs: asSent(outputs) } };
    }
    catch {
        return failure(422, 'invalid_outputs', 'The outputs cannot be serialized as JSON');
    }
}
/** @throws TypeError for values that JSON cannot represent: bigint, circular values */
function asSent(value) {
    return JSON.parse(JSON.stringify(value));
}
function issueText(error) {
    return error.issues
        .slice(0, 5)
        .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
        .join('; ');
}
function failure(status, code, message) {
    const [line = ''] = message.split('\n');
    return { status, body: { error: { code, message: line.slice(0, maxMessageLength) } } };
}
