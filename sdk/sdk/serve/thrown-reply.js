// The answer of the protocol to what a handler threw, and the line about it in the log.
import { maxAskedSeconds } from '../../domain/delivery-options.js';
import { plainCode } from '../../domain/event.js';
import { isDeleted } from '../cancelled.js';
import { withoutFolder } from '../crash/describe.js';
import { ProcessExit } from '../crash/process-exit.js';
import { thrownText } from '../failure-text.js';
import { isTemporaryFailure, isTerminalFailure } from '../outcome.js';
import { crashed, failure, waitReply } from './reply.js';
/** @param logged the line for an error that is neither `fail` nor `retry` */
export function thrownReply(thrown, { log, signal, codeFolder }, logged) {
    const shown = (text) => (codeFolder ? withoutFolder(text, codeFolder) : text);
    if (isTerminalFailure(thrown)) {
        warnOfCode(log, thrown.code);
        return failure(422, thrown.code, shown(thrown.message));
    }
    if (isTemporaryFailure(thrown)) {
        warnOfCode(log, thrown.code);
        warnOfWait(log, thrown.seconds);
        return waitReply(thrown, shown(thrown.message));
    }
    // The event is answered, and the end of the process is in the log.
    if (thrown instanceof ProcessExit)
        return crashed(thrown.message);
    if (isDeleted(signal))
        return failure(500, 'cancelled', shown(thrownText(thrown)));
    quietly(() => log.error(logged, { error: thrown }));
    return failure(500, 'handler_error', shown(thrownText(thrown)));
}
function warnOfCode(log, code) {
    const sent = plainCode(code);
    if (sent === code)
        return;
    const rule = 'A code has only letters, digits, "_", "-" and "."';
    quietly(() => log.warn(`${rule}: "${code}" is recorded as "${sent}"`));
}
export function warnOfWait(log, seconds) {
    if (seconds <= maxAskedSeconds)
        return;
    const cut = `A handler asks to wait for ${seconds} s, and Fairlead waits for an hour at most`;
    quietly(() => log.warn(`${cut}; it calls the handler then`));
}
/** A failing log of the provider must not prevent the answer. */
function quietly(write) {
    try {
        write();
    }
    catch { }
}
