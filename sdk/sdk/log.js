// Log lines of a provider: JSON on standard output, as log collectors of clusters take them.
import { inspect } from 'node:util';
function line(level) {
    return (message, fields = {}) => {
        const entry = { level, time: new Date().toISOString(), message };
        process.stdout.write(`${textOf({ ...entry, ...plain(fields), ...entry })}\n`);
    };
}
/** What has no JSON must not end the handler that wanted to speak of it. */
function textOf(entry) {
    try {
        return JSON.stringify(entry, (_key, value) => typeof value === 'bigint' ? String(value) : value);
    }
    catch {
        const shown = Object.entries(entry).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : inspect(value),
        ]);
        return JSON.stringify(Object.fromEntries(shown));
    }
}
/** Errors have no fields of their own that JSON would show. */
function plain(fields) {
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [
        name,
        value instanceof Error ? (value.stack ?? value.message) : value,
    ]));
}
export const jsonLines = {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
};
