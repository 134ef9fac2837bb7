// The texts of the pages: all English is in text/en.json.
import en from './text/en.json' with { type: 'json' };

export type TextKey = keyof typeof en;
export type Values = Readonly<Record<string, string | number>>;

/** Keys of texts for a number: `NAME.one` and `NAME.other`. */
export type CountedKey = {
  [Key in TextKey]: Key extends `${infer Name}.one` ? Name : never;
}[TextKey];

/**
 * @param values for the placeholders `{name}` of the text
 * @example text('resources.title')
 */
export function text(key: TextKey, values: Values = {}): string {
  return en[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** @returns the text for a number, which `{count}` stands for: `1 resource`, `2,000 resources` */
export function counted(key: CountedKey, count: number, values: Values = {}): string {
  const form = count === 1 ? 'one' : 'other';
  return text(`${key}.${form}` as TextKey, { ...values, count: numberText(count) });
}

const numbers = new Intl.NumberFormat('en');

export function numberText(value: number): string {
  return numbers.format(value);
}
