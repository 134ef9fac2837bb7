// Reads what surrounds the process: variables, folders and streams. Only this file of the client reads process.env.
import { homedir } from 'node:os';

/** An output stream: that of the process, or a buffer of a test. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
}

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The working folder. */
  readonly folder: string;
  readonly stdin: InputStream;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly now: () => Date;
}

export function environmentOfProcess(): Environment {
  return {
    variables: process.env,
    platform: process.platform,
    home: homedir(),
    folder: process.cwd(),
    // The streams of a process are created when they are first read, which costs a millisecond each.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    now: () => new Date(),
  };
}

/** @returns the value of a variable; an empty one counts as unset */
export function variableIn({ variables }: Environment, name: string): string | undefined {
  const value = variables[name];
  return value === undefined || value === '' ? undefined : value;
}

/** @returns all of standard input */
export async function readInput({ stdin }: Environment): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** True where a person can read and answer: no CI, and terminals on both ends. */
export function isInteractive(environment: Environment): boolean {
  if (variableIn(environment, 'CI') !== undefined || environment.stderr.isTTY !== true)
    return false;
  return environment.stdin.isTTY === true;
}

/** @returns whether signs outside ASCII can be shown */
export function hasUnicode(environment: Environment): boolean {
  const locale =
    variableIn(environment, 'LC_ALL') ??
    variableIn(environment, 'LC_CTYPE') ??
    variableIn(environment, 'LANG');
  if (locale !== undefined) return /utf-?8/i.test(locale);
  return environment.platform === 'darwin' || environment.platform === 'win32';
}

/** @returns whether a stream shows colours: see https://no-color.org and https://force-color.org */
export function hasColours(environment: Environment, stream: 'stdout' | 'stderr'): boolean {
  if (variableIn(environment, 'NO_COLOR') !== undefined) return false;
  if (variableIn(environment, 'FORCE_COLOR') !== undefined) return true;
  return environment[stream].isTTY === true && variableIn(environment, 'TERM') !== 'dumb';
}
