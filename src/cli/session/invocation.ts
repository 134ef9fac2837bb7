// Defines what a command gets: its arguments and flags, the output, and the API of the context it is run in.

import type { Environment } from '../terminal/environment.ts';
import type { Flags } from '../terminal/flags.ts';
import type { Output } from '../terminal/output.ts';
import { Progress, type ProgressOptions } from '../terminal/progress.ts';
import type { Questions } from '../terminal/questions.ts';
import type { Talk } from '../terminal/talk.ts';
import type { Api, TokenSource } from './api/client.ts';
import type { Context } from './context/resolve.ts';

export interface Invocation {
  /** The arguments in order; those that repeat are at the end. */
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly globals: Flags;
  readonly environment: Environment;
  readonly output: Output;
  readonly talk: Talk;
  readonly questions: Questions;
  /** Aborted by Ctrl-C with `Interrupted`. Not by `--timeout`, which only waits obey. */
  readonly signal: AbortSignal;
  /** Milliseconds of `--timeout`. */
  readonly timeoutMs: number | undefined;
  readonly version: string;
  /** The address and the project to use. @throws CliError when nothing is configured */
  context(): Promise<Context>;
  /** The API of the context, signed in. */
  api(): Promise<Api>;
  /** An API at any address, with tokens that were got for it. */
  apiAt(url: URL, tokens: TokenSource): Api;
}

/** Starts to show progress on standard error; see terminal/progress.ts. */
export function startProgress(
  { environment, talk }: Invocation,
  options: ProgressOptions = {},
): Progress {
  return new Progress(environment, talk, options).start();
}
