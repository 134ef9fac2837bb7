// A resource of a check, with events as Fairlead sends them, one by one.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultTimeoutSeconds } from '../../domain/event.js';
import { firstTypeVersion } from '../../domain/type-version.js';
import { step } from './step.js';
export function createLife(provider, type, options) {
    const { name = newName(), organization = 'testing', config, changed, found } = options;
    const { timeoutSeconds = defaultTimeoutSeconds, version = firstTypeVersion } = type;
    const { timeoutMs = timeoutSeconds * 1_000, cancelMs = 5_000, maximumDelayMs, log } = options;
    let sequence = 0;
    const nextSequence = () => {
        sequence += 1;
        return sequence;
    };
    const common = {
        organization_id: organization,
        project_id: 'default',
        provider: provider.name,
        resource: type.name,
        name,
        config,
        schema_version: version,
        previous_config: null,
        previous_schema_version: null,
        outputs: {},
        outputs_schema_version: version,
        attempt: 1,
        generation: 1,
        context: null,
    };
    return {
        type,
        name,
        organization,
        config,
        changed,
        found,
        cancelMs,
        sequence: () => sequence,
        send: (event, how = {}) => deliverEvent(provider, { ...common, event_type: 'CREATE', event_id: newKey(), ...event }, { timeoutMs, maximumDelayMs, log, ...options.process(), nextSequence, ...how }),
    };
}
/** @returns an update, without a change unless `config` is another one than `previous` */
export function updateOf(life, { outputs, previous = life.config, config }) {
    const { version = firstTypeVersion } = life.type;
    return {
        event_type: 'UPDATE',
        previous_config: previous,
        previous_schema_version: version,
        config: config ?? previous,
        outputs,
    };
}
export function newKey() {
    return `evt-${randomUUID().replaceAll('-', '')}`;
}
export function newName() {
    return `test-${randomUUID().slice(0, 8)}`;
}
/** The ending of an event whose handler returned `later` and is not called again here: Fairlead would do so. */
const postponed = {
    kind: 'failed',
    terminal: false,
    code: 'later',
    message: 'The handler requested another call',
};
/** Repeats the delivery with the same key while the handler returns `later`. */
async function deliverEvent(provider, event, { timeoutMs, maximumDelayMs, nextSequence, signal, once = false, ...handling }) {
    const deadline = new AbortController();
    const late = Promise.withResolvers();
    const timer = setTimeout(() => {
        late.resolve({ kind: 'unanswered', afterMs: timeoutMs });
        deadline.abort(new Error('The client closed the connection'));
    }, timeoutMs);
    const whole = AbortSignal.any(signal === undefined ? [deadline.signal] : [deadline.signal, signal]);
    async function ask(context) {
        const asked = { ...event, context, sequence: event.sequence ?? nextSequence() };
        const taken = await step(provider, asked, { ...handling, signal: whole });
        if (taken.kind !== 'later')
            return taken;
        if (once)
            return postponed;
        const delay = Math.min(taken.delayMs, maximumDelayMs);
        await pause(delay, undefined, { signal: whole }).catch(() => undefined);
        return whole.aborted ? postponed : await ask(taken.context);
    }
    try {
        return await Promise.race([ask(event.context), late.promise]);
    }
    finally {
        clearTimeout(timer);
    }
}
