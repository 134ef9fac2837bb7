// Reads YAML that somebody typed, as json-text.ts reads JSON: with the place of each value, and nothing changed silently. The parser is
// as large as half of all pages, so this module is loaded for a text that is no JSON.
import { type Document, isMap, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml';
import type { JsonValue } from '../../../../lib/json.ts';
import { isKeptNumber } from '../../../../lib/numbers.ts';
import {
  type JsonProblem,
  jsonProblemAt,
  type ReadJson,
} from '../../../components/text/json-text.ts';

const maxAliases = 100;

/** @returns the value of a document as the client reads it */
export function readYaml(text: string): ReadJson {
  const document = parseDocument(text, {
    version: '1.2',
    prettyErrors: false,
    stringKeys: true,
    merge: true,
  });
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined) {
    const isSecond = first.code === 'MULTIPLE_DOCS';
    return yamlProblem(text, first.pos[0], isSecond ? 'The config is one document' : first.message);
  }
  const number = unkeptNumber(document);
  if (number !== undefined) return { problem: jsonProblemAt(text, number) };
  try {
    const value = document.toJS({ maxAliasCount: maxAliases }) as JsonValue;
    return { value, offsets: offsetsIn(document) };
  } catch (thrown) {
    return yamlProblem(text, 0, (thrown as Error).message);
  }
}

function yamlProblem(text: string, offset: number, message: string): ReadJson {
  const what = message.split('\n', 1)[0]?.replace(/[.:]$/, '') ?? '';
  return { problem: jsonProblemAt(text, { kind: 'yaml', what, offset }) };
}

function unkeptNumber(document: Document) {
  let found: Pick<JsonProblem, 'kind' | 'what' | 'offset'> | undefined;
  visit(document, {
    Scalar(_, { value, source = '', range }) {
      if (typeof value !== 'number') return;
      if (isKeptNumber(source, value)) return;
      found ??= { kind: 'number', what: source, offset: range?.[0] ?? 0 };
    },
  });
  return found;
}

/** @returns where each value begins, by its JSON Pointer without escapes */
function offsetsIn(document: Document): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const walk = (path: string, node: unknown, start: number) => {
    const offset = (node as Node | null)?.range?.[0] ?? start;
    offsets.set(path, offset);
    for (const [name, child] of childrenOf(node)) walk(`${path}/${name}`, child, offset);
  };
  walk('', document.contents, 0);
  return offsets;
}

function childrenOf(node: unknown): readonly (readonly [string, unknown])[] {
  if (isSeq(node)) return node.items.map((item, at) => [`${at}`, item]);
  if (!isMap(node)) return [];
  return node.items.map(({ key, value }) => [isScalar(key) ? `${key.value}` : '', value]);
}
