// Turns unpacked code into runnable code and its types: npm install, build, then removal of build-only dependencies.

import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { jsonIn } from '../../lib/json.ts';
import type { Registration } from '../../sdk/index.ts';
import { placeSdk } from '../place-sdk.ts';
import { type Output, runCommand } from './child.ts';
import { preflight } from './preflight.ts';
import { readTypes } from './read-types.ts';
import { type BuildFailure, type BuildStep, codedFailure, stepFailure } from './reasons.ts';
import { type Registries, withRegistries } from './registries.ts';
import { lockWithoutSdk, withoutDevelopment, withoutSdk } from './without-sdk.ts';
import { typesFileOf } from './workspace.ts';

interface NpmOptions {
  /** The unpacked code. Its parent folder is ours: npm's cache, homes and `types.json` are created there. */
  readonly codeFolder: string;
  /** The environment of npm and its scripts, including PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly output: Output;
  /** Limit of the step; 14 min. */
  readonly timeoutMs?: number;
}

export interface BuildOptions extends NpmOptions {
  /** The provider to which the code was pushed. */
  readonly provider: string;
  readonly sandbox: Pick<SchemaSandbox, 'checkSchema'>;
  /** The time limit for reading the types; 60 s. */
  readonly typesTimeoutMs?: number;
  /** The memory limit of the process that reads the types; 256. */
  readonly typesMemoryMb?: number;
}

export type StepResult =
  | { readonly kind: 'built'; readonly types: readonly Registration[] }
  | BuildFailure;

const usualMs = 14 * 60_000;
const locks = ['npm-shrinkwrap.json', 'package-lock.json'];
const quiet = {
  // Tools that ask questions or install hooks of git, such as husky, do not in CI.
  CI: 'true',
  HUSKY: '0',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_progress: 'false',
  npm_config_color: 'false',
  // A registry that refuses connections fails within seconds; the times of npm add up to more than a minute.
  npm_config_fetch_retries: '2',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
};

/** Installs the dependencies. It alone gets the registries of the organization. @returns why it failed */
export async function install({
  registries,
  ...options
}: NpmOptions & { readonly registries?: Registries | undefined }): Promise<
  BuildFailure | undefined
> {
  const { codeFolder } = options;
  const found = await prepare(codeFolder);
  if ('kind' in found) return found;
  const { isLocked, development } = found;
  const run = async (changes: Pick<NpmOptions, 'env' | 'output'>) => {
    const npm = await npmIn({ ...options, ...changes });
    const unfit = await preflight(codeFolder, npm.env, development === 'used');
    const omitted = development === 'unused' ? ['--omit=dev'] : [];
    return unfit ?? (await npm.run('install', [isLocked ? 'ci' : 'install', ...omitted]));
  };
  return registries === undefined
    ? await run(options)
    : await withRegistries(registries, options, run);
}

/** Leaves the types in `types.json` beside the installed code, and the code ready for publication. */
export async function build(options: BuildOptions): Promise<StepResult> {
  const { codeFolder, provider, output, sandbox } = options;
  const { timeoutMs = usualMs, typesTimeoutMs = 60_000, typesMemoryMb = 256 } = options;
  const until = performance.now() + timeoutMs;
  const found = await prepare(codeFolder);
  if ('kind' in found) return found;
  const { hasBuild, development } = found;
  const npm = await npmIn(options);
  const problem =
    (hasBuild ? await npm.run('build', ['run', 'build']) : undefined) ??
    (development === 'used'
      ? await npm.run('prune', ['prune', '--omit=dev', '--ignore-scripts'])
      : undefined);
  if (problem !== undefined) return problem;
  // A dependency may have installed its own copy, which would take precedence over ours.
  await rm(join(codeFolder, 'node_modules/fairlead'), { recursive: true, force: true });
  const types = await readTypes({
    codeFolder,
    provider,
    output,
    sandbox,
    env: npmEnvironment(npm.env),
    timeoutMs: Math.max(Math.min(typesTimeoutMs, until - performance.now()), 1),
    memoryMb: typesMemoryMb,
  });
  if (types.kind === 'failed') return types;
  const { types: all, settings, concurrency } = types;
  await writeFile(typesFileOf(codeFolder), JSON.stringify({ types: all, settings, concurrency }));
  return { kind: 'built', types: all };
}

