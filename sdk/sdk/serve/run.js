import { eventValues } from '../migrations/event-values.js';
import { adoptedObject, observedBody } from '../observation/reply.js';
import { isLater, TerminalFailure } from '../outcome.js';
import { reporterTo, withProgress } from '../progress.js';
import { failure, replyFrom } from './reply.js';
import { thrownReply, warnOfWait } from './thrown-reply.js';
/** @returns the response of the protocol; never throws */
export async function runEvent(provider, event, surroundings) {
    const type = provider.types.get(event.resource);
    if (type === undefined) {
        return failure(422, 'unknown_type', `This provider has no type ${event.resource}`);
    }
    try {
        const values = eventValues(type, event);
        const call = callFrom(values.config, event, surroundings);
        const returned = await handle(type, { event, call, values });
        return replyTo(type, { event, returned, surroundings });
    }
    catch (thrown) {
        const isObservation = event.event_type === 'OBSERVE';
        const logged = isObservation ? 'Nothing was observed' : 'A handler failed; Fairlead will retry';
        return thrownReply(thrown, surroundings, logged);
    }
}
function replyTo(type, { event, returned, surroundings }) {
    if (event.event_type === 'OBSERVE') {
        return { status: 200, body: observedBody(type, event, returned) };
    }
    if (isLater(returned))
        warnOfWait(surroundings.log, returned.seconds);
    return replyFrom(type, event, withProgress(returned, surroundings.progress));
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
        case 'OBSERVE': {
            if (type.observe === undefined) {
                const message = `Type ${type.name} has no handler \`observe\``;
                throw new TerminalFailure('not_observable', message);
            }
            return type.observe({ ...call, outputs, adopt: adoptedObject(type, event) });
        }
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
