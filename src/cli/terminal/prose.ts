// Breaks sentences for a terminal: at words, and never within a command, which people copy.
import { safeLine, widthOf, wrapped } from '../../client/width.ts';
import { cleaned } from './own-colours.ts';

const command = /(?:^|(?<=: ))fairlead /;

/**
 * @param width of the terminal; undefined where nothing wraps
 * @returns a text as lines; where it is too long, each of its parts, which two spaces separate, and each command has lines of its own
 */
export function proseLines(text: string, width: number | undefined): string[] {
  if (width === undefined) return [text];
  return cleaned(text)
    .split('\n')
    .flatMap((line) => linesWithin(line, width));
}

function linesWithin(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const room = Math.max(1, width - indent.length);
  return line
    .trim()
    .split(/ {2,}/)
    .flatMap((part) => partLines(part, room))
    .map((each) => indent + each);
}

function partLines(part: string, room: number): string[] {
  const at = part.search(command);
  if (widthOf(part) <= room) return [part];
  if (at < 0) return wrapped(part, room);
  const before = part.slice(0, at).trim();
  return [...(before === '' ? [] : wrapped(before, room)), `  ${part.slice(at)}`];
}

/** @returns a text behind a title, with its further lines below its first one */
export function besideTitle(title: string, text: string, width: number | undefined): string[] {
  const indent = widthOf(title);
  const clean = cleaned(text, safeLine);
  const lines = width === undefined ? [clean] : wrapped(clean, Math.max(1, width - indent));
  return lines.map((line, at) => (at === 0 ? title : ' '.repeat(indent)) + line);
}

/**
 * @param indent that the command has where it fits
 * @returns a command on one line, or on several that a shell reads as one
 */
export function commandLines(command: string, indent: number, width: number | undefined): string[] {
  const clean = cleaned(command, safeLine);
  if (width === undefined || indent + widthOf(clean) <= width) return [' '.repeat(indent) + clean];
  const [first = '', ...rest] = wrapped(clean, Math.max(1, width - 6));
  const lines = [`  ${first}`, ...rest.map((line) => `    ${line}`)];
  if (rest.length === 0) return lines;
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line} \\`));
}
