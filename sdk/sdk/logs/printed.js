// Passes what a handler writes to standard output and standard error to the record of its event. It is written as before; what
// belongs to no handler is not recorded.
import { AsyncLocalStorage } from 'node:async_hooks';
const current = new AsyncLocalStorage();
/** Runs `work`. Its output, also in timers and promises that outlive it, is recorded while `watchOutput` is in force. */
export function recorded(recorder, work) {
    return current.run(recorder, work);
}
/** Runs `work` without a recorder, although a handler caused it. */
export function unrecorded(work) {
    return current.run(undefined, work);
}
let watching = 0;
/** Begins to record; the first of several watches changes the streams. @returns a function that ends this watch */
export function watchOutput() {
    watching += 1;
    if (watching === 1)
        for (const { install } of taps)
            install();
    let isOver = false;
    return () => {
        if (isOver)
            return;
        isOver = true;
        watching -= 1;
        if (watching === 0)
            for (const { remove } of taps)
                remove();
    };
}
function tapOf(name) {
    let streamWrite;
    let wasOwn = false;
    /** Somebody who replaced `write` after this module may call it for ever. */
    let isInstalled = false;
    function write(...args) {
        const isWritten = Reflect.apply(streamWrite, this, args);
        if (watching > 0)
            recordPrinted(args, name);
        return isWritten;
    }
    return {
        install() {
            if (isInstalled)
                return;
            const stream = process[name];
            wasOwn = Object.hasOwn(stream, 'write');
            streamWrite = stream.write;
            stream.write = write;
            isInstalled = true;
        },
        remove() {
            const stream = process[name];
            if (stream.write !== write)
                return;
            if (wasOwn)
                stream.write = streamWrite;
            else
                Reflect.deleteProperty(stream, 'write');
            isInstalled = false;
        },
    };
}
const taps = [tapOf('stdout'), tapOf('stderr')];
function recordPrinted([chunk, encoding], stream) {
    const isText = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding);
    if (typeof chunk !== 'string' || !isText)
        return;
    try {
        current.getStore()?.(chunk, stream);
    }
    catch {
        // The code that prints must not fail by what is kept of it.
    }
}
