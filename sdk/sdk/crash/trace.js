// Traces what would end the process to the handler whose code caused it: uncaught errors, rejections that nobody handles, and
// `process.exit`. An error that belongs to no handler ends the process as if this module did not exist.
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { ProcessExit } from './process-exit.js';
const current = new AsyncLocalStorage();
/** Runs `work` for a handler. All that it begins belongs to the handler, also timers and promises that outlive it. */
export function traced(handler, work) {
    return current.run(handler, work);
}
/** Runs `work` for no handler, although a handler caused it. */
export function untraced(work) {
    return current.run(undefined, work);
}
let watching = 0;
let nodeExit = process.exit;
/** Somebody who replaced `process.exit` after this module may call it for ever. */
let isInstalled = false;
/** Begins to trace; the first of several watches changes the process. @returns a function that ends this watch */
export function watchProcess() {
    watching += 1;
    if (watching === 1)
        installHandlers();
    let isOver = false;
    return () => {
        if (isOver)
            return;
        isOver = true;
        watching -= 1;
        if (watching === 0)
            uninstall();
    };
}
function installHandlers() {
    process.on('uncaughtExceptionMonitor', onUncaught);
    if (isInstalled)
        return;
    nodeExit = process.exit;
    setExit(exit);
    isInstalled = true;
}
function uninstall() {
    process.off('uncaughtExceptionMonitor', onUncaught);
    if (process.exit !== exit)
        return;
    setExit(nodeExit);
    isInstalled = false;
}
function setExit(how) {
    process.exit = how;
    // Else `import { exit } from 'node:process'` stays what it was.
    syncBuiltinESMExports();
}
function exit(...args) {
    const handler = current.getStore();
    if (handler === undefined || watching === 0)
        return Reflect.apply(nodeExit, process, args);
    // As Node does it, with the same errors for other values.
    if (args.length > 0)
        process.exitCode = args[0];
    const exitCode = Number(process.exitCode ?? 0);
    const left = new ProcessExit(exitCode, exit);
    handler.onCrash(handler.received?.thrown ?? left, exitCode);
    // A throw in such a listener would end the process at once, or call the listener for ever.
    if (handler.received !== undefined)
        return undefined;
    throw left;
}
/** Node calls it right before it looks for a listener of `uncaughtException`, and ends the process without one. */
function onUncaught(thrown) {
    const handler = current.getStore();
    if (handler !== undefined && isHandledByOthers()) {
        // Such a listener often ends in `process.exit`, after it has reported the error.
        handler.received ??= { thrown };
    }
    else if (thrown instanceof ProcessExit) {
        survive();
    }
    else if (handler !== undefined) {
        survive();
        handler.onCrash(thrown, 1);
    }
}
function isHandledByOthers() {
    return (process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback());
}
/** For this one error only: a permanent listener would also keep the process alive after errors of no handler. */
function survive() {
    if (!isHandledByOthers())
        process.once('uncaughtException', () => undefined);
}
