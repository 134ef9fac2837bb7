// Recognises files with secrets, which are not uploaded unless a flag names them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Rule {
  readonly names: RegExp;
  /** The pattern of the content; without it, every file of that name is one. */
  readonly holds?: RegExp;
  readonly what: string;
}

/** With the settings for handlers that `dev` checks. */
export const localSettingsFile = 'settings.local.yaml';

const rules: readonly Rule[] = [
  { names: /^settings\.local\.ya?ml$/, what: 'may hold credentials' },
  { names: /^\.env(?!.*\.(?:example|sample|template)$)/, what: 'may hold secrets' },
  // A certificate is public, and providers need those of databases.
  { names: /\.(?:pem|key)$/i, holds: /PRIVATE KEY-----/, what: 'holds a private key' },
  {
    names: /^\.npmrc$/,
    // A value such as ${NPM_TOKEN} is no secret.
    holds: /(?:^|:)_(?:authToken|auth|password)\s*=\s*(?!\s|\$\{)\S/m,
    what: 'holds a token of a registry',
  },
];

/** @returns why a file must not be uploaded, such as `holds a private key`; undefined for others */
export function secretIn(root: string, path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return rules.find(
    ({ names, holds }) =>
      names.test(name) && (holds === undefined || holds.test(textAt(join(root, path)))),
  )?.what;
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // A link to nothing: the check of the files names it.
    return '';
  }
}
