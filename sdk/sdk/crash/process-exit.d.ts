/**
 * Not exported by the package: code that catches it cannot make another one. Catching it changes nothing, because the event is
 * answered before it is thrown.
 */
export declare class ProcessExit extends Error {
    readonly name = "ProcessExit";
    readonly exitCode: number;
    constructor(exitCode: number, caller: (...args: never[]) => unknown);
}
