import { parseSettings } from '../../settings.js';
/**
 * Calls `check` and `start`.
 *
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws what `check` or `start` throws
 */
export async function startProcesses(provider, { settings: given, log }) {
    const settings = await parseSettings(provider, given);
    const abort = new AbortController();
    const call = { settings, log, signal: abort.signal };
    await provider.check?.(call);
    const begin = async () => {
        const started = ((await provider.start?.(call)) ?? {});
        return { settings, started };
    };
    const all = [await begin()];
    return {
        current: () => all.at(-1),
        async crash() {
            all.push(await begin());
        },
        async close() {
            abort.abort(new Error('The provider is stopping'));
            for (const { started } of all.splice(0).reverse())
                await provider.stop?.(started);
        },
    };
}
