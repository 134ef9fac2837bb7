// Traces what would end the process to the handler whose code caused it: uncaught errors, rejections that nobody handles, and
// `process.exit`. An error that belongs to no handler ends the process as if this module did not exist.
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { ProcessExit } from './process-exit.ts';

export interface Traced {
  /** Called instead of ending the process; never throws. */
  readonly onCrash: (thrown: unknown, exitCode: number) => void;
  /** An error that listeners of the author's own have received. */
  received?: { readonly thrown: unknown };
}

const current = new AsyncLocalStorage<Traced | undefined>();

/** Runs `work` for a handler. All that it begins belongs to the handler, also timers and promises that outlive it. */
export function traced<T>(handler: Traced, work: () => T): T {
  return current.run(handler, work);
}

/** Runs `work` for no handler, although a handler caused it. */
export function untraced<T>(work: () => T): T {
  return current.run(undefined, work);
}

let watching = 0;
let nodeExit: typeof process.exit = process.exit;
/** Somebody who replaced `process.exit` after this module may call it for ever. */
let isInstalled = false;

/** Begins to trace; the first of several watches changes the process. @returns a function that ends this watch */
export function watchProcess(): () => void {
  watching += 1;
  if (watching === 1) installHandlers();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    watching -= 1;
    if (watching === 0) uninstall();
  };
}

function installHandlers(): void {
  process.on('uncaughtExceptionMonitor', onUncaught);
  if (isInstalled) return;
  nodeExit = process.exit;
  setExit(exit);
  isInstalled = true;
}

function uninstall(): void {
  process.off('uncaughtExceptionMonitor', onUncaught);
  if (process.exit !== exit) return;
  setExit(nodeExit);
  isInstalled = false;
}

function setExit(how: typeof process.exit): void {
  process.exit = how;
  // Else `import { exit } from 'node:process'` stays what it was.
  syncBuiltinESMExports();
}

function exit(...args: Parameters<typeof process.exit>): never {
  const handler = current.getStore();
  if (handler === undefined || watching === 0) return Reflect.apply(nodeExit, process, args);
  // As Node does it, with the same errors for other values.
  if (args.length > 0) process.exitCode = args[0];
  const exitCode = Number(process.exitCode ?? 0);
  const left = new ProcessExit(exitCode, exit);
  handler.onCrash(handler.received?.thrown ?? left, exitCode);
  // A throw in such a listener would end the process at once, or call the listener for ever.
  if (handler.received !== undefined) return undefined as never;
  throw left;
}

/** Node calls it right before it looks for a listener of `uncaughtException`, and ends the process without one. */
function onUncaught(thrown: unknown): void {
  const handler = current.getStore();
  if (handler !== undefined && isHandledByOthers()) {
    // Such a listener often ends in `process.exit`, after it has reported the error.
    handler.received ??= { thrown };
  } else if (thrown instanceof ProcessExit) {
    survive();
  } else if (handler !== undefined) {
    survive();
    handler.onCrash(thrown, 1);
  }
}

function isHandledByOthers(): boolean {
  return (
    process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()
  );
}

/** For this one error only: a permanent listener would also keep the process alive after errors of no handler. */
function survive(): void {
  if (!isHandledByOthers()) process.once('uncaughtException', () => undefined);
}
