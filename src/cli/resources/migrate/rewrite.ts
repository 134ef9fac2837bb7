// Rewrites values in the text of a YAML or JSON file. Comments, order, anchors and tags stay where YAML permits: a field that is
// renamed keeps its line, and what does not change is not touched.

import { isDeepStrictEqual } from 'node:util';
import type { Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isJsonObject, type JsonValue, jsonIn } from '../../../lib/json.ts';
import { type Path, parseOptions } from '../declarations/yaml.ts';

type Yaml = typeof import('yaml');

/** A value to write, below a document of a file. */
export interface ValueEdit {
  /** The number of the document in the file, from 0. */
  readonly document: number;
  readonly path: Path;
  /** Undefined: the field is removed. */
  readonly value: JsonValue;
  /** The value before, with what tags stand for. */
  readonly before: JsonValue;
}

/** A value that is written in the file as a tag, such as `!env TOKEN`, was changed: the file must not get what it stands for. */
class TagLost extends Error {}

/** @returns the text with the values. @throws TagLost, and Error when YAML cannot express it in this file */
export async function rewritten(text: string, edits: readonly ValueEdit[]): Promise<string> {
  const json = jsonIn(text);
  if (json !== undefined) return editedJson(json, text, edits);
  const yaml = await import('yaml');
  const documents = yaml.parseAllDocuments(text, parseOptions) as Document.Parsed[];
  for (const { document: at, path, value, before } of edits) {
    const document = documents[at];
    if (document === undefined) throw new Error('the file has changed');
    const node = document.getIn(path, true) as Node | undefined;
    const tags = tagsOfNodes(yaml, { node, before });
    const next = mergedNode(yaml, { document, tags }, { node, value });
    if (next !== node) document.setIn(path, next);
    requireTags(yaml, document.getIn(path, true) as Node, tags);
  }
  const touched = new Set(edits.map((edit) => edit.document));
  const format = yamlStyle(text);
  const parts = documents.map((each, at) =>
    touched.has(at)
      ? each.toString(format)
      : text.slice(documents[at - 1]?.range[2] ?? 0, each.range[2]),
  );
  const result = parts.join('');
  requireRest(yaml, { text, result }, edits);
  return result;
}

/** An anchor in a changed value may be used elsewhere. */
function requireRest(
  yaml: Yaml,
  { text, result }: { readonly text: string; readonly result: string },
  edits: readonly ValueEdit[],
): void {
  const [before, after] = [text, result].map((each) => {
    const documents = yaml.parseAllDocuments(each, parseOptions) as Document.Parsed[];
    const values = documents.map((document) => document.toJS() as unknown);
    for (const { document, path } of edits) {
      const parent = path.slice(0, -1).reduce(member, values[document]);
      delete (parent as Record<string | number, unknown> | undefined)?.[path.at(-1) ?? ''];
    }
    return values;
  });
  if (isDeepStrictEqual(before, after)) return;
  throw new Error('other parts of the document use what the migration changes; change it by hand');
}

function editedJson(json: JsonValue, text: string, edits: readonly ValueEdit[]): string {
  for (const { path, value } of edits) {
    const parent = path.slice(0, -1).reduce<unknown>((at, step) => (at as never)[step], json);
    (parent as Record<string | number, JsonValue>)[path.at(-1) ?? ''] = value;
  }
  const indent = /\n([ \t]+)\S/.exec(text)?.[1];
  return JSON.stringify(json, null, indent) + (text.endsWith('\n') ? '\n' : '');
}

