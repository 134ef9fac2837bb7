// Numbers the lines of a log from 1 for the ids of an event stream, and skips those that a client has already received.
import { isMarkerLine } from '../../store/builds/log-buffer.ts';
import type { LogPiece } from '../../store/providers/log-reading.ts';

const newline = 0x0a;

/**
 * @param lastId the last number that the client received; anything but a number starts from the first line
 * @returns the later lines; all after an omission, because numbers behind one depend on the reader
 */
export async function* numbered(
  pieces: AsyncIterable<Uint8Array>,
  lastId: string | undefined,
): AsyncGenerator<LogPiece, void, void> {
  let left = /^\d{1,15}$/.test(lastId ?? '') ? Number(lastId) : 0;
  let line = 0;
  for await (const piece of pieces) {
    let bytes = piece;
    while (left > 0 && bytes.length > 0) {
      if (isMarkerLine(bytes)) {
        left = 0;
        break;
      }
      bytes = bytes.subarray(lineEnd(bytes));
      line += 1;
      left -= 1;
    }
    if (bytes.length === 0) continue;
    const before = line;
    yield { bytes, idOf: (index) => String(before + index + 1) };
    line += countLines(bytes);
  }
}

function lineEnd(bytes: Uint8Array): number {
  const end = bytes.indexOf(newline) + 1;
  return end === 0 ? bytes.length : end;
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let from = 0; from < bytes.length; from += lineEnd(bytes.subarray(from))) lines += 1;
  return lines;
}
