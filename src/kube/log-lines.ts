// Pure: splits timestamped log bytes into lines and yields each once, although the stream ends early and restarts some
// seconds earlier (the API server supports whole seconds only).
import { isoSecond } from '../lib/clock.ts';

const newline = 0x0a;
/** Longer lines are cut: a line without an end must not fill the memory. */
export const maxLineLength = 32_768;

interface LineSplitter {
  /** @returns the complete lines, each with its newline; they may be parts of the chunk */
  push(chunk: Uint8Array): Buffer[];
  /** @returns the last line with a newline added, when it had none */
  end(): Buffer | undefined;
}

export function lineSplitter(): LineSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let cutBytes = 0;

  function hold(part: Buffer): void {
    const fits = part.subarray(0, maxLineLength - heldBytes);
    // Copied, because a few bytes would keep the whole chunk of the socket alive.
    if (fits.length > 0) held.push(Buffer.from(fits));
    heldBytes += fits.length;
    cutBytes += part.length - fits.length;
  }

  function line(): Buffer {
    const note = cutBytes === 0 ? '' : ` [... ${cutBytes} more bytes of this line]`;
    const whole = Buffer.concat([...held, Buffer.from(`${note}\n`)]);
    held = [];
    heldBytes = 0;
    cutBytes = 0;
    return whole;
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: Buffer[] = [];
      let from = 0;
      for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
        if (heldBytes === 0 && end - from <= maxLineLength) {
          lines.push(bytes.subarray(from, end + 1));
        } else {
          hold(bytes.subarray(from, end));
          lines.push(line());
        }
        from = end + 1;
      }
      if (from < bytes.length) hold(bytes.subarray(from));
      return lines;
    },
    end: () => (heldBytes === 0 ? undefined : line()),
  };
}

interface TimedLine {
  /** Epoch seconds, a dot and nine digits, which sort as text; undefined when the line has no time. */
  readonly time: string | undefined;
  readonly text: Buffer;
}

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)(?: |\n$)/;
const maxStampLength = 40;

/** Splits off the time that a container runtime wrote before a line. */
export function timed(line: Buffer): TimedLine {
  const [head, date, fraction = '', zone] =
    stamp.exec(line.toString('latin1', 0, maxStampLength)) ?? [];
  if (head === undefined) return { time: undefined, text: line };
  const seconds = secondText(`${date}${zone}`);
  if (seconds === undefined) return { time: undefined, text: line };
  const text = line.subarray(head.endsWith('\n') ? head.length - 1 : head.length);
  return { time: `${seconds}.${fraction.padEnd(9, '0')}`, text };
}

let lastParsed = { text: '', seconds: undefined as string | undefined };

/** Caches the last one: thousands of lines may share a second. */
function secondText(text: string): string | undefined {
  if (text !== lastParsed.text) {
    const milliseconds = Date.parse(text);
    const seconds = String(milliseconds / 1_000).padStart(11, '0');
    lastParsed = { text, seconds: Number.isNaN(milliseconds) ? undefined : seconds };
  }
  return lastParsed.seconds;
}

interface Resumption {
  /** @returns whether the line was not seen before */
  isNew(time: string | undefined): boolean;
  /** Call it before a stream is reopened. @returns the start time of the new stream; undefined: from the beginning */
  again(): string | undefined;
}

// stdout and stderr have separate timestamps and are written together: a line may be slightly older than the one before it.
const slackSeconds = 1;
const maxRemembered = 20_000;

/**
 * Counts the lines of the last two seconds by their times: a stream that restarts there repeats them, and may contain others
 * of the same times that were not seen.
 */
export function resumption(limit = maxRemembered): Resumption {
  let seen = new Map<string, number>();
  let repeated = new Map<string, number>();
  let window: number | undefined;
  /** Start time of the current stream. */
  let from: number | undefined;
  /** Lines up to this time count as seen: too many came at once to keep each. */
  let floor = '';
  let lastWasNew = true;

  function remember(time: string): void {
    const start = secondOf(time) - slackSeconds;
    if (window === undefined || start > window) {
      window = start;
      seen = new Map([...seen].filter(([each]) => secondOf(each) >= start));
    }
    seen.set(time, (seen.get(time) ?? 0) + 1);
    if (seen.size <= limit) return;
    const sorted = [...seen.keys()].sort();
    const forgotten = sorted.slice(0, Math.ceil(sorted.length / 2));
    for (const each of forgotten) seen.delete(each);
    floor = forgotten.at(-1) ?? floor;
  }

  function wasTaken(time: string): boolean {
    const times = repeated.get(time) ?? 0;
    if (times > 0) repeated.set(time, times - 1);
    return times > 0 || time <= floor || secondOf(time) < (from ?? 0);
  }

  return {
    isNew(time) {
      // The rest of a long line belongs to its beginning.
      if (time === undefined) return lastWasNew;
      lastWasNew = from === undefined || !wasTaken(time);
      if (lastWasNew) remember(time);
      return lastWasNew;
    },
    again() {
      repeated = new Map(seen);
      from = window;
      return window === undefined ? undefined : isoSecond(window);
    },
  };
}

function secondOf(time: string): number {
  return Number(time.slice(0, time.indexOf('.')));
}
