// Hides secrets in what a child writes to one of its streams, by lines: also in what its own children and native code write there. Without a
// secret, it passes bytes on as they are.
import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { maskedValue } from '../../../domain/secrets/mask-text.ts';
import type { ChildSecrets } from './child-secrets.ts';

/** A longer line is cut there: a secret on both sides of a cut could not be found. */
const maxHeldBytes = 262_144;

const newline = 0x0a;

export interface MaskedLines {
  readonly stream: Transform;
  /** Returns whether the beginning of a line is held back. */
  isHolding(): boolean;
  /** @returns the beginning of a line that is held back, masked */
  held(): string;
}

export function maskedLines(secrets: ChildSecrets): MaskedLines {
  let held: Buffer = Buffer.alloc(0);
  /** The rest of a line that was cut is left out. */
  let isCut = false;

  function withoutRest(chunk: Buffer): Buffer {
    if (!isCut) return chunk;
    const end = chunk.indexOf(newline);
    if (end < 0) return chunk.subarray(0, 0);
    isCut = false;
    return chunk.subarray(end);
  }

  function maskedLinesOf(given: Buffer): Buffer {
    const bytes = Buffer.concat([held, withoutRest(given)]);
    const end = secrets.hasAny() ? bytes.lastIndexOf(newline) + 1 : bytes.length;
    held = Buffer.from(bytes.subarray(end));
    const lines = masked(secrets, bytes.subarray(0, end));
    if (held.length <= maxHeldBytes) return lines;
    isCut = true;
    // The ellipsis has the beginning of a secret masked, too.
    const cut = masked(secrets, Buffer.from(`${wholeText(held)}…`));
    held = Buffer.alloc(0);
    return Buffer.concat([lines, cut]);
  }

  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      afterMessages(() => done(null, maskedLinesOf(chunk)));
    },
    flush(done) {
      afterMessages(() => {
        const rest = masked(secrets, held);
        held = Buffer.alloc(0);
        done(null, rest);
      });
    },
  });
  return {
    stream,
    isHolding: () => held.length > 0,
    held: () => masked(secrets, held).toString(),
  };
}

/**
 * A child tells its secrets before it prints them, and another descriptor may have been read first: whatever was told before a chunk was
 * written has been read once the event loop has waited for input another time.
 */
function afterMessages(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** @returns the same bytes when there is nothing to hide in them */
function masked(secrets: ChildSecrets, bytes: Buffer): Buffer {
  if (bytes.length === 0 || !secrets.hasAny()) return bytes;
  try {
    const text = bytes.toString();
    const result = secrets.text(text);
    if (result === text) return bytes;
    // A text that is masked whole stays a line.
    const isLine = text.endsWith('\n') && !result.endsWith('\n');
    return Buffer.from(isLine ? `${result}\n` : result);
  } catch {
    return Buffer.from(`${maskedValue}\n`);
  }
}

/** @returns the text without half a character at its end */
function wholeText(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}
