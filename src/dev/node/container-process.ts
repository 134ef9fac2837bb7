// Starts the process of a container, and the commands of its probes beside it.
import type { ProcessKeeper, Supervised } from '../processes.ts';
import type { Launch } from './launch.ts';
import type { LogFile } from './log-file.ts';

export interface ContainerProcessOptions {
  readonly keeper: ProcessKeeper;
  /** Name of the container. */
  readonly name: string;
  readonly launch: Launch;
}

/** @returns the process; one that could not start has ended with the error */
export function startProcess(
  { keeper, name, launch }: ContainerProcessOptions,
  log: LogFile,
): Supervised {
  const { command, args, env, cwd } = launch;
  try {
    return keeper.start(name, command, {
      args,
      env,
      cwd,
      onOutput: (stream, chunk) => log.write(stream, chunk),
    });
  } catch (thrown) {
    // Arguments that no process can have, such as a megabyte of them.
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const ended = Promise.resolve({ code: 127, signal: null, error });
    return { name, pid: 0, ended, stop: () => Promise.resolve() };
  }
}

/** Runs the command of a probe. @throws Error when it could not start, or has not ended in time */
export async function runProbeCommand(
  { keeper, name, launch }: ContainerProcessOptions,
  words: readonly string[],
  timeoutMs: number,
): Promise<{ readonly code: number; readonly output: string }> {
  const [command = '', ...args] = launch.prepared(words);
  const { env, cwd } = launch;
  let output = '';
  const asked = keeper.start(`${name}-probe`, command, {
    args,
    env,
    cwd,
    onOutput(_stream, chunk) {
      if (output.length < 1_024) output += chunk.toString('utf8', 0, 1_024);
      return 0;
    },
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void asked.stop(0);
  }, timeoutMs);
  const { code, error } = await asked.ended;
  clearTimeout(timer);
  if (late) throw new Error(`command timed out after ${timeoutMs / 1_000}s`);
  if (error !== undefined) throw error;
  return { code: code ?? 137, output };
}
