// Keeps the signing key of the development issuer in the data folder, so that tokens stay valid after a restart.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { StartError } from '../domain/errors.ts';

export const algorithm = 'RS256';
const fileName = 'issuer-keys.json';

/** A private key as a JWK, with `kid`, `alg` and `use`. */
export type SigningKey = JWK & { readonly kid: string };

/** @returns the key of this data folder, made on first use. @throws StartError when the file is there but unusable */
export async function keepSigningKey(dataFolder: string): Promise<SigningKey> {
  const known = readSigningKey(dataFolder);
  if (known !== undefined) return known;
  const key = await makeSigningKey();
  writeSigningKey(dataFolder, key);
  return key;
}

export async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: algorithm, use: 'sig' };
}

/** Writes the key where `keepSigningKey` and the token verb find it. */
export function writeSigningKey(dataFolder: string, key: SigningKey): void {
  const path = join(dataFolder, fileName);
  writeFileSync(`${path}.new`, JSON.stringify({ keys: [key] }), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** @returns undefined when there is no key yet. @throws StartError when the file is unusable */
export function readSigningKey(dataFolder: string): SigningKey | undefined {
  const path = join(dataFolder, fileName);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StartError(`The keys of the issuer in ${path} cannot be read.`);
  }
  const key = signingKeyIn(text);
  if (key !== undefined) return key;
  throw new StartError(
    `${path} contains no usable key. Delete the file to create a new key; tokens signed with the old key become invalid.`,
  );
}

function signingKeyIn(text: string): SigningKey | undefined {
  try {
    const { keys } = JSON.parse(text) as { keys: SigningKey[] };
    const [key] = keys;
    return typeof key?.d === 'string' && typeof key.kid === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}
