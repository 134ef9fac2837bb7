// Takes a type through the life of one resource, including repeated events, events without a change, aborted events and events
// for deleted resources. Reports the expected and the actual result of every broken rule.
import { asJson } from '../as-json.js';
import { InvalidSettings } from '../settings.js';
import { isUsable, unknownType } from './case.js';
import { findings, shown } from './findings.js';
import { startProcesses } from './kit/process.js';
import { createLife } from './life.js';
import { checkLife } from './life-promises.js';
import { observed } from './observe.js';
import { silent } from './silent.js';
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
    if (type === undefined)
        return found.add(unknownType(provider, name));
    if (!isUsable(provider, type, { given, found }))
        return;
    const processes = await startedFor(provider, options, found);
    if (processes === undefined)
        return;
    try {
        await checkLife(lifeOf(provider, type, { given, options, found, processes }));
    }
    finally {
        await processes.close();
    }
}
/** @returns the process of the provider, unless its settings do not fit, or it cannot start */
async function startedFor(provider, { settings = {}, log = silent }, found) {
    try {
        return await startProcesses(provider, { settings, log });
    }
    catch (thrown) {
        if (thrown instanceof InvalidSettings) {
            found.add(`settings: expected values that fit the schema, saw that ${shown(thrown)}`);
        }
        else
            found.add(`start: expected success, saw ${shown(thrown)}`, thrown);
        return undefined;
    }
}
function lifeOf(provider, type, { given, options, found, processes }) {
    const { maximumDelayMs = 1_000, log = silent, ...rest } = options;
    const config = asJson(given.config);
    const changed = given.changed && asJson(given.changed);
    const sent = changed === undefined ? [config] : [config, changed];
    const { current: process } = processes;
    return createLife(observed(provider, type, { sent, found }), type, {
        ...rest,
        ...{ config, changed, found, process, maximumDelayMs, log },
    });
}
