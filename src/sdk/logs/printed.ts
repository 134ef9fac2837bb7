// Passes what a handler writes to standard output and standard error to the record of its event. It is written as before; what
// belongs to no handler is not recorded.
import { AsyncLocalStorage } from 'node:async_hooks';

export type StreamName = 'stdout' | 'stderr';

/** Receives text as it was written: a line may come in several pieces, and a piece may have several lines. */
export type OutputRecorder = (text: string, stream: StreamName) => void;

const current = new AsyncLocalStorage<OutputRecorder | undefined>();

/** Runs `work`. Its output, also in timers and promises that outlive it, is recorded while `watchOutput` is in force. */
export function recorded<T>(recorder: OutputRecorder, work: () => T): T {
  return current.run(recorder, work);
}

/** Runs `work` without a recorder, although a handler caused it. */
export function unrecorded<T>(work: () => T): T {
  return current.run(undefined, work);
}

let watching = 0;

/** Begins to record; the first of several watches changes the streams. @returns a function that ends this watch */
export function watchOutput(): () => void {
  watching += 1;
  if (watching === 1) for (const { install } of taps) install();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    watching -= 1;
    if (watching === 0) for (const { remove } of taps) remove();
  };
}

type Write = (...args: readonly unknown[]) => boolean;

function tapOf(name: StreamName) {
  let streamWrite: Write | undefined;
  let wasOwn = false;
  /** Somebody who replaced `write` after this module may call it for ever. */
  let isInstalled = false;

  function write(this: unknown, ...args: readonly unknown[]): boolean {
    const isWritten = Reflect.apply(streamWrite as Write, this, args);
    if (watching > 0) recordPrinted(args, name);
    return isWritten;
  }

  return {
    install() {
      if (isInstalled) return;
      const stream = process[name];
      wasOwn = Object.hasOwn(stream, 'write');
      streamWrite = stream.write as Write;
      stream.write = write as typeof stream.write;
      isInstalled = true;
    },
    remove() {
      const stream = process[name];
      if ((stream.write as Write) !== write) return;
      if (wasOwn) stream.write = streamWrite as typeof stream.write;
      else Reflect.deleteProperty(stream, 'write');
      isInstalled = false;
    },
  };
}

const taps = [tapOf('stdout'), tapOf('stderr')];

function recordPrinted([chunk, encoding]: readonly unknown[], stream: StreamName): void {
  const isText = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding);
  if (typeof chunk !== 'string' || !isText) return;
  try {
    current.getStore()?.(chunk, stream);
  } catch {
    // The code that prints must not fail by what is kept of it.
  }
}
