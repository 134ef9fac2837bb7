// Runs the command-line programs of administrators to completion.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Said {
  readonly output: string;
  /** Warnings of a successful program. */
  readonly complaint: string;
}

export interface Running {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** Runs a program to its end. @returns its exit code, and what it printed */
export async function outcomeOf(
  program: string,
  words: readonly string[],
  { env = process.env, input = '' }: Running = {},
): Promise<Said & { readonly code: number | null }> {
  const child = spawn(program, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let [output, complaint] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, complaint };
}

/** @throws Error with what the program complained about, and what it was asked */
export async function run(
  program: string,
  words: readonly string[],
  running: Running = {},
): Promise<Said> {
  const { code, output, complaint } = await outcomeOf(program, words, running);
  if (code !== 0) {
    throw new Error(`${program} ${words.join(' ')}\n${complaint.trim() || output.slice(-2_000)}`);
  }
  return { output, complaint };
}

export function works(program: string, ...words: readonly string[]): Promise<boolean> {
  return run(program, words).then(
    () => true,
    () => false,
  );
}