/** Long lines and the depth of lists stay as they are. */
function yamlStyle(text: string) {
  const indent = /^(?:[^\s#-].*):[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*( +)[^\s#-]/m.exec(text)?.[1];
  const indentSeq = !/^( *)[^\s#-].*:[ \t]*\n\1- /m.test(text);
  const flowCollectionPadding = !/[{[][^\s{}[\]]/.test(text);
  return { lineWidth: 0, indent: indent?.length ?? 2, indentSeq, flowCollectionPadding };
}

interface TaggedDocument {
  readonly document: Document;
  readonly tags: readonly Tagged[];
}

interface Tagged {
  readonly node: Scalar;
  readonly value: JsonValue;
}

/** @returns the nodes of the value with a tag, and what each stands for */
function tagsOfNodes(
  { isScalar, isMap, isSeq }: Yaml,
  { node, before }: { node: Node | undefined; before: JsonValue },
): readonly Tagged[] {
  const found: Tagged[] = [];
  const visit = (each: unknown, value: unknown): void => {
    if (isScalar(each)) {
      if (each.tag?.startsWith('!')) found.push({ node: each, value: value as JsonValue });
      return;
    }
    const children = isMap(each)
      ? each.items.map(pairEntry)
      : isSeq(each)
        ? [...each.items.entries()]
        : [];
    for (const [step, child] of children) visit(child, member(value, step));
  };
  visit(node, before);
  return found;
}

function pairEntry(pair: Pair): readonly [string, unknown] {
  return [keyText(pair), pair.value];
}

function member(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null ? (value as never)[name] : undefined;
}

function keyText({ key }: Pair): string {
  return `${(key as Scalar | null)?.value ?? key}`;
}

/** @returns the node to use: the same one, when it was possible to change it in place */
function mergedNode(
  yaml: Yaml,
  place: TaggedDocument,
  { node, value }: { node: Node | null | undefined; value: JsonValue },
): Node {
  if (node && isDeepStrictEqual(nodeValue(node, place), value)) return node;
  if (yaml.isMap(node) && isPlainMap(yaml, node) && isJsonObject(value)) {
    mergeMap(yaml, place, { map: node, value });
    return node;
  }
  if (yaml.isSeq(node) && Array.isArray(value) && node.items.length === value.length) {
    mergeItems(yaml, place, { list: node, value });
    return node;
  }
  const isTagged = place.tags.some(
    (each) => each.node === node || isDeepStrictEqual(each.value, value),
  );
  if (!isTagged && yaml.isScalar(node) && (typeof value !== 'object' || value === null)) {
    setScalar(node, value);
    return node;
  }
  return made(yaml, place, value);
}

/** A text keeps its quotes; the form of another value is that of its new type. */
function setScalar(node: Scalar, value: JsonValue): void {
  if (typeof node.value !== 'string' || typeof value !== 'string') delete node.type;
  delete node.source;
  delete node.format;
  delete node.tag;
  node.value = value;
}

function mergeItems(
  yaml: Yaml,
  place: TaggedDocument,
  { list, value }: { list: YAMLSeq; value: readonly JsonValue[] },
): void {
  for (const [at, item] of value.entries()) {
    list.items[at] = mergedNode(yaml, place, { node: list.items[at] as Node, value: item });
  }
}

function mergeMap(
  yaml: Yaml,
  place: TaggedDocument,
  { map, value }: { map: YAMLMap; value: Readonly<Record<string, JsonValue>> },
): void {
  renameKeys(map, place, value);
  map.items = map.items.filter((pair) => Object.hasOwn(value, keyText(pair)));
  for (const [name, each] of Object.entries(value)) {
    const pair = map.items.find((item) => keyText(item) === name);
    if (pair === undefined) {
      map.items.push(new yaml.Pair(place.document.createNode(name), made(yaml, place, each)));
    } else {
      pair.value = mergedNode(yaml, place, { node: pair.value as Node, value: each });
    }
  }
}

/** @returns a new node, with the tags of values that were elsewhere */
function made(yaml: Yaml, place: TaggedDocument, value: JsonValue): Node {
  const tagged = place.tags.find((each) => isDeepStrictEqual(each.value, value));
  if (tagged !== undefined) return tagged.node;
  if (isJsonObject(value)) {
    const map = new yaml.YAMLMap(place.document.schema);
    map.items = Object.entries(value).map(
      ([name, each]) => new yaml.Pair(place.document.createNode(name), made(yaml, place, each)),
    );
    return map;
  }
  if (!Array.isArray(value)) return place.document.createNode(value) as Node;
  const list = new yaml.YAMLSeq(place.document.schema);
  list.items = value.map((each) => made(yaml, place, each));
  return list;
}

/** A field that goes while another one comes with the same value, or as the only one, was renamed. */
function renameKeys(
  map: YAMLMap,
  place: TaggedDocument,
  value: Readonly<Record<string, JsonValue>>,
): void {
  const gone = map.items.filter((pair) => !Object.hasOwn(value, keyText(pair)));
  const kept = new Set(map.items.map(keyText));
  const come = Object.entries(value).filter(([name]) => !kept.has(name));
  for (const pair of gone) {
    const before = nodeValue(pair.value as Node | null, place);
    const same = come.findIndex(([, each]) => isDeepStrictEqual(each, before));
    const at = same < 0 && gone.length === 1 && come.length === 1 ? 0 : same;
    const [renamed] = at < 0 ? [] : come.splice(at, 1);
    if (renamed !== undefined) (pair.key as Scalar).value = renamed[0];
  }
}

/** Merged and computed keys stand for more than one field: such a map is written anew when it changes. */
function isPlainMap({ isScalar }: Yaml, map: YAMLMap): boolean {
  return map.items.every(
    ({ key }) =>
      isScalar(key) &&
      key.value !== '<<' &&
      key.tag !== 'tag:yaml.org,2002:merge' &&
      typeof key.value === 'string',
  );
}

function nodeValue(node: Node | null, { document, tags }: TaggedDocument): unknown {
  const tagged = tags.find((each) => each.node === node);
  return tagged === undefined ? (node?.toJS(document) ?? null) : tagged.value;
}

function requireTags({ visit }: Yaml, node: Node, tags: readonly Tagged[]): void {
  const left = new Set(tags.map((each) => each.node));
  visit(node as never, { Scalar: (_key, each) => void left.delete(each) });
  const [lost] = left;
  if (lost === undefined) return;
  throw new TagLost(`${lost.tag} ${lost.value} has no place in the newest form, or was changed`);
}
