// Buffers a log in memory: its head, and the newest part of the rest in a ring. One writer, many readers at their own speed;
// a reader too slow for the ring gets a line with the number of missing bytes.

const newline = 0x0a;

interface LogLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** Limits of a stored log, including the line between head and tail: 1 MiB. */
export const defaultLogLimits: LogLimits = { headBytes: 524_288, tailBytes: 524_288 - 128 };

// Fits the longest line, so that every piece can end with one.
const pieceBytes = 65_536;

export interface LogBuffer {
  /** Bytes appended so far. */
  readonly size: number;
  /** @param lines whole lines, shorter than the tail */
  append(lines: Buffer): void;
  /** Ends the log. Readers get the rest, and then end, or throw the error. */
  end(error?: unknown): void;
  /** Reads from beginning to end, in pieces of whole lines; ends early when the signal is aborted. */
  read(signal: AbortSignal): AsyncGenerator<Buffer, void, void>;
  /** @returns the current head and tail, with the line between them */
  content(): Buffer;
}

export function markerLine(bytes: number): Buffer {
  return Buffer.from(`[... ${bytes} bytes of the log are omitted here ...]\n`);
}

/** Returns whether a log omits bytes here: a build may print such a line, too. */
export function isMarkerLine(line: Uint8Array): boolean {
  const { buffer, byteOffset, length } = line;
  const text = Buffer.from(buffer, byteOffset, Math.min(length, 80)).toString('latin1');
  return /^\[\.\.\. \d+ bytes of the log are omitted here/.test(text);
}

export function createLogBuffer({ headBytes, tailBytes }: LogLimits = defaultLogLimits): LogBuffer {
  const head = growing(headBytes);
  const ring = growing(tailBytes);
  let headOpen = true;
  let size = 0;
  let ended: { readonly error: unknown } | undefined;
  const waiting = new Set<() => void>();

  function wake(): void {
    for (const each of waiting) each();
    waiting.clear();
  }

  function changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        signal.removeEventListener('abort', end);
        waiting.delete(end);
        resolve();
      };
      waiting.add(end);
      signal.addEventListener('abort', end);
    });
  }

  /** @returns whether data exists at an offset, once that is certain */
  async function more(offset: number, signal: AbortSignal): Promise<boolean> {
    while (offset >= size && ended === undefined && !signal.aborted) await changed(signal);
    if (signal.aborted) return false;
    if (offset < size) return true;
    if (ended?.error !== undefined) throw ended.error;
    return false;
  }

  /** @returns the number of bytes, as whole lines, added to the head */
  function fillHead(lines: Buffer): number {
    if (!headOpen) return 0;
    const free = headBytes - head.size;
    if (lines.length <= free) {
      head.append(lines);
      return lines.length;
    }
    headOpen = false;
    const fits = free === 0 ? 0 : lines.lastIndexOf(newline, free - 1) + 1;
    head.append(lines.subarray(0, fits));
    return fits;
  }

  /** @returns the offset of the oldest whole line in the ring */
  function tailStart(): number {
    const oldest = Math.max(head.size, size - tailBytes);
    if (oldest === head.size) return oldest;
    // Usually in the middle of a line.
    const bytes = ring.slice(oldest - head.size, Math.min(pieceBytes, size - oldest));
    return oldest + bytes.indexOf(newline) + 1;
  }

  /** @returns the piece at an offset, and the offset after it */
  function pieceAt(offset: number): { piece: Buffer; next: number } {
    if (offset < head.size) {
      const piece = upToLastLine(head.slice(offset, Math.min(pieceBytes, head.size - offset)));
      return { piece, next: offset + piece.length };
    }
    const start = tailStart();
    if (offset < start) return { piece: markerLine(start - offset), next: start };
    const piece = upToLastLine(ring.slice(offset - head.size, Math.min(pieceBytes, size - offset)));
    return { piece, next: offset + piece.length };
  }

  return {
    get size() {
      return size;
    },
    append(lines) {
      if (lines.length === 0) return;
      ring.append(lines.subarray(fillHead(lines)));
      size += lines.length;
      wake();
    },
    end(error) {
      ended ??= { error };
      wake();
    },
    async *read(signal) {
      for (let offset = 0; await more(offset, signal); ) {
        const { piece, next } = pieceAt(offset);
        offset = next;
        yield piece;
      }
    },
    content() {
      const pieces: Buffer[] = [];
      for (let offset = 0; offset < size; ) {
        const { piece, next } = pieceAt(offset);
        pieces.push(piece);
        offset = next;
      }
      return Buffer.concat(pieces);
    },
  };
}

/** Cuts after the last newline; a single line longer than a piece is kept as it is. */
function upToLastLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(newline) + 1;
  return end === 0 ? bytes : bytes.subarray(0, end);
}

interface Ring {
  /** Total number of appended bytes. */
  readonly size: number;
  append(bytes: Buffer): void;
  /** @returns a copy */
  slice(from: number, length: number): Buffer;
}

const firstCapacity = 4_096;

/** Keeps the last `limit` bytes at offsets modulo its capacity, in memory that grows with them. */
function growing(limit: number): Ring {
  let memory = Buffer.alloc(Math.min(firstCapacity, limit));
  let size = 0;

  function grow(wanted: number): void {
    if (memory.length === limit || wanted <= memory.length) return;
    let capacity = memory.length;
    while (capacity < wanted && capacity < limit) capacity *= 2;
    const larger = Buffer.alloc(Math.min(capacity, limit));
    // Until it is full for the first time, nothing has wrapped around.
    memory.copy(larger, 0, 0, size);
    memory = larger;
  }

  return {
    get size() {
      return size;
    },
    append(bytes) {
      grow(size + bytes.length);
      const skipped = Math.max(0, bytes.length - memory.length);
      const kept = bytes.subarray(skipped);
      const at = (size + skipped) % memory.length;
      const first = kept.copy(memory, at);
      kept.copy(memory, 0, first);
      size += bytes.length;
    },
    slice(from, length) {
      const at = from % memory.length;
      const first = memory.subarray(at, Math.min(at + length, memory.length));
      return Buffer.concat([first, memory.subarray(0, length - first.length)]);
    },
  };
}
