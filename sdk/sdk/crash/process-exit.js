// Thrown by `process.exit` in a handler, because it must not return to its caller.
/**
 * Not exported by the package: code that catches it cannot make another one. Catching it changes nothing, because the event is
 * answered before it is thrown.
 */
export class ProcessExit extends Error {
    name = 'ProcessExit';
    exitCode;
    constructor(exitCode, caller) {
        super(`process.exit(${exitCode})`);
        this.exitCode = exitCode;
        Error.captureStackTrace(this, caller);
    }
}
