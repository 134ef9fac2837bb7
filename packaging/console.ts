// Builds the console (src/console) into sdk/console, whose files the API serves: `npm run build`. `npm ci` runs it as `prepare`;
// without esbuild, which is for development, it builds nothing and says so.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile, Plugin } from 'esbuild';
import { canBuild } from './buildable.ts';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src/console');

export const consoleFolder = join(root, 'sdk/console');

export interface BuiltFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface BuiltConsole {
  readonly files: readonly BuiltFile[];
  /** What a browser fetches first, and then for each page and the sign-in: names of files, by the path of the module. */
  readonly loads: ReadonlyMap<string, readonly string[]>;
}

/** Builds the console; scripts, styles and the icon are named after their contents. */
export async function buildConsole(): Promise<BuiltConsole> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { console: 'src/console/main.tsx', style: 'src/console/style/index.css' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    metafile: true,
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
  const icon = readFileSync(join(root, 'src/icon.svg'));
  const digest = createHash('sha256').update(icon).digest('hex').slice(0, 8).toUpperCase();
  const files = [...built, { name: `icon-${digest}.svg`, bytes: new Uint8Array(icon) }];
  return {
    files: [{ name: 'index.html', bytes: indexOf(files) }, ...files],
    loads: loadsOf(metafile),
  };
}

/** @returns for each module that is loaded by itself its file, and those that the file imports */
function loadsOf({ outputs }: Metafile): BuiltConsole['loads'] {
  const needs = (path: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') needs(next, seen);
    }
    return seen;
  };
  const entries = Object.entries(outputs).flatMap(([path, { entryPoint }]) => {
    if (entryPoint === undefined) return [];
    return [[entryPoint, [...needs(path)].map((each) => basename(each))] as const];
  });
  return new Map(entries);
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
  const places = { script: /^console-.*\.js$/, style: /\.css$/, icon: /\.svg$/ };
  const filled = Object.entries(places).reduce((text, [place, pattern]) => {
    const file = files.find(({ name }) => pattern.test(name));
    // Absolute, as `/console` and `/console/` are the same page.
    return text.replace(`%${place}%`, `/console/${file?.name ?? ''}`);
  }, page);
  return new TextEncoder().encode(filled);
}

const main = 'src/console/main.tsx';
const signIn = 'src/console/session/issuer.ts';
const style = 'src/console/style/index.css';

/** @returns the gzipped bytes that a browser with an empty cache fetches to sign in and to show the heaviest page */
export function heaviestLoad({ files, loads }: BuiltConsole): number {
  const always = [
    ...['index.html'],
    ...[main, signIn, style].flatMap((each) => loads.get(each) ?? []),
  ];
  const pages = [...loads].filter(([path]) => path.endsWith('/page.tsx'));
  const weights = pages.map(([, names]) => gzippedSize(files, [...always, ...names]));
  return Math.max(...weights);
}

/** @param names of the files that count; all by default */
export function gzippedSize(
  files: readonly BuiltFile[],
  names: readonly string[] = files.map(({ name }) => name),
): number {
  const counted = files.filter(({ name }) => names.includes(name));
  return counted.reduce((sum, { bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0);
}

/** Replaces what was built before. */
export async function writeConsole(folder: string = consoleFolder): Promise<BuiltConsole> {
  const built = await buildConsole();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of built.files) writeFileSync(join(folder, name), bytes);
  return built;
}

if (import.meta.main) {
  if (canBuild('src/console/main.tsx')) {
    const built = await writeConsole();
    const [most, all] = [heaviestLoad(built), gzippedSize(built.files)].map((bytes) =>
      Math.round(bytes / 1_000),
    );
    process.stdout.write(`Built sdk/console (${most} kB gzipped for a page, ${all} kB in all)\n`);
  } else {
    process.stdout.write(
      'The console is not built: esbuild is a development dependency. The API works without it.\n',
    );
  }
}
