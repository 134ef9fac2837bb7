// Ends the process after a crash, once its other handlers have ended. The first crash decides about the exit code and about the
// last words.
import { untraced } from './trace.ts';

export interface ProcessEnding {
  readonly exitCode: number;
  /** Written to standard error last: Kubernetes keeps the end of a log as the message of the termination. */
  readonly lastWords: string;
}

/** One server of this process. */
export interface Party {
  /** Resolves when its handlers have ended, or their time is over, and their answers are sent. */
  end(): Promise<void>;
}

const parties = new Set<Party>();
let ending: ProcessEnding | undefined;

/** @returns a function that leaves */
export function joinEnding(party: Party): () => void {
  parties.add(party);
  return () => {
    parties.delete(party);
  };
}

export function isEnding(): boolean {
  return ending !== undefined;
}

export function endProcess(crash: ProcessEnding): void {
  if (ending !== undefined) return;
  ending = crash;
  // However the process ends from now on, also by SIGTERM or by an error of no handler.
  process.once('exit', () => {
    process.stderr.write(crash.lastWords);
    process.exitCode = crash.exitCode;
  });
  untraced(() => void exitAfterAll(crash));
}

async function exitAfterAll({ exitCode }: ProcessEnding): Promise<void> {
  await Promise.allSettled([...parties].map((party) => party.end()));
  process.exit(exitCode);
}
