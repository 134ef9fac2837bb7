// Writes the package `fairlead` for provider code into sdk/: src/sdk as plain JavaScript with declarations, and the launcher of the
// client. Authors' compilers must not check our sources with their settings, and their bundlers read no TypeScript. `npm ci` runs it
// as `prepare`; of what it writes, package.json and the launcher are committed, because npm reads and links them before that.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sdkFolder } from '../src/providers/place-sdk.ts';
import { canBuild } from './buildable.ts';

const root = dirname(sdkFolder);
const entries = { provider: 'sdk/index', 'provider/testing': 'sdk/testing/index' } as const;

/** Programs of pods with code of a provider: plain JavaScript starts sooner and needs less memory, and shares the package with that code. */
const programs = ['providers/runtime/main', 'providers/runtime/child/main'] as const;

interface SdkManifest {
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

function compileSdk(outDir: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-sdk-'));
  try {
    const settings = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        allowImportingTsExtensions: false,
        rewriteRelativeImportExtensions: true,
        typeRoots: [join(root, 'node_modules/@types')],
        rootDir: join(root, 'src'),
        outDir,
      },
      include: [],
      files: [...Object.values(entries), ...programs].map((entry) =>
        join(root, 'src', `${entry}.ts`),
      ),
    };
    const project = join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify(settings));
    const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
    execFileSync(process.execPath, [join(dirname(compiler), 'bin/tsc'), '-p', project], {
      stdio: 'inherit',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The compiler keeps `.ts` in declarations, and only compilers that allow such imports can resolve it. */
function finishDeclarations(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.d.ts')) continue;
    const file = join(folder, path);
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replaceAll(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'),
    );
  }
}

function writeManifest(folder: string): void {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const { version, license, engines, dependencies } = JSON.parse(text) as SdkManifest;
  const paths = Object.entries(entries);
  const manifest = {
    '//': 'Generated from src/sdk by npm run generate. Do not edit.',
    name: 'fairlead',
    version,
    license,
    type: 'module',
    engines,
    bin: { fairlead: './bin/fairlead.cjs' },
    files: [
      'bin',
      ...compiledFolders(folder),
      '!api',
      '!providers/place-sdk.*',
      '!providers/runtime',
    ],
    exports: Object.fromEntries(
      paths.map(([name, entry]) => [
        `./${name}`,
        { types: `./${entry}.d.ts`, default: `./${entry}.js` },
      ]),
    ),
    // For compilers that ignore `exports`.
    typesVersions: {
      '*': Object.fromEntries(paths.map(([name, entry]) => [name, [`./${entry}.d.ts`]])),
    },
    dependencies: { jose: dependencies['jose'], zod: dependencies['zod'] },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Imports of the SDK are compiled into folders beside it, as in `src`. */
function compiledFolders(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !kept.includes(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** The bundle that it starts is written beside by packaging/client.ts. */
function placeLauncher(folder: string): void {
  const launcher = join(folder, 'bin/fairlead.cjs');
  mkdirSync(dirname(launcher), { recursive: true });
  copyFileSync(join(root, 'src/cli/commands/launcher.cjs'), launcher);
  chmodSync(launcher, 0o755);
}

/** With what packaging/client.ts and packaging/console.ts make. */
const kept: readonly string[] = ['bin', 'console'];

/** Replaces what was compiled before. */
export function writeSdk(folder: string = sdkFolder): void {
  for (const name of readdirSync(folder)) {
    if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  compileSdk(folder);
  finishDeclarations(folder);
  writeManifest(folder);
  placeLauncher(folder);
}

if (import.meta.main) {
  if (canBuild('src/sdk/index.ts', 'typescript')) {
    writeSdk();
    process.stdout.write('Built sdk/, the package of provider code\n');
  } else {
    process.stdout.write(
      'The package of provider code is not built: TypeScript is a development dependency. Provider code cannot be built or run here.\n',
    );
  }
}
