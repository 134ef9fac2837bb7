// Pure. Relative links of Markdown documents: whether each leads to a file of the repository, and its #anchor to a heading by
// the rules of GitHub. So do paths in code, such as `src/domain/errors.ts`, which every move of a file makes untrue.
import { dirname, join, normalize } from 'node:path/posix';
import GithubSlugger from 'github-slugger';

export interface Repository {
  /** @param path relative to the repository, of a file or a folder */
  readonly exists: (path: string) => boolean;
  /** @returns the text of a file that exists */
  readonly read: (path: string) => string;
}

export interface Link {
  readonly target: string;
  readonly line: number;
}

/** @returns one sentence for each broken link of a document */
export function linkProblems(path: string, { exists, read }: Repository): string[] {
  const problems: string[] = [];
  for (const { target, line } of linksIn(read(path))) {
    const [address = '', anchor] = target.split('#', 2);
    const file = address === '' ? path : fileOf(path, address);
    const at = `${path}:${line}: ${target}`;
    if (file.startsWith('..')) problems.push(`${at} leads out of the repository`);
    else if (!exists(file)) problems.push(`${at} leads to no file`);
    else if (anchor !== undefined && file.endsWith('.md') && !anchorsIn(read(file)).has(anchor)) {
      problems.push(`${at} leads to no heading`);
    }
  }
  const unknown = pathsIn(read(path)).filter(({ target }) => !exists(target));
  return [
    ...problems,
    ...unknown.map(({ target, line }) => `${path}:${line}: ${target} is no file`),
  ];
}

/** The `src/index.ts` of a provider is its author's. */
const ownPath = /`((?:src\/[\w-]+|test|packaging|bench|charts|crds|manifests)\/[\w./-]+)`/g;

function pathsIn(markdown: string): readonly Link[] {
  return proseOf(markdown).flatMap((text, index) =>
    [...text.matchAll(ownPath)].map(([, target = '']) => ({ target, line: index + 1 })),
  );
}

function fileOf(path: string, address: string): string {
  const decoded = decodeURIComponent(address);
  const from = decoded.startsWith('/') ? '.' : dirname(path);
  return normalize(join(from, decoded)).replace(/\/$/, '');
}

const inline = /\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+["'(][^)]*)?\s*\)/g;
const reference = /^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]+)>?/g;
const attribute = /\b(?:href|src)="([^"]+)"/g;

/** @returns the links of a document that lead to the same repository */
export function linksIn(markdown: string): readonly Link[] {
  return proseOf(markdown).flatMap((text, index) => {
    const plain = withoutCode(text);
    return [inline, reference, attribute]
      .flatMap((pattern) => [...plain.matchAll(pattern)])
      .map(([, target = '']) => ({ target, line: index + 1 }))
      .filter(({ target }) => !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target));
  });
}

/** @returns what may stand behind `#`: the slugs of headings, numbered when they repeat, and ids of HTML */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const found = new Set<string>();
  const lines = proseOf(markdown);
  for (const [index, line] of lines.entries()) {
    const heading = headingAt(lines, index);
    if (heading !== undefined) found.add(slugger.slug(textOf(heading)));
    for (const [, id = ''] of withoutCode(line).matchAll(/\b(?:id|name)="([^"]+)"/g)) found.add(id);
  }
  return found;
}

function headingAt(lines: readonly string[], index: number): string | undefined {
  const line = lines[index] ?? '';
  const [, atx] = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line) ?? [];
  if (atx !== undefined) return atx;
  const isUnderlined = /^ {0,3}(?:=+|-+)[ \t]*$/.test(lines[index + 1] ?? '');
  return isUnderlined && /^ {0,3}[^\s#>|*-]/.test(line) ? line.trim() : undefined;
}

/** A heading as it is shown: without the marks of links, images, code and emphasis. */
function textOf(heading: string): string {
  return heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/(?<![\p{L}\p{N}])_([^_]+)_(?![\p{L}\p{N}])/gu, '$1')
    .replaceAll(/[`*]/g, '');
}

/** @returns the lines of a document; those of fenced code and of comments are empty */
function proseOf(markdown: string): readonly string[] {
  const visible = markdown.replaceAll(/<!--[\s\S]*?-->/g, (text) => text.replaceAll(/[^\n]/g, ''));
  let fence: string | undefined;
  return visible.split('\n').map((line) => {
    const [, mark] = /^\s*(?:[-*+]\s+|\d+\.\s+|>\s*)*(`{3,}|~{3,})/.exec(line) ?? [];
    const isInside = fence !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    return isInside || mark !== undefined ? '' : line;
  });
}

function withoutCode(line: string): string {
  return line.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
}
