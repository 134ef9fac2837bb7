// Formats lines of provider logs for a terminal.

import { type LogLine, logLineParts } from '../../client/log-line.ts';
import { safeLine } from '../../client/width.ts';
import type { Style } from '../terminal/style.ts';

/** @returns a line for people: time, level, message and fields */
export function logText(line: LogLine, style: Style): string {
  const { source, level, clock, message, fields } = logLineParts(line);
  const shownSource = style.paint('dim', source);
  if (level === undefined) return `${shownSource} ${message}`;
  const shownClock = clock === '' ? '' : `${safeLine(clock)} `;
  const word = safeLine(level).padEnd(5);
  const shown = level === 'error' ? style.paint('red', word) : word;
  return `${shownSource} ${shownClock}${shown} ${message} ${style.paint('dim', safeLine(fields))}`.trimEnd();
}
