// Tells the colours of the client from those that a text of others contains: the client's are marked with a number that nobody else
// knows, until they reach a terminal.
import { safe } from '../../client/width.ts';

let key: string | undefined;

/** @returns the mark of a sequence of colours, such as 31. It takes no columns, as a sequence does not. */
export function marked(code: number): string {
  key ??= `${process.getBuiltinModule('node:crypto').randomInt(1e9, 1e12)}`;
  return `\u001b[${code};${key}m`;
}

/** Cleans a text of others, in which marks of the client stay. */
export function cleaned(text: string, clean: (part: string) => string = safe): string {
  if (key === undefined) return clean(text);
  return text
    .split(marks(key))
    .map((part, at) => (at % 2 === 0 ? clean(part) : marked(Number(part))))
    .join('');
}

/** @returns what a terminal receives: the colours of the client, and no other control characters than line ends */
export function forTerminal(text: string): string {
  const clean = cleaned(text);
  return key === undefined ? clean : clean.replace(marks(key), '\u001b[$1m');
}

function marks(own: string): RegExp {
  return new RegExp(`\u001b\\[(\\d+);${own}m`, 'g');
}
