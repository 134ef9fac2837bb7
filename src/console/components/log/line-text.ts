// Prepares lines of logs for the page.
import { colour, safe, safeLine } from '../../../client/width.ts';

/** @returns a line without colours; other control characters are shown, as some reverse the text around them */
export function shownLine(line: string): string {
  return safe(line.replace(colour, ''));
}

/** @returns fields of a line without line ends */
export function shownFields(fields: string): string {
  return safeLine(fields.replace(colour, ''));
}
