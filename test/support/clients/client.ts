// Runs the command-line client: in this process, with its streams in memory, or as the bundle that users run.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buildClient } from '../../../packaging/client.ts';
import { run } from '../../../src/cli/commands/run.ts';
import type { Environment, Sink } from '../../../src/cli/terminal/environment.ts';
import { newFolder } from '../runner/folder.ts';

export interface ClientResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ClientOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** The home folder: configuration and logins are in it. A new one by default. */
  readonly home?: string;
  /** The working folder; the home folder by default. */
  readonly folder?: string;
  /** Standard input. */
  readonly input?: string;
  /** Makes both outputs terminals of this width. */
  readonly columns?: number;
  readonly now?: () => Date;
  readonly signal?: AbortSignal;
}

/** @returns an empty home folder, so that nothing of the person at this machine is read */
export function newHome(): string {
  return newFolder('home-');
}

/** Runs one command in this process. */
export async function runClient(
  argv: readonly string[],
  options: ClientOptions = {},
): Promise<ClientResult> {
  const [stdout, stderr] = [new Buffered(options.columns), new Buffered(options.columns)];
  const environment = clientEnvironment(options, { stdout, stderr });
  const code = await run(argv, environment, options.signal ?? new AbortController().signal);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** @returns the surroundings of a command, without anything of this machine */
export function clientEnvironment(
  { variables = {}, home = newHome(), folder = home, input = '', now }: ClientOptions = {},
  sinks: Pick<Environment, 'stdout' | 'stderr'> = {
    stdout: new Buffered(),
    stderr: new Buffered(),
  },
): Environment {
  return {
    variables: { LANG: 'C.UTF-8', ...variables },
    platform: 'linux',
    home,
    folder,
    stdin: { [Symbol.asyncIterator]: () => chunks(input), isTTY: false },
    ...sinks,
    now: now ?? (() => new Date()),
  };
}

// biome-ignore lint/suspicious/useAwait: the type of standard input is asynchronous
async function* chunks(text: string): AsyncGenerator<string, void, void> {
  if (text !== '') yield text;
}

/** A stream in memory. */
export class Buffered implements Sink {
  text = '';
  readonly columns: number;
  readonly isTTY: boolean;
  readonly rows = 24;

  constructor(columns?: number) {
    this.isTTY = columns !== undefined;
    this.columns = columns ?? 80;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

let bundle: Promise<string> | undefined;

/** Bundles the client once in a run. @returns the path of its launcher */
export function bundledClient(): Promise<string> {
  bundle ??= (async () => {
    // A package like that of a checkout, which `init` links.
    const folder = newFolder('client-');
    const sdk = resolve(import.meta.dirname, '../../../sdk');
    for (const name of await readdir(sdk)) {
      if (name !== 'bin') await symlink(join(sdk, name), join(folder, name));
    }
    await mkdir(join(folder, 'bin'));
    await buildClient(join(folder, 'bin/client.cjs'));
    const launcher = join(folder, 'bin/fairlead.cjs');
    await copyFile(
      resolve(import.meta.dirname, '../../../src/cli/commands/launcher.cjs'),
      launcher,
    );
    await chmod(launcher, 0o755);
    return launcher;
  })();
  return bundle;
}

export interface RunningClient {
  readonly child: ChildProcess;
  /** Ends with the process. */
  readonly result: Promise<ClientResult>;
}

/** Starts the bundle as a process of its own. */
export async function spawnClient(
  argv: readonly string[],
  { variables = {}, home = newHome(), folder = home, input = '' }: ClientOptions = {},
): Promise<RunningClient> {
  const launcher = await bundledClient();
  const child = spawn(process.execPath, [launcher, ...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const result = Promise.all([textOf(child.stdout), textOf(child.stderr), codeOf(child)]).then(
    ([stdout, stderr, code]) => ({ stdout, stderr, code }),
  );
  return { child, result };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

function codeOf(child: ChildProcess): Promise<number> {
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => done(code ?? (signal === null ? 1 : 128)));
  });
}
