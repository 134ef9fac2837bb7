// Writes log lines of a provider as JSON to standard output, where log collectors of clusters read them.
import { inspect } from 'node:util';
function line(level) {
    return (message, fields = {}) => {
        const entry = { level, time: new Date().toISOString(), message };
        process.stdout.write(`${entryJson({ ...entry, ...plainFields(fields), ...entry })}\n`);
    };
}
/** A value that JSON cannot represent must not make the handler fail. */
export function entryJson(entry) {
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
/** The fields of an Error are not enumerable, so JSON would omit them. */
function plainFields(fields) {
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
