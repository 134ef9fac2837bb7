// Explains what is wrong with an import of built code: the file and the line as the author knows them, and what to write. Node names
// absolute paths, and takes no import without the extension of its file.
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFile } from './entry.ts';

/** @returns a sentence without a full stop; undefined when the message of Node is as good */
export function importProblem(thrown: Error, codeFolder: string): string | undefined {
  return missingFile(thrown.message, codeFolder) ?? syntaxError(thrown, codeFolder);
}

const missing =
  /^(?:Cannot find module|Directory import) '(\/[^']+)' .*?imported from (?:file:\/\/)?(\/.+)$/;

function missingFile(message: string, codeFolder: string): string | undefined {
  const [, path, importer] = missing.exec(message) ?? [];
  if (path === undefined || importer === undefined) return undefined;
  const from = pathWithin(importer, codeFolder);
  const wanted = specifier(path, importer);
  const meant = candidates(path).find(isFile);
  const what =
    meant === undefined ? 'which does not exist' : `and files are imported with their extension`;
  const advice = meant === undefined ? '' : `; write ${specifier(meant, importer)}`;
  return `${from} imports ${wanted}, ${what}${advice}`;
}

function candidates(path: string): readonly string[] {
  const bare = path.replace(/\.[cm]?js$/, '');
  const ends = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js'];
  return ends.map((end) => `${bare}${end}`);
}

/** @returns a path as an import in that file has it */
function specifier(path: string, importer: string): string {
  const found = relative(importer.replace(/\/[^/]*$/, ''), path).replaceAll(sep, '/');
  return found.startsWith('.') ? found : `./${found}`;
}

/** Node prints the place before the error. */
function syntaxError({ name, message, stack = '' }: Error, codeFolder: string): string | undefined {
  const [, url, line] = /^(file:\/\/\S+):(\d+)\n/.exec(stack) ?? [];
  if (name !== 'SyntaxError' || url === undefined) return undefined;
  return `${name} in ${pathWithin(fileURLToPath(url), codeFolder)}, line ${line}: ${message.split('\n')[0]}`;
}

function pathWithin(path: string, codeFolder: string): string {
  return relative(codeFolder, path).replaceAll(sep, '/');
}
