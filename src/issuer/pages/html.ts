// Builds HTML from templates: every value is escaped, except HTML that was built here.
import { escapedHtml } from '../../lib/text.ts';

/** HTML in which every value is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Html | readonly Html[] | undefined;

/** Tags a template. A value of type text is escaped, for use between tags and in quoted attributes; undefined is left out. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(htmlText)));
}

function htmlText(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapedHtml(value);
  return value instanceof Html ? value.text : value.map((each) => each.text).join('\n');
}
