// Hides the secrets of a context in what its code writes to standard output and standard error, and passes what is written to the record
// of its event. What belongs to no context is written as it is, and not recorded.
import { AsyncLocalStorage } from 'node:async_hooks';
import { StringDecoder } from 'node:string_decoder';
import { maskedValue, type SecretMask } from '../../domain/secrets/mask-text.ts';

export type StreamName = 'stdout' | 'stderr';

/** Receives text as it was written: a line may come in several pieces, and a piece may have several lines. */
export type OutputRecorder = (text: string, stream: StreamName) => void;

interface OutputContext {
  readonly recorder?: OutputRecorder;
  /** Without it, everything is written as it is. */
  readonly masked?: MaskedOutput;
}

const current = new AsyncLocalStorage<OutputContext | undefined>();

/** Outputs that hold back the beginning of a line, which is written when the process ends. */
const holding = new Set<MaskedOutput>();

/** Runs `work`. Its output, also in timers and promises that outlive it, is masked and recorded while `watchOutput` is in force. */
export function recorded<T>(context: OutputContext, work: () => T): T {
  return current.run(context, work);
}

/** Runs work that belongs to no event. Its output is masked, and not recorded. */
export async function maskedWork<T>(mask: OutputMask, work: () => Promise<T>): Promise<T> {
  const masked = maskedOutput(mask);
  try {
    return await recorded({ masked }, work);
  } finally {
    release(masked);
  }
}

/** Writes what was held back. @param recorder receives it, too */
export function release(masked: MaskedOutput, recorder?: OutputRecorder): void {
  holding.delete(masked);
  unrecorded(() => {
    for (const [stream, text] of masked.take()) {
      process[stream].write(text);
      recorder?.(text, stream);
    }
  });
}

function releaseAll(): void {
  for (const masked of holding) release(masked);
}

/** Runs `work` without a context, although a handler caused it. */
export function unrecorded<T>(work: () => T): T {
  return current.run(undefined, work);
}

let watching = 0;

/** Begins to record; the first of several watches changes the streams. @returns a function that ends this watch */
export function watchOutput(): () => void {
  watching += 1;
  if (watching === 1) {
    for (const { install } of taps) install();
    process.on('exit', releaseAll);
  }
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    watching -= 1;
    if (watching > 0) return;
    releaseAll();
    process.off('exit', releaseAll);
    for (const { remove } of taps) remove();
  };
}

type Write = (...args: readonly unknown[]) => boolean;

function tapOf(name: StreamName) {
  let streamWrite: Write | undefined;
  let wasOwn = false;
  /** Somebody who replaced `write` after this module may call it for ever. */
  let isInstalled = false;

  function write(this: unknown, ...args: readonly unknown[]): boolean {
    const { masked, recorder } = (watching > 0 ? current.getStore() : undefined) ?? {};
    const shown = masked?.shown(args, name) ?? args;
    if (masked?.isHolding() === true) holding.add(masked);
    const isWritten = Reflect.apply(streamWrite as Write, this, shown);
    if (recorder !== undefined) recordPrinted(shown, name, recorder);
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

function recordPrinted(
  [chunk, encoding]: readonly unknown[],
  stream: StreamName,
  recorder: OutputRecorder,
): void {
  const isText = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding);
  if (typeof chunk !== 'string' || !isText) return;
  try {
    recorder(chunk, stream);
  } catch {
    // The code that prints must not fail by what is kept of it.
  }
}

// A secret may come in several pieces, so a line is held back until it ends; logs are read by lines.

export interface OutputMask extends Pick<SecretMask, 'text'> {
  /** Whether anything can be hidden. */
  readonly hasSecrets: () => boolean;
}

type WriteArguments = readonly unknown[];

export interface MaskedOutput {
  /** @param args of a call of `write` @returns those with which the stream is called; the same when nothing can be hidden */
  shown(args: WriteArguments, stream: StreamName): WriteArguments;
  readonly isHolding: () => boolean;
  /** @returns what is held back, which is not held any longer */
  take(): readonly (readonly [StreamName, string])[];
  /** Holds nothing back from now on. */
  end(): void;
}

/** A longer line is written in pieces. */
const maxHeld = 262_144;

export function maskedOutput(mask: OutputMask): MaskedOutput {
  const held = new Map<StreamName, string>();
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  let isOver = false;

  function shownText(text: string, stream: StreamName): string {
    const begun = (held.get(stream) ?? '') + text;
    const end = isOver || begun.length > maxHeld ? begun.length : begun.lastIndexOf('\n') + 1;
    if (end < begun.length) held.set(stream, begun.slice(end));
    else held.delete(stream);
    return maskedOr(mask, begun.slice(0, end));
  }

  return {
    shown(args, stream) {
      const [chunk, encoding] = args;
      const bytes = bytesOf(chunk, encoding);
      if (bytes === undefined || !mask.hasSecrets()) return args;
      const text = shownText(decoders[stream].write(bytes), stream);
      return [text, ...args.filter((each) => typeof each === 'function')];
    },
    isHolding: () => held.size > 0,
    take() {
      const rest = [...held].map(([stream, text]) => [stream, maskedOr(mask, text)] as const);
      held.clear();
      return rest;
    },
    end() {
      isOver = true;
    },
  };
}

/** The code that prints must not fail by what is hidden of it. */
function maskedOr(mask: OutputMask, text: string): string {
  try {
    return mask.text(text);
  } catch {
    return `${maskedValue}\n`;
  }
}

/** @returns undefined for what the stream itself refuses */
function bytesOf(chunk: unknown, encoding: unknown): Buffer | undefined {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== 'string') return undefined;
  const isKnown = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  return Buffer.from(chunk, isKnown ? encoding : 'utf8');
}
