// Keeps the last lines of a log, in chunks: only the last one is rendered again when lines arrive.

export interface Chunk {
  readonly id: number;
  readonly lines: readonly string[];
}

export interface LogBuffer {
  readonly chunks: readonly Chunk[];
  /** Number of lines that were received. */
  readonly received: number;
  /** Number of older lines that were dropped. */
  readonly dropped: number;
}

export const emptyBuffer: LogBuffer = { chunks: [], received: 0, dropped: 0 };

const chunkSize = 250;
/** Kept in memory and in the page. */
export const maxLines = 5_000;

/** @returns the buffer with more lines, of which the last `maxLines` remain */
export function appended(buffer: LogBuffer, lines: readonly string[]): LogBuffer {
  const chunks = [...buffer.chunks];
  let rest = lines;
  while (rest.length > 0) {
    const last = chunks.at(-1);
    const isFull = last === undefined || last.lines.length >= chunkSize;
    const open = isFull ? { id: (last?.id ?? 0) + 1, lines: [] } : last;
    const taken = rest.slice(0, chunkSize - open.lines.length);
    rest = rest.slice(taken.length);
    if (!isFull) chunks.pop();
    chunks.push({ id: open.id, lines: [...open.lines, ...taken] });
  }
  const received = buffer.received + lines.length;
  const kept = withoutOldest(chunks);
  return { chunks: kept, received, dropped: received - countOf(kept) };
}

/** Whole chunks, so that those that remain do not change; the lines of the first one are over the limit. */
function withoutOldest(chunks: readonly Chunk[]): readonly Chunk[] {
  const first = chunks.findIndex((_, at) => countOf(chunks.slice(at)) <= maxLines);
  return chunks.slice(first);
}

function countOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((count, { lines }) => count + lines.length, 0);
}

/** @returns all lines that are kept, as text */
export function textOf({ chunks }: LogBuffer): string {
  return chunks.map(({ lines }) => `${lines.join('\n')}\n`).join('');
}
