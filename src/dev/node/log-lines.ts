// Formats and selects log lines as a container runtime writes them, `<RFC 3339 with nanoseconds> stdout F text`. `P` marks
// a part of a line that continues in the next record. Pure.

export type Stream = 'stdout' | 'stderr';

const newline = 0x0a;
const lineEnd = Buffer.of(newline);
/** A longer line becomes several records. */
export const maxRecordLength = 16_384;

/** Nanoseconds in format only: the clock has milliseconds. */
function logTime(date: Date): string {
  return date.toISOString().replace(/Z$/, '000000Z');
}

export interface LogSplitter {
  /** @returns the records that are complete now */
  push(chunk: Buffer, at: Date): Buffer;
  /** @returns the record of a last line without an end; empty when there is none */
  end(at: Date): Buffer;
}

export function recordSplitter(stream: Stream): LogSplitter {
  let held = Buffer.alloc(0);
  const head = (tag: 'F' | 'P', at: Date) => Buffer.from(`${logTime(at)} ${stream} ${tag} `);

  return {
    push(chunk, at) {
      const heads = { F: head('F', at), P: head('P', at) };
      const parts: Buffer[] = [];
      held = Buffer.concat([held, chunk]);
      let from = 0;
      for (let cut = cutAfter(held, from); cut !== undefined; cut = cutAfter(held, from)) {
        parts.push(heads[cut.tag], held.subarray(from, cut.until), lineEnd);
        from = cut.next;
      }
      held = Buffer.from(held.subarray(from));
      return Buffer.concat(parts);
    },
    end(at) {
      const rest = held;
      held = Buffer.alloc(0);
      return rest.length === 0 ? rest : Buffer.concat([head('F', at), rest, lineEnd]);
    },
  };
}

/** @returns where the next record ends; undefined when it is not complete */
function cutAfter(held: Buffer, from: number) {
  const end = held.indexOf(newline, from);
  if (end >= 0 && end - from <= maxRecordLength)
    return { until: end, next: end + 1, tag: 'F' as const };
  const until = from + maxRecordLength;
  return held.length >= until ? { until, next: until, tag: 'P' as const } : undefined;
}

export interface LogQuery {
  readonly tailLines?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly timestamps: boolean;
}

const header = /^(\S+) (?:stdout|stderr) ([FP]) /;

/** @returns the text of complete records in the requested format; it ignores `tailLines` */
export function rendered(records: Buffer, { since, timestamps }: LogQuery): Buffer {
  const parts: Buffer[] = [];
  let within = false;
  for (const line of recordsIn(records)) {
    const [head = '', time = '', tag] = header.exec(line.toString('latin1', 0, 64)) ?? [];
    if (head === '' || (since !== undefined && Date.parse(time) < since)) continue;
    if (timestamps && !within) parts.push(Buffer.from(`${time} `));
    within = tag === 'P';
    parts.push(line.subarray(head.length, within ? line.length - 1 : line.length));
  }
  return Buffer.concat(parts);
}

function* recordsIn(records: Buffer): Iterable<Buffer> {
  let from = 0;
  for (let end = records.indexOf(newline); end >= 0; end = records.indexOf(newline, from)) {
    yield records.subarray(from, end + 1);
    from = end + 1;
  }
}

/** @returns the records of the last lines */
export function tail(records: Buffer, lines: number): Buffer {
  let from = records.length;
  // The record that completes the line before the wanted ones ends the search: everything after it is wanted.
  for (let left = lines; from > 0; ) {
    const before = from < 2 ? -1 : records.lastIndexOf(newline, from - 2);
    const whole = header.exec(records.toString('latin1', before + 1, before + 65))?.[2] === 'F';
    if (whole && left === 0) break;
    if (whole) left -= 1;
    from = before + 1;
  }
  return records.subarray(from);
}
