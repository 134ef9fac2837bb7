// Measures and wraps text by the columns that it takes on a terminal.

/** Ranges of characters that take two columns: East Asian wide and fullwidth, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences of colours
export const colour = /\u001b\[[0-9;]*m/g;
// Latin letters, dashes, quotes, arrows, lines and the signs of states: one column each. Most text is of these, and segmenting a
// table takes longer than the request for its content.
const narrow =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u25ff\u2713\u2717]*$/;
let segmenter: Intl.Segmenter | undefined;

/** @returns the columns that a text takes; sequences of colours take none */
export function widthOf(text: string): number {
  const bare = text.includes('\u001b') ? text.replace(colour, '') : text;
  if (narrow.test(bare)) return bare.length;
  let width = 0;
  for (const character of charactersOf(bare)) width += wide.test(character) ? 2 : 1;
  return width;
}

/** @returns a text filled up with spaces */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Cuts a text to a width, with `…` where something is missing. Only for lines that are redrawn. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let taken = '';
  let columns = 0;
  for (const character of charactersOf(text.replace(colour, ''))) {
    columns += widthOf(character);
    if (columns > width - 1) break;
    taken += character;
  }
  return `${taken}…`;
}

/** Cuts a text to a width, with `…` in its middle: names often differ at their end. */
export function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const characters = charactersOf(text.replace(colour, ''));
  const [head, tail]: [string[], string[]] = [[], []];
  let left = width - 1;
  for (let at = 0; ; at += 1) {
    const isHead = at % 2 === 0;
    const next = isHead ? characters.shift() : characters.pop();
    if (next === undefined || widthOf(next) > left) return `${head.join('')}…${tail.join('')}`;
    left -= widthOf(next);
    if (isHead) head.push(next);
    else tail.unshift(next);
  }
}

/** @returns the lines of a text at a width, broken between words; a longer word stays whole */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

// With those that reverse the direction of text. Line ends and tabs are not among them.
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** @returns a text with characters that control a terminal as escapes of JSON; line ends and tabs stay */
export function escapedControls(text: string): string {
  return text.replace(
    controls,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @returns whether a text has characters that control a terminal, besides line ends and tabs */
export function hasControls(text: string): boolean {
  return escapedControls(text) !== text;
}

/** @returns a text of the server or of a provider that cannot control the terminal; line ends stay */
export function safe(text: string): string {
  return escapedControls(text.replace(/\r\n/g, '\n').replace(/\t/g, '  '));
}

/** @returns a text without line ends that cannot control the terminal */
export function safeLine(text: string): string {
  return safe(text).replace(/\s*\n\s*/g, ' ');
}
