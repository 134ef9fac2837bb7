// Finds credentials in a text file, by line. Stricter than `mask.ts`, which hides whatever might be one: what is found here refuses a
// push, and documentation and code name users in URLs, headers and placeholders.
import { type TokenFound, tokensIn } from './tokens.ts';

interface Credential {
  /** From 1. */
  readonly line: number;
  /** Such as `a private key`; never a part of the text. */
  readonly what: string;
}

/** With its first bytes: code that reads keys has the headers, too. */
const privateKey =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|["'`,+]){0,80}[A-Za-z0-9+/]{40}/g;

/** Places rather than forms: users in URLs, account numbers, and what stands behind a name. */
const places: readonly string[] = ['basicauth', 'database-connection-string', 'privatekey'];
const placeForms: readonly string[] = ['AWSAccountID', 'Npmrc_authToken'];

/** `SG.prototype.get` and `ghp_xxxxxxxxxxxx` have the form of a token. */
const leastRun = /[\w+/=-]{16}/;
const leastDistinct = 8;

/** @returns the credentials in a text, in order, each line once */
export async function credentialsIn(text: string): Promise<readonly Credential[]> {
  const keys = [...text.matchAll(privateKey)].map(({ index }) => [index, 'a private key'] as const);
  const tokens = (await tokensIn(text, { enableIDScanRule: true }))
    .filter((token) => isToken(token, text))
    .map(({ rule, range }) => [range[0], `a credential of ${rule}`] as const);
  const found = [...keys, ...tokens].toSorted(([left], [right]) => left - right);
  const byLine = new Map<number, string>();
  let line = 1;
  let read = 0;
  for (const [at, what] of found) {
    line += text.slice(read, at).split('\n').length - 1;
    read = at;
    if (!byLine.has(line)) byLine.set(line, what);
  }
  return [...byLine].map(([number, what]) => ({ line: number, what }));
}

function isToken({ rule, form, range }: TokenFound, text: string): boolean {
  if (places.includes(rule) || placeForms.includes(form)) return false;
  const token = text.slice(...range);
  return leastRun.test(token) && new Set(token).size >= leastDistinct;
}
