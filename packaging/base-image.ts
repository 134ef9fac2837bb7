// `npm run update:base`: pins the current digest of the base image's tag in the Dockerfile. Review the change with
// `git diff Dockerfile` before committing it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const argument = /^ARG BASE_IMAGE=(\S+)$/gm;
const pinned =
  /^(?<registry>[^/]+)\/(?<repository>[^:@]+):(?<tag>[^@]+)@(?<digest>sha256:[0-9a-f]{64})$/;
const kinds = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** @returns the base image of a Dockerfile. @throws TypeError unless there is exactly one, pinned by its digest */
export function baseOf(dockerfile: string): string {
  const [first = '', ...further] = [...dockerfile.matchAll(argument)].map(([, base = '']) => base);
  if (!pinned.test(first) || further.some((each) => each !== first)) {
    throw new TypeError('The Dockerfile must name one base image: registry/name:tag@sha256:…');
  }
  return first;
}

/** @returns the Dockerfile with the current digest of its tag. @throws Error when the registry returns none */
export async function withCurrentBase(
  dockerfile: string,
  addressOf: (registry: string) => string = addressOfRegistry,
): Promise<string> {
  const base = baseOf(dockerfile);
  const { registry = '', repository = '', tag = '' } = pinned.exec(base)?.groups ?? {};
  const digest = await digestOf(`${addressOf(registry)}/v2/${repository}/manifests/${tag}`);
  return dockerfile.replaceAll(base, `${registry}/${repository}:${tag}@${digest}`);
}

function addressOfRegistry(registry: string): string {
  return `https://${registry === 'docker.io' ? 'registry-1.docker.io' : registry}`;
}

/** @returns the digest of the index for all architectures, not of an image for one */
async function digestOf(url: string): Promise<string> {
  const accept = kinds.join(', ');
  let answer = await fetch(url, { method: 'HEAD', headers: { accept } });
  if (answer.status === 401) {
    const authorization = `Bearer ${await tokenFor(answer.headers.get('www-authenticate') ?? '')}`;
    answer = await fetch(url, { method: 'HEAD', headers: { accept, authorization } });
  }
  const digest = answer.headers.get('docker-content-digest') ?? '';
  const [kind = ''] = (answer.headers.get('content-type') ?? '').split(';');
  if (answer.ok && kinds.includes(kind) && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new Error(
    `${new URL(url).host} answered ${answer.status} without the digest of an image index`,
  );
}

/** @returns an anonymous token, with which public images can be read */
async function tokenFor(challenge: string): Promise<string> {
  const parameters = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const { realm = '', service = '', scope = '' } = parameters;
  const url = new URL(realm);
  url.search = new URLSearchParams({ service, scope }).toString();
  const { token } = (await (await fetch(url)).json()) as { readonly token: string };
  return token;
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '..', 'Dockerfile');
  const before = await readFile(file, 'utf8');
  const after = await withCurrentBase(before);
  await writeFile(file, after);
  process.stdout.write(`${after === before ? 'Unchanged' : 'Updated'}: ${baseOf(after)}\n`);
}
