// `npm run generate`: writes `sdk/`, the package `fairlead` for provider code: src/sdk as plain JavaScript with
// declarations, and the launcher of the client. Authors' compilers must not check our sources with their settings, and their
// bundlers read no TypeScript.
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
import { sdkFolder } from './place.ts';

const root = dirname(sdkFolder);
const entries = { provider: 'sdk/index', 'provider/testing': 'sdk/testing/index' } as const;

interface SdkManifest {
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

function compileSdk(): void {
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
        outDir: sdkFolder,
      },
      include: [],
      files: Object.values(entries).map((entry) => join(root, 'src', `${entry}.ts`)),
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
function finishDeclarations(): void {
  for (const path of readdirSync(sdkFolder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.d.ts')) continue;
    const file = join(sdkFolder, path);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/((?:from|import\()\s*'\.[^']*)\.ts'/g, "$1.js'"));
  }
}

function writeManifest(): void {
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
    files: ['bin', ...compiledFolders()],
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
  writeFileSync(join(sdkFolder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Imports of the SDK are compiled into folders beside it, as in `src`. */
function compiledFolders(): readonly string[] {
  return readdirSync(sdkFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !kept.includes(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** The bundle that it starts is not committed: `npm run build` writes it beside. */
function placeLauncher(): void {
  const launcher = join(sdkFolder, 'bin/fairlead.cjs');
  mkdirSync(dirname(launcher), { recursive: true });
  copyFileSync(join(root, 'src/cli/commands/launcher.cjs'), launcher);
  chmodSync(launcher, 0o755);
}

/** With what `npm run build` makes. */
const kept: readonly string[] = ['bin', 'console'];

for (const name of readdirSync(sdkFolder)) {
  if (!kept.includes(name)) rmSync(join(sdkFolder, name), { recursive: true, force: true });
}
compileSdk();
finishDeclarations();
writeManifest();
placeLauncher();
