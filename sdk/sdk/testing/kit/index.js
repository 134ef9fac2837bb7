import { contract } from '../contract/index.js';
import { silent } from '../silent.js';
import { createFaults } from './faults.js';
import { startProcesses } from './process.js';
import { createResource } from './resource.js';
/**
 * Starts a provider for tests: calls its `check` and `start` once. Handlers run through the code that serves events.
 *
 * @param provider the provider, made by `provider`
 * @param options settings, clock, organization and log
 * @returns the kit; close it
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws what `check` or `start` throws
 * @example
 * ```ts
 * await using kit = await testKit(storage, { settings: { url } });
 * const orders = kit.resource('bucket', 'orders');
 * assert.partialDeepStrictEqual(await orders.apply({ region: 'eu' }), { state: 'ready' });
 * orders.crashAfter('update');
 * assert.partialDeepStrictEqual(await orders.apply({ region: 'us' }), { state: 'ready' });
 * assert.equal((await orders.late()).changed, false);
 * assert.deepEqual(await orders.delete(), { state: 'deleted' });
 * ```
 */
export async function testKit(provider, options = {}) {
    const { settings = {}, clock = 'virtual', organization = 'testing', log = silent } = options;
    const processes = await startProcesses(provider, { settings, log });
    const resources = new Map();
    return {
        resource(typeName, name, resourceSettings = {}) {
            const type = requiredType(provider, typeName);
            const key = `${typeName}/${name}`;
            const faults = createFaults(processes);
            const common = { provider, type, processes, clock, log, faults };
            const found = resources.get(key) ?? createResource({ organization, name }, common, resourceSettings);
            resources.set(key, found);
            return found;
        },
        contract: (type, given) => contract({ provider, processes, clock, log, organization }, type, given),
        close: () => processes.close(),
        [Symbol.asyncDispose]: () => processes.close(),
    };
}
function requiredType({ name, types }, type) {
    const found = types.get(type);
    if (found !== undefined)
        return found;
    const known = [...types.keys()].join(', ') || 'none';
    throw new TypeError(`Provider ${name} has no type "${type}"; its types are: ${known}`);
}
