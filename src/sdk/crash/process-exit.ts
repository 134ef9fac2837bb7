// Thrown by `process.exit` in a handler, because it must not return to its caller.

/**
 * Not exported by the package: code that catches it cannot make another one. Catching it changes nothing, because the event is
 * answered before it is thrown.
 */
export class ProcessExit extends Error {
  override readonly name = 'ProcessExit';
  readonly exitCode: number;

  constructor(exitCode: number, caller: (...args: never[]) => unknown) {
    super(`process.exit(${exitCode})`);
    this.exitCode = exitCode;
    Error.captureStackTrace(this, caller);
  }
}
