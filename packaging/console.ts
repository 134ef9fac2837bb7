// Builds the console (src/console) into sdk/console, whose files the API serves: `npm run build`. `npm ci` runs it as `prepare`;
// without esbuild, which is for development, it builds nothing and says so.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src/console');

export const consoleFolder = join(root, 'sdk/console');

export interface BuiltFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** @returns the files of the console; scripts, styles and the icon are named after their contents */
export async function buildConsole(): Promise<readonly BuiltFile[]> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { console: 'src/console/main.tsx', style: 'src/console/style/index.css' },
    entryNames: '[name]-[hash]',
    outdir: consoleFolder,
    bundle: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    tsconfig: 'src/console/tsconfig.json',
    minify: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutNode],
    write: false,
    logLevel: 'warning',
  });
  const built = outputFiles.map(({ path, contents }) => ({
    name: basename(path),
    bytes: contents,
  }));
  const icon = readFileSync(join(source, 'icon.svg'));
  const digest = createHash('sha256').update(icon).digest('hex').slice(0, 8).toUpperCase();
  const files = [...built, { name: `icon-${digest}.svg`, bytes: new Uint8Array(icon) }];
  return [{ name: 'index.html', bytes: indexOf(files) }, ...files];
}

/** Modules of domain/ import node:crypto for functions that the pages do not call. */
const withoutNode: Plugin = {
  name: 'without-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:crypto$/ }, ({ path }) => ({
      path,
      namespace: 'empty',
      sideEffects: false,
    }));
    onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {}' }));
  },
};

function indexOf(files: readonly BuiltFile[]): Uint8Array {
  const page = readFileSync(join(source, 'index.html'), 'utf8');
  const places = { script: '.js', style: '.css', icon: '.svg' };
  const filled = Object.entries(places).reduce((text, [place, ending]) => {
    const file = files.find(({ name }) => name.endsWith(ending));
    // Absolute, as `/console` and `/console/` are the same page.
    return text.replace(`%${place}%`, `/console/${file?.name ?? ''}`);
  }, page);
  return new TextEncoder().encode(filled);
}

/** @returns the bytes that a browser fetches with an empty cache */
export function gzippedSize(files: readonly BuiltFile[]): number {
  return files.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
}

/** Replaces what was built before. */
export async function writeConsole(folder: string = consoleFolder): Promise<readonly BuiltFile[]> {
  const files = await buildConsole();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  return files;
}

function hasBundler(): boolean {
  try {
    createRequire(import.meta.url).resolve('esbuild');
    return existsSync(join(source, 'main.tsx'));
  } catch {
    return false;
  }
}

if (import.meta.main) {
  if (hasBundler()) {
    const kilobytes = (gzippedSize(await writeConsole()) / 1_000).toFixed(1);
    process.stdout.write(`Built sdk/console (${kilobytes} kB gzipped)\n`);
  } else {
    process.stdout.write(
      'The console is not built: esbuild is a development dependency. The API works without it.\n',
    );
  }
}
