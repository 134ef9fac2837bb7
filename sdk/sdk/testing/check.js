// Takes a type through the life of one resource, including repeated events, events without a change, aborted events and events
// for deleted resources. Reports the expected and the actual result of every broken rule.
import { randomUUID } from 'node:crypto';
import { defaultTimeoutSeconds } from '../../domain/event.js';
import { registrationsOf } from '../registrations.js';
import { parseSettings } from '../settings.js';
import { deliver } from './deliver.js';
import { findings, shown } from './findings.js';
import { observed } from './observe.js';
/**
 * Checks every type of a provider, one after the other, with `checkType`. It needs neither a cluster nor a network of its own.
 *
 * @param provider the provider, made by `provider`
 * @param cases a configuration for each of its types
 * @param options names, times and the log of the check
 * @returns when every check has passed
 * @throws AggregateError with one Error for each broken rule; its message lists them all
 * @example
 * ```ts
 * it('keeps its promises', async () => {
 *   await testProvider(storage, {
 *     bucket: { config: { region: 'eu-central-1' }, changed: { region: 'eu-west-1' } },
 *   });
 * });
 * ```
 */
export async function testProvider(provider, cases, options = {}) {
    const found = findings(`Provider ${provider.name}`);
    for (const type of Object.keys(cases).filter((name) => !provider.types.has(name))) {
        found.add(`cases: expected types of the provider, saw "${type}", which it does not have`);
    }
    for (const name of provider.types.keys()) {
        const given = cases[name];
        if (given === undefined)
            found.add(`cases: expected one for type "${name}", saw none`);
        else
            await runType(provider, name, { given, options, found: found.below(name) });
    }
    found.throwIfAny();
}
/**
 * Checks one type: create twice with one key, update without a change, update to `changed`, a signal that is aborted
 * before and during a call, delete twice, delete of a resource that never existed, and an unknown type. The resource is
 * deleted at the end, also when a rule is broken.
 *
 *     await checkType(postgres, 'database', { config: { name: 'orders' } });
 *
 * @throws AggregateError with one Error for every broken rule; its message lists them all
 */
export async function checkType(provider, type, given, options = {}) {
    const found = findings(`Type ${type} of provider ${provider.name}`);
    await runType(provider, type, { given, options, found });
    found.throwIfAny();
}
async function runType(provider, name, { given, options, found }) {
    const type = provider.types.get(name);
    if (type === undefined) {
        const known = [...provider.types.keys()].join(', ') || 'none';
        return found.add(`type: expected one of ${known}, saw "${name}"`);
    }
    checkSchemas({ ...provider, types: new Map([[name, type]]) }, found);
    const isUsable = fits(type, given.config, { found, what: 'config' });
    const isChangeUsable = given.changed === undefined || fits(type, given.changed, { found, what: 'changed' });
    const settings = await settingsFor(provider, options, found);
    if (isUsable && isChangeUsable && settings !== undefined) {
        await live(lifeOf(provider, type, { given, options: { ...options, settings }, found }));
    }
}
/** @returns the parsed settings, unless they do not fit */
async function settingsFor(provider, { settings = {} }, found) {
    try {
        return await parseSettings(provider, settings);
    }
    catch (thrown) {
        found.add(`settings: expected values that fit the schema, saw that ${shown(thrown)}`);
        return undefined;
    }
}
function checkSchemas(provider, found) {
    try {
        registrationsOf(provider);
    }
    catch (thrown) {
        found.add(`schema: expected JSON Schemas, saw that ${shown(thrown)}`, thrown);
    }
}
function fits(type, config, { found, what }) {
    const parsed = type.config.safeParse(config);
    if (!parsed.success)
        found.add(`${what}: expected a value that matches the schema, saw ${shown(parsed.error)}`);
    return parsed.success;
}
function lifeOf(provider, type, { given, options, found }) {
    const { name = `test-${randomUUID().slice(0, 8)}`, organization = 'testing' } = options;
    const { timeoutSeconds = defaultTimeoutSeconds } = type;
    const { timeoutMs = timeoutSeconds * 1_000, cancelMs = 5_000, maximumDelayMs = 1_000 } = options;
    const { log = silent, settings = {} } = options;
    const config = asJson(given.config);
    const changed = given.changed === undefined ? undefined : asJson(given.changed);
    const sent = changed === undefined ? [config] : [config, changed];
    const watched = observed(provider, type, { sent, found });
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
        schema_version: 1,
        previous_config: null,
        previous_schema_version: null,
        outputs: {},
        outputs_schema_version: 1,
        attempt: 1,
        generation: 1,
        context: null,
    };
    return {
        type,
        config,
        changed,
        found,
        cancelMs,
        send: (event, how = {}) => deliver(watched, { ...common, event_type: 'CREATE', event_id: newKey(), ...event }, { timeoutMs, maximumDelayMs, log, settings, nextSequence, ...how }),
    };
}
async function live(life) {
    const outputs = await createTwice(life);
    const last = outputs === undefined ? undefined : await changes(life, outputs);
    await deleteTwice(life, last ?? outputs ?? {});
    await unknown(life);
}
/** @returns the outputs, unless it could not be created */
async function createTwice({ send, found }) {
    const event_id = newKey();
    const first = await send({ event_id });
    const outputs = found.outputs('create', first);
    const second = await send({ event_id, attempt: 2 });
    found.same('create, again with the same key', second, outputs);
    return outputs;
}
async function changes(life, created) {
    const { send, found, config, changed } = life;
    const unchanged = {
        event_type: 'UPDATE',
        previous_config: config,
        previous_schema_version: 1,
        outputs: created,
    };
    found.same('update without a change', await send({ ...unchanged, generation: 2 }), created);
    await cancel(life, unchanged);
    found.same('update after one that was cancelled', await send({ ...unchanged, generation: 3 }), created);
    if (changed === undefined)
        return created;
    const event = { ...unchanged, event_id: newKey(), generation: 4, config: changed };
    const outputs = found.outputs('update to `changed`', await send(event));
    const again = await send({ ...event, attempt: 2 });
    found.same('update to `changed`, again with the same key', again, outputs);
    return outputs ?? created;
}
/** An aborted handler must end, and may succeed or fail in a way that Fairlead retries, but not permanently. */
async function cancel({ send, found, cancelMs }, event) {
    const before = await send(event, { signal: AbortSignal.abort(cut()), timeoutMs: cancelMs });
    found.cancelled('update with an already aborted signal', before);
    const during = new AbortController();
    const ending = send(event, { signal: during.signal, timeoutMs: cancelMs });
    setImmediate(() => during.abort(cut()));
    found.cancelled('update whose signal is aborted while it runs', await ending);
}
async function deleteTwice({ send, found }, outputs) {
    const event = { event_type: 'DELETE', event_id: newKey(), generation: 5, outputs };
    found.outputs('delete', await send(event));
    found.outputs('delete, again with the same key', await send({ ...event, attempt: 2 }));
    const never = {
        ...event,
        event_id: newKey(),
        name: `test-${randomUUID().slice(0, 8)}`,
        outputs: {},
    };
    found.outputs('delete of a resource that was never created', await send(never));
}
async function unknown({ send, found, type }) {
    found.refused('an unknown type', await send({ resource: `${type.name}-unknown` }), 'unknown_type');
}
const silent = { debug() { }, info() { }, warn() { }, error() { } };
function newKey() {
    return `evt-${randomUUID().replaceAll('-', '')}`;
}
function cut() {
    return new Error('The client closed the connection');
}
/** Events are JSON, which omits undefined values. */
function asJson(config) {
    return JSON.parse(JSON.stringify(config));
}
