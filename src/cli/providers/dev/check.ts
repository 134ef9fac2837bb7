// Starts the program that checks a provider, and receives its report.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { invalidFile } from '../../session/context/mapping.ts';
import type { Environment } from '../../terminal/environment.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { walkFolder } from '../pack/candidates.ts';
import { manifestEntry } from '../pack/manifest.ts';
import { localSettingsFile } from '../pack/secrets.ts';
import { ownPackage } from '../scaffold/own-package.ts';
import {
  type CheckedTypeCase,
  type CheckInput,
  type CheckReport,
  checkProgram,
} from './check-program.ts';
import { type CheckedInput, type Round, unchangedTypes, withEarlier } from './unchanged.ts';

interface ProviderCheckOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Receives what the provider prints. */
  readonly print: (text: string) => void;
}

export interface Checked {
  readonly report: CheckReport;
  /** For the next check; that of an earlier one when the code could not be imported. */
  readonly round: Round | undefined;
}

/**
 * @param before the last round; types of which nothing changed since are not checked again
 * @throws CliError when the code or the SDK is missing; the reason of the signal
 */
export async function checkProvider(
  root: string,
  before: Round | undefined,
  options: ProviderCheckOptions,
): Promise<Checked> {
  const entry = manifestEntry(root);
  if (entry === undefined) {
    throw usageError(`${root} has no code: "exports" of package.json names none.`);
  }
  const cases = await examplesIn(root);
  const settings = await localSettings(root);
  const seen: CheckedInput = { input: { cases, settings }, files: inputFiles(root) };
  const input: CheckInput = {
    entry: pathToFileURL(realpathSync(entry)).href,
    sdk: pathToFileURL(sdkFor(root)).href,
    cases,
    skipped: unchangedTypes(before, seen),
    settings,
  };
  const report = await runCheck(root, input, options);
  if ('failure' in report) return { report, round: undefined };
  const types = withEarlier(report.types, before);
  return { report: { ...report, types }, round: { seen, types } };
}

/** Node names modules by their real paths. */
function inputFiles(root: string): CheckedInput['files'] {
  const real = realpathSync(root);
  const files = walkFolder(real, undefined).files.map((path) => {
    const place = join(real, path);
    const { mtimeMs, size } = statSync(place, { throwIfNoEntry: false }) ?? {};
    return [pathToFileURL(place).href, `${mtimeMs} ${size}`] as const;
  });
  return new Map(files);
}

/** The package of the provider's own folder, so that types and checks are of one version; otherwise that of the client. */
function sdkFor(root: string): string {
  const { createRequire } = process.getBuiltinModule('node:module');
  const manifest = join(root, 'package.json');
  try {
    createRequire(manifest).resolve('fairlead/provider');
    return manifest;
  } catch {
    const own = ownPackage();
    if (own !== undefined) return join(own, 'package.json');
  }
  throw usageError(
    'The package fairlead is not installed.',
    'npm install --save-dev path/to/fairlead/sdk',
  );
}

async function runCheck(
  cwd: string,
  input: CheckInput,
  { environment, signal, print }: ProviderCheckOptions,
): Promise<CheckReport> {
  signal.throwIfAborted();
  const { spawn } = process.getBuiltinModule('node:child_process');
  const words = ['--input-type=module', '--eval', checkProgram];
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...environment.variables },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { promise, resolve: done, reject } = Promise.withResolvers<CheckReport>();
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  let report: CheckReport = { failure: 'The code ended the process before it was checked.' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => print(text.trimEnd()));
  }
  child.on('message', (message) => {
    report = message as CheckReport;
  });
  child.once('error', reject);
  // Every user of the machine can read the arguments of a process, and the input has settings. A child that is gone gets nothing.
  child.send(input, () => undefined);
  child.once('close', () => (signal.aborted ? reject(signal.reason as Error) : done(report)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

// Reads the configs with which `dev` checks handlers, from files beside package.json that can be applied too: the first document of
// a type in *.example.yaml is created, and changed to that of *.changed.yaml or else to the second one. Those of *.v1.example.yaml
// are of version 1 of their type.

interface ConfigExample {
  readonly type: string;
  readonly config: object;
  /** The name of the file. */
  readonly file: string;
}

/** @returns a case for each type that has an example. @throws CliError for a file that is no YAML */
async function examplesIn(root: string): Promise<Readonly<Record<string, CheckedTypeCase>>> {
  const cases: Record<string, CheckedTypeCase> = {};
  for await (const { type, config } of documentsOf(root, /(?<!\.v\d+)\.example\.ya?ml$/)) {
    const known = cases[type];
    cases[type] = known === undefined ? { config } : { changed: config, ...known };
  }
  for await (const { type, config: changed } of documentsOf(root, /\.changed\.ya?ml$/)) {
    const known = cases[type];
    if (known !== undefined) cases[type] = { ...known, changed };
  }
  for await (const { type, config, file } of documentsOf(root, /\.v\d+\.example\.ya?ml$/)) {
    const known = cases[type];
    const version = Number(/\.v(\d+)\.example\./.exec(file)?.[1]);
    const others = known?.earlier?.[version] ?? [];
    const earlier = { ...known?.earlier, [version]: [...others, config] };
    if (known !== undefined) cases[type] = { ...known, earlier };
  }
  return cases;
}

/** @returns the settings for handlers, by their names; none without the file. @throws CliError for a file that is no YAML */
async function localSettings(root: string): Promise<object> {
  const path = join(root, localSettingsFile);
  if (!existsSync(path)) return {};
  const { parseDocument } = await import('yaml');
  const document = parseDocument(readFileSync(path, 'utf8'));
  const [error] = document.errors;
  // Not its message, which quotes the line.
  if (error !== undefined) throw invalidFile(path, error.code);
  const values = document.toJS() as unknown;
  return typeof values === 'object' && values !== null ? values : {};
}

async function* documentsOf(root: string, names: RegExp): AsyncIterable<ConfigExample> {
  for (const file of readdirSync(root).sort()) {
    if (names.test(file)) yield* await examplesOf(root, file);
  }
}

async function examplesOf(root: string, file: string): Promise<readonly ConfigExample[]> {
  const path = join(root, file);
  const { parseAllDocuments } = await import('yaml');
  return [...parseAllDocuments(readFileSync(path, 'utf8'))].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw invalidFile(path, error.message);
    const example = exampleIn(document.toJS() as unknown);
    return example === undefined ? [] : { ...example, file };
  });
}

/** `resource` is `provider/type/name`, or only the type beside `provider` and `name`. */
function exampleIn(value: unknown): Omit<ConfigExample, 'file'> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { resource, config = {} } = value as { resource?: unknown; config?: unknown };
  if (typeof resource !== 'string' || typeof config !== 'object' || config === null)
    return undefined;
  const parts = resource.split('/');
  return { type: parts[1] ?? resource, config };
}
