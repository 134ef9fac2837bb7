// Prints values of JSON as YAML, for reading and copying. A program that parses YAML would be as large as all pages together.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../../lib/json.ts';

interface YamlOptions {
  /** JSON Pointers of values that are not shown. */
  readonly hidden?: ReadonlySet<string>;
}

/** @returns a YAML document that means the value, in block style, in the order of its members */
export function yamlText(value: JsonValue, { hidden = new Set() }: YamlOptions = {}): string {
  return `${blockOf(value, { hidden, path: '', indent: '' }).replace(/^[ \n]+/, '')}\n`;
}

interface YamlPosition {
  readonly hidden: ReadonlySet<string>;
  readonly path: string;
  readonly indent: string;
}

/** @returns the value with what separates it from its name: a space, or a line break */
function blockOf(value: JsonValue, place: YamlPosition): string {
  if (place.hidden.has(place.path)) return ' # hidden';
  if (typeof value === 'string') return textBlock(value, place.indent);
  if (isJsonArray(value)) return value.length === 0 ? ' []' : listBlock(value, place);
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? ' {}' : mapBlock(value, place);
  return ` ${JSON.stringify(value)}`;
}

function mapBlock(value: JsonObject, { hidden, path, indent }: YamlPosition): string {
  return Object.entries(value)
    .map(([name, member]) => {
      const place = { hidden, path: pointer(path, name), indent: `${indent}  ` };
      return `\n${indent}${plainOrQuoted(name)}:${blockOf(member, place)}`;
    })
    .join('');
}

function listBlock(items: readonly JsonValue[], { hidden, path, indent }: YamlPosition): string {
  return items
    .map((item, index) => {
      const place = { hidden, path: `${path}/${index}`, indent: `${indent}  ` };
      const block = blockOf(item, place);
      // The first member stands beside the dash.
      return `\n${indent}-${block.startsWith('\n') ? ` ${block.trimStart()}` : block}`;
    })
    .join('');
}

/** A text of several lines is easier to read as they are. */
const literal =
  /^[^\s][\x20-\x7e\xa0-\u2027\u2030-\ud7ff\ue000-\ufefe]*(?:\n[\x20-\x7e\xa0-\u2027\u2030-\ud7ff\ue000-\ufefe]*)+$/;

function textBlock(value: string, indent: string): string {
  if (!literal.test(value) || value.endsWith('\n\n')) return ` ${plainOrQuoted(value)}`;
  const sign = value.endsWith('\n') ? '|' : '|-';
  const lines = value.replace(/\n$/, '').split('\n');
  const within = indent === '' ? '  ' : indent;
  return ` ${sign}\n${lines.map((line) => (line === '' ? '' : `${within}${line}`)).join('\n')}`;
}

const plain = /^[A-Za-z_/](?:[\w./@+-]|[: ](?=[\w./@+-]))*$/;
/** Words that a version of YAML reads as something else than text. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function plainOrQuoted(value: string): string {
  if (plain.test(value) && !reserved.test(value) && !value.includes(': ')) return value;
  // A string of JSON is one of YAML, but for characters that YAML takes as the end of a line, or forbids.
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
