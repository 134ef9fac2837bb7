// Pure. Reduces a termination message to one line.

import { oneLine, truncate } from '../lib/text.ts';

const maxLineLength = 1_024;

/** Build steps end with a JSON line `{"code","message"}`; anything else is the end of a log. */
export function lineOf(text: string): string {
  const last = text.trim().split('\n').at(-1) ?? '';
  try {
    const said: unknown = JSON.parse(last);
    const { message } = said as { message?: unknown };
    if (typeof message === 'string' && message.trim() !== '')
      return truncate(oneLine(message), maxLineLength);
  } catch {
    // Not one of ours: shown as it is.
  }
  return truncate(oneLine(last), maxLineLength);
}
