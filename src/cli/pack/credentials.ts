// Refuses a push of files with tokens or private keys: whoever may read builds could use them, and builds are kept.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { secretIn } from './secrets.ts';
import type { Selection } from './selection.ts';

/** Larger files are data. */
const maxBytes = 1_048_576;
const maxShown = 20;

export interface Permitted {
  /** Files of `--allow-secret`. */
  readonly allow: readonly string[];
  /** Files of `--include`: one with the name of a secret was named for its secret. */
  readonly include: readonly string[];
}

/** @throws CliError with file and line, and never with a part of a credential */
export async function refuseCredentials(
  { root, files }: Pick<Selection, 'root' | 'files'>,
  { allow, include }: Permitted,
): Promise<void> {
  const { credentialsIn } = await import('../../credentials/find.ts');
  const found: (readonly [place: string, path: string, what: string])[] = [];
  for (const { path, size } of files) {
    if (size > maxBytes || allow.map(normal).includes(path)) continue;
    if (include.includes(path) && secretIn(root, path) !== undefined) continue;
    const text = textAt(join(root, path));
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
    next: `Code gets credentials as settings of its provider: fairlead provider settings set NAME. If these are none: fairlead push ${paths.map((path) => `--allow-secret ${path}`).join(' ')}`,
  });
}

function normal(path: string): string {
  return path.replace(/^\.\//, '');
}

/** @returns undefined for binary files */
function textAt(path: string): string | undefined {
  const bytes = readFileSync(path);
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}
