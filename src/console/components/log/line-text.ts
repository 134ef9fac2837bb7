// Prepares lines of logs for the page.
import { safe, safeLine } from '../../../client/width.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences of colours
const colour = /\u001b\[[0-9;]*m/g;

/** @returns a line without colours; other control characters are shown, as some reverse the text around them */
export function shownLine(line: string): string {
  return safe(line.replace(colour, ''));
}

/** @returns fields of a line without line ends */
export function shownFields(fields: string): string {
  return safeLine(fields.replace(colour, ''));
}
