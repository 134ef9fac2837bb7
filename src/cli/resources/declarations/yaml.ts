// Parses YAML and JSON into values, and finds the line and column of a value by its path. The tags !file and !env insert the
// content of a file and the value of an environment variable.
import type { Document, LineCounter, Node, Scalar } from 'yaml';
import { isKeptNumber } from '../../../lib/numbers.ts';
import type { Report } from './problem.ts';
import type { Insertions, Source } from './source.ts';

export type Path = readonly (string | number)[];

/** A document of a source, or an item of a list in it. */
export interface YamlDocument {
  readonly source: Source;
  readonly value: unknown;
  /** The number of its document in the source, from 0. */
  readonly number: number;
  /** Where it is in that document. */
  readonly within: Path;
  /** @returns the place of a value, or of its key; of the nearest parent that exists when it is missing */
  placeOf(path: Path, part?: 'key' | 'value'): string;
}

const maxAliases = 100;
const independent: readonly string[] = ['DUPLICATE_KEY', 'TAG_RESOLVE_FAILED'];
const tags = ['!file', '!env'] as const;

export const parseOptions = {
  version: '1.2',
  customTags: tags.map((tag) => ({ tag, resolve: (text: string) => text })),
  prettyErrors: false,
  stringKeys: true,
  merge: true,
} as const;

/**
 * @param warn of what another reader of the text takes as something else
 * @returns the documents that are not empty; what is wrong in the others is reported
 */
export async function parseYaml(
  source: Source,
  report: Report,
  warn: (sentence: string) => void = () => undefined,
): Promise<readonly YamlDocument[]> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const parsed = yaml.parseAllDocuments(source.text, { ...parseOptions, lineCounter: lines });
  const documents: YamlDocument[] = [];
  const isReported = firstOfSyntax();
  for (const [number, document] of parsed.entries()) {
    const at = placing(yaml, document, { source, lines });
    const problems = [...document.errors, ...document.warnings];
    for (const { message, pos } of problems.filter(isReported)) {
      report({ place: at.offset(pos[0]), field: '', message: yamlError(message) });
    }
    if (problems.length > 0) continue;
    if (refuseCycles(yaml, document, at.report(report))) continue;
    readOtherwise(yaml, document, (offset, text) => warn(`${at.offset(offset)}: ${text}`));
    replaceTags(yaml, document, { source, report: at.report(report) });
    try {
      const value: unknown = document.toJS({ maxAliasCount: maxAliases });
      if (value !== null) documents.push({ source, value, number, within: [], placeOf: at.path });
    } catch (thrown) {
      report({ place: at.path([]), field: '', message: yamlError((thrown as Error).message) });
    }
  }
  return documents;
}

/** Errors after an error of the syntax are often consequences of it. */
function firstOfSyntax(): (problem: { readonly code: string }) => boolean {
  let isBroken = false;
  return ({ code }) => {
    if (independent.includes(code)) return true;
    const isFirst = !isBroken;
    isBroken = true;
    return isFirst;
  };
}

function yamlError(message: string): string {
  return message.split('\n', 1)[0]?.replace(/[.:]$/, '') ?? '';
}

/** An alias inside of what it stands for has no end. @returns whether there is one */
function refuseCycles(
  { visit }: typeof import('yaml'),
  document: Document,
  report: (node: Node, parents: Parents, message: string) => void,
): boolean {
  let found = false;
  visit(document, {
    Alias(_, node, parents) {
      const meant = node.resolve(document);
      if (meant === undefined || !(parents as Parents).includes(meant)) return;
      found = true;
      report(node, parents, `the alias *${node.source} stands for a value that contains it`);
    },
  });
  return found;
}

interface Surroundings {
  readonly source: Source;
  readonly report: (node: Scalar, parents: Parents, message: string) => void;
}

type Parents = readonly unknown[];

/** Inserts what tags stand for, and reports numbers that JSON does not keep. */
function replaceTags(
  { visit }: typeof import('yaml'),
  document: Document,
  { source, report }: Surroundings,
): void {
  visit(document, {
    Scalar(_, node, parents) {
      const problem =
        typeof node.value === 'number' ? problemOfNumber(node) : insert(node, source.insertions);
      if (problem !== undefined) report(node, parents, problem);
    },
  });
}

