// Refuses a push of files with tokens or private keys: whoever may read builds could use them, and builds are kept.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { shell } from '../../../client/words/shell-word.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { PackContents } from './contents.ts';
import { secretIn } from './secrets.ts';
import type { PackedFile } from './selection.ts';
import { filesOfTarball } from './tarball.ts';

/** Larger files are data. */
const maxBytes = 1_048_576;
const maxShown = 20;

interface Permitted {
  /** Files of `--allow-secret`. */
  readonly allow: readonly string[];
  /** Files of `--include`: one with the name of a secret was named for its secret. */
  readonly include: readonly string[];
}

/** @throws CliError with file and line, and never with a part of a credential */
export async function refuseCredentials(
  contents: PackContents,
  { allow, include }: Permitted,
): Promise<void> {
  const { credentialsIn } = await import('../../../credentials/find.ts');
  const found: (readonly [place: string, path: string, what: string])[] = [];
  for (const { path, size, content } of travelling(contents)) {
    if (size > maxBytes || allow.map(normal).includes(path)) continue;
    if (include.includes(path) && secretIn(contents.root, path) !== undefined) continue;
    const text = scannedText(content());
    if (text === undefined) continue;
    for (const { line, what } of await credentialsIn(text)) {
      found.push([`${path}:${line}`, path, what]);
    }
  }
  if (found.length === 0) return;
  const paths = [...new Set(found.map(([, path]) => path))];
  throw new CliError('Some files have what looks like a credential.', {
    exit: ExitCode.usage,
    facts: found.slice(0, maxShown).map(([place, , what]) => [place, what]),
    next: shell`Code gets credentials as settings of its provider: fairlead provider settings set NAME. If these are none: fairlead push ${paths.flatMap((path) => ['--allow-secret', path])}`,
  });
}

function normal(path: string): string {
  return path.replace(/^\.\//, '');
}

interface Travelling extends PackedFile {
  content(): Buffer;
}

/** Everything that is uploaded: the code, its local packages, and what their tarballs have. */
function* travelling({ root, files, texts, packages }: PackContents): Generator<Travelling> {
  const within = (folder: string, path: string) => relative(root, join(folder, path));
  for (const { path, size } of files) {
    if (packages.some((each) => each.path === path)) continue;
    // A manifest is looked at as its author wrote it.
    const made = existsSync(join(root, path)) ? undefined : texts.get(path);
    const content = () => (made === undefined ? readFileSync(join(root, path)) : Buffer.from(made));
    yield { path, size, content };
  }
  for (const { place, isTarball, files: own } of packages) {
    for (const { path, size } of own) {
      yield { path: within(place, path), size, content: () => readFileSync(join(place, path)) };
    }
    if (!isTarball) continue;
    for (const { path, content } of filesOfTarball(place)) {
      yield { path: within(place, path), size: content.length, content: () => content };
    }
  }
}

/** @returns undefined for binary files */
function scannedText(bytes: Buffer): string | undefined {
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}
