// Passes a verified event to its handler and returns the answer. No error of a handler escapes.
import { maxAskedSeconds } from '../domain/delivery-options.js';
import { plainCode } from '../domain/event.js';
import { isDeleted } from './cancelled.js';
import { withoutFolder } from './crash/describe.js';
import { ProcessExit } from './crash/process-exit.js';
import { thrownText } from './failure-text.js';
import { eventValues } from './migrations/event-values.js';
import { isLater, isTemporaryFailure, isTerminalFailure, TerminalFailure } from './outcome.js';
import { reporterTo, withProgress } from './progress.js';
import { crashed, failure, replyFrom, waitReply } from './reply.js';
/** @returns the response of the protocol; never throws */
export async function runEvent(provider, event, surroundings) {
    const { log, codeFolder } = surroundings;
    const shown = (text) => (codeFolder ? withoutFolder(text, codeFolder) : text);
    const type = provider.types.get(event.resource);
    if (type === undefined) {
        return failure(422, 'unknown_type', `This provider has no type ${event.resource}`);
    }
    try {
        const values = eventValues(type, event);
        const call = callFrom(values.config, event, surroundings);
        const returned = await handle(type, { event, call, values });
        if (isLater(returned))
            warnOfWait(log, returned.seconds);
        return replyFrom(type, event, withProgress(returned, surroundings.progress));
    }
    catch (thrown) {
        if (isTerminalFailure(thrown)) {
            warnOfCode(log, thrown.code);
            return failure(422, thrown.code, shown(thrown.message));
        }
        if (isTemporaryFailure(thrown)) {
            warnOfCode(log, thrown.code);
            warnOfWait(log, thrown.seconds);
            return waitReply(thrown, shown(thrown.message));
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
function note(log, thrown) {
    quietly(() => log.error('A handler failed; Fairlead will retry', { error: thrown }));
}
function warnOfCode(log, code) {
    const sent = plainCode(code);
    if (sent === code)
        return;
    const rule = 'A code has only letters, digits, "_", "-" and "."';
    quietly(() => log.warn(`${rule}: "${code}" is recorded as "${sent}"`));
}
function warnOfWait(log, seconds) {
    if (seconds <= maxAskedSeconds)
        return;
    const cut = `A handler asks to wait for ${seconds} s, and Fairlead waits for an hour at most`;
    quietly(() => log.warn(`${cut}; it calls the handler then`));
}
/** A failing log of the provider must not prevent the answer. */
function quietly(write) {
    try {
        write();
    }
    catch { }
}
function handle(type, { event, call, values }) {
    const { config, previousConfig, outputs } = values;
    switch (event.event_type) {
        case 'CREATE':
            return type.create(call);
        case 'UPDATE':
            return type.update({ ...call, previousConfig: previousConfig ?? config, outputs });
        case 'DELETE':
            return type.delete({ ...call, previousConfig, outputs });
        case 'OBSERVE':
            throw new TerminalFailure('not_observable', `Type ${type.name} has no handler \`observe\``);
        case 'CANCEL': {
            const { event_id: operationKey } = requiredCancels(event);
            if (type.cancel === undefined) {
                const message = `Type ${type.name} has no handler \`cancel\``;
                throw new TerminalFailure('not_cancellable', message);
            }
            return type.cancel({ ...call, operationKey, previousConfig, outputs });
        }
    }
}
/** @throws TerminalFailure for an event that Fairlead does not send */
function requiredCancels({ cancels }) {
    if (cancels !== undefined)
        return cancels;
    throw new TerminalFailure('not_an_event', 'A CANCEL must have the member cancels');
}
function callFrom(config, event, { progress, signal, log, settings = {}, started = {}, traceparent }) {
    return {
        ...started,
        config,
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
        progress: reporterTo(progress),
    };
}