function problemOfNumber(node: Scalar): string | undefined {
  const value = node.value as number;
  if (!Number.isFinite(value)) return 'is no number of JSON';
  if (isKeptNumber(node.source ?? '', value)) return undefined;
  return value === 0
    ? 'is too small and would become 0; quote it if it is text'
    : 'is beyond 2^53 and would lose digits; quote it if it is text';
}

/** @returns what forbids it */
function insert(node: Scalar, insertions: Insertions): string | undefined {
  const { tag } = node;
  if (tag !== '!env' && tag !== '!file') return undefined;
  const name = `${node.value}`;
  try {
    node.value = tag === '!env' ? insertions.variable(name) : insertions.file(name);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

function placing(
  yaml: typeof import('yaml'),
  document: Document,
  { source, lines }: { source: Source; lines: LineCounter },
) {
  const offset = (position: number) => {
    const { line, col } = lines.linePos(position);
    return `${source.name}:${line}:${col}`;
  };
  return {
    offset,
    path: (path: Path, part: 'key' | 'value' = 'value') =>
      offset(nodeOffset(yaml, document, { path, part })),
    report: (report: Report) => (node: Node, parents: Parents, message: string) => {
      const field = fieldOf(yaml, [...parents, node]);
      report({ place: offset(node.range?.[0] ?? 0), field, message });
    },
  };
}

/** @returns the path of a node, such as `config.owner` */
function fieldOf({ isPair, isScalar, isSeq }: typeof import('yaml'), nodes: Parents): string {
  return nodes
    .flatMap((node, at): (string | number)[] => {
      if (isSeq(node)) return [node.items.indexOf(nodes[at + 1])];
      return isPair(node) && isScalar(node.key) ? [`${node.key.value}`] : [];
    })
    .join('.');
}

/** @returns the place of a value or its key; of the last parent on the way to it that exists */
function nodeOffset(
  yaml: typeof import('yaml'),
  document: Document,
  { path, part }: { path: Path; part: 'key' | 'value' },
): number {
  let node = document.contents as Node | null | undefined;
  let offset = node?.range?.[0] ?? 0;
  for (const [at, step] of path.entries()) {
    const child = childNode(yaml, yaml.isAlias(node) ? node.resolve(document) : node, step);
    if (child === undefined) return offset;
    const isKey = child.node === null || at < path.length - 1 || part === 'key';
    const place = isKey ? (child.key ?? child.node) : child.node;
    offset = place?.range?.[0] ?? offset;
    node = child.node;
  }
  return offset;
}

interface Child {
  /** Undefined for an item of a list. */
  readonly key: Node | undefined;
  readonly node: Node | null;
}

function childNode(
  { isMap, isScalar, isSeq }: typeof import('yaml'),
  parent: Node | null | undefined,
  step: string | number,
): Child | undefined {
  if (isSeq(parent)) {
    const node = parent.items[Number(step)] as Node | undefined;
    return node === undefined ? undefined : { key: undefined, node };
  }
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => isScalar(key) && `${key.value}` === `${step}`);
  return pair && { key: pair.key as Node, node: pair.value as Node | null };
}

// Finds plain scalars that YAML 1.1 reads as another value: kubectl and most readers of manifests do, and the same file would
// declare something else there.

/** Others are read alike, as are usual numbers. kubectl takes `12:30` as text, and `0o7` as YAML 1.2 does. */
const doubtful = /^(?:[yn]|yes|no|on|off|(?!-?(?:0|[1-9]\d*)(?:\.\d+)?$)[-+]?(?!0o)[\d.][\w.]*)$/i;

/** @param warn receives the offset in the text, and a sentence such as `no is "no" here, and false in YAML 1.1 …` */
function readOtherwise(
  yaml: typeof import('yaml'),
  document: Document,
  warn: (offset: number, sentence: string) => void,
): void {
  yaml.visit(document, {
    Scalar(key, { value, source = '', type, tag, range }: Scalar) {
      if (type !== 'PLAIN' || tag !== undefined || !doubtful.test(source)) return;
      const older: unknown = yaml.parse(source, { version: '1.1' });
      // Names of members are texts in JSON.
      const [ours, theirs] = key === 'key' ? [`${value}`, `${older}`] : [value, older];
      if (Object.is(ours, theirs) || older instanceof Date) return;
      const [here, there] = [JSON.stringify(ours), JSON.stringify(theirs)];
      const sentence = `${source} is ${here} here, and ${there} in YAML 1.1, as kubectl reads it; write ${here} or ${there}`;
      warn(range?.[0] ?? 0, sentence);
    },
  });
}