/** Runs npm until the time of its step is over. */
async function npmIn({ codeFolder, output, timeoutMs = usualMs, ...options }: NpmOptions) {
  const until = performance.now() + timeoutMs;
  const env = { ...options.env, ...quiet, ...(await ownFolders(dirname(codeFolder))) };
  return {
    env,
    async run(step: BuildStep, args: readonly string[]): Promise<BuildFailure | undefined> {
      const command = `npm ${args.join(' ')}`;
      const left = Math.max(until - performance.now(), 1);
      output.stdout(Buffer.from(`$ ${command}\n`));
      const ended = await runCommand({
        program: 'npm',
        args,
        cwd: codeFolder,
        env,
        output,
        timeoutMs: left,
      });
      if (ended.code === 0 && !ended.isLate) return undefined;
      const firstLineOf = (path: string) => firstLine(codeFolder, path);
      return stepFailure({ ...ended, step, command, timeoutMs, firstLineOf });
    },
  };
}

/** Contains no settings of npm, such as registry tokens. */
function npmEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE']);
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.has(name)));
}

interface ManifestFacts {
  readonly isLocked: boolean;
  readonly hasBuild: boolean;
  /** The use of the development dependencies by scripts of the build. */
  readonly development: 'none' | 'used' | 'unused';
}

const Manifest = z.looseObject({
  scripts: z.looseObject({}).optional(),
  devDependencies: z.looseObject({}).optional(),
});

/** The scripts that run here, which may use development dependencies. */
const scriptsOfBuilds = [
  ...['preinstall', 'install', 'postinstall', 'prepublish'],
  ...['preprepare', 'prepare', 'postprepare', 'prebuild', 'build', 'postbuild'],
];

/** Prepares the folder for npm. @returns which npm commands are necessary: each start costs a second */
async function prepare(codeFolder: string): Promise<ManifestFacts | BuildFailure> {
  const path = join(codeFolder, 'package.json');
  if (!(await pathExists(path))) {
    return codedFailure('no_package', 'The code has no package.json in its root folder');
  }
  await placeSdk(codeFolder);
  await rewrite(path, withoutSdk);
  let isLocked = false;
  for (const lock of locks.map((name) => join(codeFolder, name))) {
    if (!(await pathExists(lock))) continue;
    isLocked = true;
    await rewrite(lock, lockWithoutSdk);
  }
  const manifest = Manifest.safeParse(
    jsonIn((await readFile(path, 'utf8')).replace(/^\uFEFF/, '')),
  );
  // npm itself reports an invalid manifest.
  if (!manifest.success) return { isLocked, hasBuild: true, development: 'used' };
  const { scripts = {}, devDependencies = {} } = manifest.data;
  const hasBuild = Object.hasOwn(scripts, 'build');
  if (Object.keys(devDependencies).length === 0) {
    return { isLocked, hasBuild, development: 'none' };
  }
  if (scriptsOfBuilds.some((name) => Object.hasOwn(scripts, name))) {
    return { isLocked, hasBuild, development: 'used' };
  }
  // Without a lock file, npm asks the registry for them even when it omits them.
  if (!isLocked) await rewrite(path, withoutDevelopment);
  return { isLocked, hasBuild, development: isLocked ? 'unused' : 'none' };
}

async function rewrite(path: string, change: (text: string) => string | undefined): Promise<void> {
  const changed = change(await readFile(path, 'utf8'));
  if (changed !== undefined) await writeFile(path, changed);
}

/** The machine's own folders may be read-only, full, or a person's. */
async function ownFolders(workspace: string) {
  const folders = {
    HOME: join(workspace, '.home'),
    TMPDIR: join(workspace, '.tmp'),
    npm_config_cache: join(workspace, '.npm'),
  };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
  return folders;
}

async function pathExists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

// Reads the first line of a file of the code, which may be a link to any other.

const maxBytes = 256;

/** @returns the line with its end; undefined for what is no file of the code */
export function firstLine(codeFolder: string, path: string): string | undefined {
  try {
    const file = realpathSync(resolve(codeFolder, path));
    return file.startsWith(`${realpathSync(codeFolder)}${sep}`) ? readFirstLine(file) : undefined;
  } catch {
    return undefined;
  }
}

function readFirstLine(file: string): string | undefined {
  const open = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes);
    return /^.*\r?\n?/.exec(bytes.toString('utf8', 0, readSync(open, bytes)))?.[0];
  } finally {
    closeSync(open);
  }
}
