// Serves an npm registry on loopback, so that builds need no other: the packages that are installed in this checkout, and
// small ones that a test describes.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { create } from 'tar';
import { type Files, packageFolder } from '../fixtures/code/package-folder.ts';

export interface NpmRegistry extends AsyncDisposable {
  /** Its base address, as npm takes it in `npm_config_registry`. */
  readonly url: string;
  /** The paths of the requests that it received, in order. */
  readonly requests: string[];
  /** The `integrity` of a package as lock files state it. @throws Error when the registry has no such package */
  integrity(name: string): Promise<string>;
}

/** A package of one version: the content of its package.json beside name and version, and its other files. */
export interface SmallPackage {
  readonly name: string;
  readonly version: string;
  readonly files?: Files;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Published {
  readonly manifest: Manifest;
  readonly tarball: Buffer;
  readonly integrity: string;
}

const installed = resolve(import.meta.dirname, '../../../node_modules');

/** @param token without which it answers nothing */
export async function startNpmRegistry(
  packages: readonly SmallPackage[] = [],
  token?: string,
): Promise<NpmRegistry> {
  const small = new Map(packages.map((each) => [each.name, each]));
  const published = new Map<string, Promise<Published | undefined>>();
  const requests: string[] = [];

  function find(name: string): Promise<Published | undefined> {
    const found = published.get(name) ?? publish(name, small.get(name));
    published.set(name, found);
    return found;
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').replace(/^\/npm\//, '');
    requests.push(path);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end('{"error":"Unauthorized"}');
      return;
    }
    const [name = '', file] = path.split('/-/');
    find(name).then(
      (found) => {
        if (found === undefined) response.writeHead(404).end('{"error":"Not found"}');
        else if (file !== undefined) response.end(found.tarball);
        else response.end(JSON.stringify(documentOf(url, found)));
      },
      (thrown: unknown) => response.writeHead(500).end(String(thrown)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/`;
  return {
    url,
    requests,
    async integrity(name) {
      const found = await find(name);
      if (found === undefined) throw new Error(`The registry has no package ${name}`);
      return found.integrity;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function publish(
  name: string,
  described: SmallPackage | undefined,
): Promise<Published | undefined> {
  if (described === undefined) {
    const folder = join(installed, name);
    return existsSync(join(folder, 'package.json')) ? await pack(folder) : undefined;
  }
  const { version, files } = described;
  await using folder = await packageFolder({
    'package.json': { name, version },
    'index.js': 'export default 1;',
    ...files,
  });
  return await pack(folder.code);
}

/** Equal content gives equal bytes, as lock files state a hash of them. */
async function pack(folder: string): Promise<Published> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const work = await mkdtemp(join(tmpdir(), 'npm-registry-'));
  try {
    const file = join(work, 'package.tgz');
    const options = { gzip: true, file, cwd: folder, prefix: 'package', portable: true };
    const mtime = new Date(0);
    await create({ ...options, mtime, filter: (path) => !/^\.\/node_modules/.test(path) }, ['.']);
    const tarball = await readFile(file);
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    return { manifest, tarball, integrity };
  } finally {
    await rm(work, { recursive: true });
  }
}

/** The document of a package, with its only version. Optional dependencies of other platforms are not installed here. */
function documentOf(url: string, { manifest, integrity }: Published): object {
  const { name, version, optionalDependencies: optional = {} } = manifest;
  const here = Object.entries(optional).filter(([each]) => existsSync(join(installed, each)));
  const tarball = `${url}${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
  return {
    name,
    'dist-tags': { latest: version },
    versions: {
      [version]: {
        ...manifest,
        optionalDependencies: Object.fromEntries(here),
        dist: { tarball, integrity },
      },
    },
  };
}
