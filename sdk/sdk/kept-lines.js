// Keeps the last lines that a handler logs: the failure of its event carries them, because the log of a pod ends with it.
import { maximumLogBytes, maximumLogLineBytes, maximumLogLines } from '../domain/event.js';
import { describe } from './crash/describe.js';
import { jsonOf } from './log.js';
/** @param codeFolder places in errors are shown relative to it, and without their stack: users read the lines */
export function keepLines(log, codeFolder) {
    const lines = [];
    let bytes = 0;
    function keep(level, message, fields) {
        const shown = `${new Date().toISOString()} ${level} ${message}${textOf(fields, codeFolder)}`;
        const line = cut(shown.replace(/\s+/g, ' '));
        lines.push(line);
        bytes += Buffer.byteLength(line);
        while (lines.length > maximumLogLines || bytes > maximumLogBytes) {
            bytes -= Buffer.byteLength(lines.shift() ?? '');
        }
    }
    const kept = (level) => (message, fields) => {
        keep(level, message, fields);
        log[level](message, fields);
    };
    return {
        log: { debug: kept('debug'), info: kept('info'), warn: kept('warn'), error: kept('error') },
        addTo({ status, body }) {
            const isFailure = 'error' in body && lines.length > 0;
            return { status, body: isFailure ? { ...body, log: [...lines] } : body };
        },
    };
}
/** Fairlead masks the beginning of a secret before an ellipsis. */
function cut(line) {
    return line.length > maximumLogLineBytes ? `${line.slice(0, maximumLogLineBytes - 1)}…` : line;
}
function textOf(fields, codeFolder) {
    const members = Object.entries(fields ?? {});
    if (members.length === 0)
        return '';
    const shown = members.map(([name, value]) => [
        name,
        value instanceof Error ? describe(value, codeFolder).message : value,
    ]);
    return ` ${jsonOf(Object.fromEntries(shown))}`;
}
