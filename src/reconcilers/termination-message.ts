// Pure. What a container said last → one line for people.

const maxLineLength = 1_024;

/** Build steps end with a JSON line `{"code","message"}`; anything else is the end of a log. */
export function lineOf(text: string): string {
  const last = text.trim().split('\n').at(-1) ?? '';
  try {
    const said: unknown = JSON.parse(last);
    const { message } = said as { message?: unknown };
    if (typeof message === 'string' && message.trim() !== '') return cut(oneLine(message));
  } catch {
    // Not one of ours: shown as it is.
  }
  return cut(oneLine(last));
}

export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Half of a character at the end could not be stored. */
function cut(text: string): string {
  return text.slice(0, maxLineLength).replace(/[\ud800-\udbff]$/, '');
}
