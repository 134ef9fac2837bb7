// The texts of the pages. All English is in JSON: what several pages show in text/en.json, and what one page shows in the en.json of
// its folder, which nobody loads who opens another page. A part that a page loads later has one of its own.
import shared from './text/en.json' with { type: 'json' };

type Texts = Readonly<Record<string, string>>;
export type TextKey = keyof typeof shared;
type Values = Readonly<Record<string, string | number>>;

/** Keys of texts for a number: `NAME.one` and `NAME.other`. */
type CountedKey<Key> = Key extends `${infer Name}.one` ? Name : never;

interface TextReader<Key extends string> {
  /**
   * @param values for the placeholders `{name}` of the text
   * @example text('resources.title')
   */
  text(key: Key, values?: Values): string;
  /** @returns the text for a number, which `{count}` stands for: `1 resource`, `2,000 resources` */
  counted(key: CountedKey<Key>, count: number, values?: Values): string;
}

/** @param own the texts of one page or part, beside those that all share */
export function textReader<Own extends Texts>(
  own: Own,
): TextReader<TextKey | (keyof Own & string)> {
  const texts: Texts = { ...shared, ...own };
  const text = (key: string, values: Values = {}): string =>
    (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) =>
      String(values[name] ?? whole),
    );
  return {
    text,
    counted(key, count, values = {}) {
      const form = count === 1 ? 'one' : 'other';
      return text(`${key}.${form}`, { ...values, count: numberText(count) });
    },
  };
}

const numbers = new Intl.NumberFormat('en');

export function numberText(value: number): string {
  return numbers.format(value);
}

export const { text, counted } = textReader({});
