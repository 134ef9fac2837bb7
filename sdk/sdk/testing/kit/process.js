import { startProvider } from '../../serve/lifetime.js';
/**
 * Calls `check` and `start`.
 *
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
 */
export async function startProcesses(provider, { settings, log }) {
    const abort = new AbortController();
    const begin = async () => await startProvider(provider, { settings, log, signal: abort.signal });
    const all = [await begin()];
    return {
        current() {
            const newest = all.at(-1);
            if (newest === undefined)
                throw new Error('The test kit is closed');
            return newest;
        },
        async crash() {
            all.push(await begin());
        },
        async close() {
            abort.abort(new Error('The provider is stopping'));
            const failures = [];
            for (const process of all.splice(0).reverse()) {
                await process.stop().catch((thrown) => failures.push(thrown));
            }
            if (failures.length > 0)
                throw failures[0];
        },
    };
}
