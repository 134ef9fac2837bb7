// Reads the termination message of a container: its termination message path, or the end of its log.
import { readFileSync } from 'node:fs';
import { messageFile } from './launch.ts';
import { logPath, readRecords } from './log-file.ts';
import { rendered, tail } from './log-lines.ts';

const maxMessageBytes = 4_096;
const maxFromLogBytes = 2_048;
const linesFromLog = 80;

export interface EndedContainer {
  readonly container: string;
  readonly folder: string;
  readonly run: number;
  readonly failed: boolean;
}

/** @returns the message, or '' if there is none */
export function terminationMessage({ container, folder, run, failed }: EndedContainer): string {
  const written = messageIn(messageFile(folder, container));
  if (written !== '' || !failed) return written;
  const records = tail(readRecords(logPath(folder, container, run)), linesFromLog);
  const text = rendered(records, { timestamps: false });
  return text.subarray(Math.max(0, text.length - maxFromLogBytes)).toString('utf8');
}

function messageIn(path: string): string {
  try {
    return readFileSync(path).toString('utf8', 0, maxMessageBytes);
  } catch {
    return '';
  }
}
