// Formats lines of provider logs. The SDK writes JSON with level, time, message and the event; programs that are not written with
// it, and console.log, write anything.
import type { Style } from '../render/style.ts';
import { oneLine, safe } from '../render/width.ts';

export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

export interface LogLine {
  readonly pod: string;
  readonly text: string;
  /** The fields of a line of JSON. */
  readonly entry: Readonly<Record<string, unknown>> | undefined;
}

/** @param line as the API sends it: the pod, a space, and what was written */
export function parseLogLine(line: string): LogLine {
  const at = line.indexOf(' ');
  const [pod, text] = at < 0 ? ['', line] : [line.slice(0, at), line.slice(at + 1)];
  return { pod, text, entry: entryIn(text) };
}

function entryIn(text: string): LogLine['entry'] {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns whether a line has at least a level; one without a level always has it */
export function hasLevel({ entry }: LogLine, least: Level): boolean {
  const level = levels.indexOf(entry?.['level'] as Level);
  return level < 0 || level >= levels.indexOf(least);
}

/** In the columns before, or the same in every line of a command. */
const unshown: readonly string[] = ['level', 'time', 'message', 'organization', 'sequence'];

/** @returns a line for people: time, level, message and fields */
export function logText({ pod, text, entry }: LogLine, style: Style): string {
  const source = style.paint('dim', safe(pod.split('-').at(-1) ?? pod));
  if (entry === undefined) return `${source} ${safe(text)}`;
  const { time, level, message } = entry;
  const fields = Object.entries(entry)
    .filter(([name]) => !unshown.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const clock = typeof time === 'string' ? `${time.slice(11, 23)} ` : '';
  const word = String(level ?? 'info').padEnd(5);
  const shown = level === 'error' ? style.paint('red', word) : word;
  return `${source} ${clock}${shown} ${safe(String(message ?? ''))} ${style.paint('dim', oneLine(fields.join(' ')))}`.trimEnd();
}
