// Runs one command of a build. Its output is forwarded at once, the beginning and end are kept, and no child process
// outlives it.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface Output {
  stdout(chunk: Buffer): void;
  stderr(chunk: Buffer): void;
}

interface ChildCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly output: Output;
  readonly timeoutMs: number;
  /** Captures output on file descriptor 3, up to `reportBytes`. */
  readonly report?: { readonly bytes: number };
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True if it was killed because it exceeded `timeoutMs`. */
  readonly isLate: boolean;
  /** The beginning and the end of its output. */
  readonly text: string;
  /** The output of file descriptor 3; undefined if it exceeded the limit. */
  readonly report: string | undefined;
}

const keptBytes = 32_768;
const lateOutputMs = 500;

/** Never throws: a program that cannot start ends with code 127. */
export async function runCommand(command: ChildCommand): Promise<ChildExit> {
  const { program, args, cwd, env, output, timeoutMs } = command;
  const stdio = command.report === undefined ? 'ignore' : 'pipe';
  const kept = excerpt();
  const child = spawn(program, [...args], {
    cwd,
    env: { ...env },
    // A separate process group, so that all its children can be killed with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', stdio],
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    kept.add(chunk);
    output.stdout(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    kept.add(chunk);
    output.stderr(chunk);
  });
  const report = boundedOutput(child.stdio[3], command.report?.bytes ?? 0);
  let isLate = false;
  const end = () => endGroup(child.pid);
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  const { promise, resolve } = Promise.withResolvers<Pick<ChildExit, 'code' | 'signal'>>();
  child.once('error', (error) => {
    kept.add(Buffer.from(`${error.message}\n`));
    resolve({ code: 127, signal: null });
  });
  child.once('exit', (code, signal) => {
    end();
    // A process that left the group may hold the pipes open forever.
    const late = setTimeout(() => resolve({ code, signal }), lateOutputMs);
    child.once('close', () => {
      clearTimeout(late);
      resolve({ code, signal });
    });
  });
  const how = await promise;
  clearTimeout(timer);
  return { ...how, isLate, text: kept.text(), report: report() };
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All have already exited.
  }
}

/** @returns a function that returns the text received so far; undefined when it exceeds the limit */
function boundedOutput(stream: unknown, limit: number): () => string | undefined {
  const chunks: Buffer[] = [];
  let size = 0;
  if (stream !== null && stream !== undefined) {
    (stream as Readable).on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
    });
  }
  return () => (size <= limit ? Buffer.concat(chunks).toString() : undefined);
}

function excerpt() {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let isCut = false;
  return {
    add(chunk: Buffer) {
      const room = keptBytes - head.length;
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      if (chunk.length <= room) return;
      tail = Buffer.concat([tail, chunk.subarray(Math.max(room, 0))]);
      if (tail.length <= keptBytes) return;
      tail = tail.subarray(tail.length - keptBytes);
      isCut = true;
    },
    text: () => `${head.toString()}${isCut ? '\n' : ''}${tail.toString()}`,
  };
}
