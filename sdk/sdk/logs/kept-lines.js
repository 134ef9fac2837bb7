// Keeps the last lines that a handler logs and prints: the failure of its event carries them, because the log of a pod ends with it.
import { maxLogBytes, maxLogLineBytes, maxLogLines } from '../../domain/event.js';
import { describe, shownFrame } from '../crash/describe.js';
import { entryJson } from './log.js';
import { recorded, unrecorded } from './printed.js';
/** @param codeFolder places in errors are shown relative to it, and without their stack: users read the lines */
export function keepLines(log, codeFolder) {
    const lines = [];
    /** Printed text without its line break so far. */
    const begun = new Map();
    let bytes = 0;
    let isOver = false;
    function keep(line) {
        if (isOver)
            return;
        lines.push(line);
        bytes += Buffer.byteLength(line);
        while (lines.length > maxLogLines || bytes > maxLogBytes) {
            bytes -= Buffer.byteLength(lines.shift() ?? '');
        }
    }
    function keepPrinted(text) {
        const { kept, ellipsis } = parted(withoutBreaks(text));
        // The folder goes after the cut: a line that was cut must end with the ellipsis.
        const line = shownFrame(kept, codeFolder)?.trimEnd() ?? '';
        if (line !== '')
            keep(line + ellipsis);
    }
    function print(text, stream) {
        if (isOver)
            return;
        const printed = ((begun.get(stream) ?? '') + text).split('\n');
        const rest = withoutBreaks(printed.pop() ?? '');
        for (const line of printed)
            keepPrinted(line);
        // Text without an end is bounded, too; one character more shows that it must be cut.
        begun.set(stream, rest.slice(0, maxLogLineBytes + 1));
    }
    const kept = (level) => (message, fields) => {
        const shown = `${new Date().toISOString()} ${level} ${message}${fieldsText(fields, codeFolder)}`;
        const { kept, ellipsis } = parted(withoutBreaks(shown));
        keep(kept + ellipsis);
        // A log usually prints: each line is kept once.
        unrecorded(() => log[level](message, fields));
    };
    return {
        log: { debug: kept('debug'), info: kept('info'), warn: kept('warn'), error: kept('error') },
        run: (handler) => recorded(print, handler),
        addTo(reply) {
            const { body } = reply;
            for (const rest of begun.values())
                keepPrinted(rest);
            isOver = true;
            const isFailure = 'error' in body && lines.length > 0;
            return isFailure ? { ...reply, body: { ...body, log: [...lines] } } : reply;
        },
    };
}
function withoutBreaks(text) {
    return text.replace(/\s+/g, ' ');
}
/** Fairlead masks the beginning of a secret before an ellipsis. */
function parted(line) {
    return line.length > maxLogLineBytes
        ? { kept: line.slice(0, maxLogLineBytes - 1), ellipsis: '…' }
        : { kept: line, ellipsis: '' };
}
function fieldsText(fields, codeFolder) {
    const members = Object.entries(fields ?? {});
    if (members.length === 0)
        return '';
    const shown = members.map(([name, value]) => [
        name,
        value instanceof Error ? describe(value, codeFolder).message : value,
    ]);
    return ` ${entryJson(Object.fromEntries(shown))}`;
}
