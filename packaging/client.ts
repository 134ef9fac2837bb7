// `npm run build`: bundles the command-line client into one file of the package `fairlead` (sdk/bin/client.cjs), with the licenses
// of the libraries in it. `npm ci` runs it as `prepare`; without esbuild, which is for development, it builds nothing and says so.

import * as crypto from 'node:crypto';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { canBuild } from './buildable.ts';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'sdk/bin');

export const bundlePath = join(folder, 'client.cjs');

/**
 * Bundles the client into a file that begins with the digest of its text, under which the launcher caches compiled code.
 * @returns what esbuild read
 */
export async function buildClient(outfile: string = bundlePath): Promise<Metafile> {
  const { build, transform } = await import('esbuild');
  const { version } = manifestOf(root);
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/commands/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target,
    // An ES module that imports node:http loads undici with it, which takes longer than all else.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    minifySyntax: true,
    legalComments: 'none',
    define: { CLIENT_VERSION: JSON.stringify(version) },
    // Its build for Node.js is CommonJS, of which all is kept.
    alias: { yaml: './node_modules/yaml/browser/index.js' },
    plugins: [withoutDecryption, lazyCrypto, shortLibraries],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const bundled = outputFiles[0]?.text ?? '';
  // Names of functions outside of others stay, for stacks in reports of defects.
  const { code } = await transform(bundled, { target, minify: true });
  // The launcher compiles the file as it is, and calls the function.
  const text = `(function (${moduleScope.join(', ')}) {${code}})\n`;
  const digest = crypto.createHash('sha256').update(text).digest('hex').slice(0, 16);
  writeFileSync(outfile, `//${digest}\n${text}`);
  return metafile;
}

const target = 'node24';

/** What Node.js hands to a CommonJS module; src/cli/commands/launcher.cjs passes the same. */
const moduleScope = ['exports', 'require', 'module', '__filename', '__dirname'];

/** openid-client decrypts ID tokens with jose, for which a client must have a key; this one has none. */
const withoutDecryption: Plugin = {
  name: 'without-decryption',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^jose\// }, ({ path }) => ({ path, namespace: 'empty' }));
    onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/** Few commands need node:crypto, which takes 8 ms to load, and modules of domain/ import it. */
const lazyCrypto: Plugin = {
  name: 'lazy-crypto',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:crypto$/ }, ({ namespace, path }) =>
      namespace === 'lazy' ? { path, external: true } : { path, namespace: 'lazy' },
    );
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: Object.keys(crypto)
        .filter((name) => /^\w+$/.test(name) && name !== 'default')
        .map(
          (name) => `Object.defineProperty(exports, '${name}', {
          enumerable: true, get: () => require('${path}').${name} });`,
        )
        .join('\n'),
    }));
  },
};

/** All names of libraries are shortened, but those that they export. */
const shortLibraries: Plugin = {
  name: 'short-libraries',
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /[/\\]node_modules[/\\].*\.[cm]?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const { code } = await esbuild.transform(text, { minifyIdentifiers: true });
      return { contents: code };
    });
  },
};

/** @returns the folder in node_modules of every library that is in the bundle, sorted */
export function librariesIn(metafile: Metafile): string[] {
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(folders)].sort();
}

export function licensesOf(libraries: readonly string[]): string {
  const sections = libraries.map((library) => {
    const { name, version, license } = manifestOf(join(root, library));
    const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: join(root, library) });
    const text = file === undefined ? '' : readFileSync(join(root, library, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `client.cjs contains these libraries.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

function manifestOf(place: string): Manifest {
  return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;
}

if (import.meta.main) {
  if (canBuild('src/cli/commands/main.ts')) {
    const metafile = await buildClient();
    writeFileSync(join(folder, 'client.LICENSES.txt'), licensesOf(librariesIn(metafile)));
    const { size } = statSync(bundlePath);
    process.stdout.write(`Built sdk/bin/client.cjs (${Math.round(size / 1_000)} kB)\n`);
  } else {
    process.stdout.write(
      'The command-line client is not built: esbuild is a development dependency. The server does not need it.\n',
    );
  }
}
