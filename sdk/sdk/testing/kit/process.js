import { startProvider } from '../../lifetime.js';
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
        current: () => all.at(-1),
        async crash() {
            all.push(await begin());
        },
        async close() {
            abort.abort(new Error('The provider is stopping'));
            for (const process of all.splice(0).reverse())
                await process.stop();
        },
    };
}
