// One crash, one culprit: a handler that ends the process is answered at once, and the other handlers may end before the process
// does.
import { setTimeout as pause } from 'node:timers/promises';
import type { HandlerLog } from '../call.ts';
import { Refusal } from '../serve/refusal.ts';
import { crashed, type Reply } from '../serve/reply.ts';
import { describe } from './describe.ts';
import { type Traced, traced, untraced, watchProcess } from './trace.ts';

export interface CrashesOptions {
  /** Places in errors are shown relative to it. */
  readonly codeFolder: string;
  /** The time for other handlers after a crash, in milliseconds. */
  readonly graceMs: number;
  /** Called once, before the culprit is answered. */
  readonly onEnding?: () => void;
  /** Sends the answers that are ready, and closes every connection after this time. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** One handler that begins. */
export interface CrashSubject {
  /** `provider/type/name` */
  readonly resource: string;
  readonly log: HandlerLog;
  /** Hides the secrets of the handler in a text. */
  readonly shown: (text: string) => string;
}

export interface Crashes {
  /** True from a crash of any handler of this process on. */
  readonly isEnding: () => boolean;
  /**
   * Runs a handler. When its code ends the process, then or later, the reply is sent at once.
   * @throws Refusal while the process ends
   */
  run<Answer>(subject: CrashSubject, handler: () => Promise<Answer>): Promise<Answer | Reply>;
  /** Stops watching. */
  stop(): void;
}

/** The time for answers to leave the process. */
const flushMs = 1_000;

/** Watches the process until `stop`: handlers of `run` no longer end it alone. */
export function watchCrashes({ codeFolder, graceMs, onEnding, close }: CrashesOptions): Crashes {
  const unwatch = watchProcess();
  const leave = joinEnding({ end });
  let running = 0;
  let onIdle = () => undefined as unknown;

  async function end(): Promise<void> {
    onEnding?.();
    const idle = new Promise<void>((resolve) => {
      onIdle = resolve;
      if (running === 0) resolve();
    });
    await Promise.race([idle, pause(graceMs)]);
    await close(running === 0 ? flushMs : 0);
  }

  function tracedBy(
    { resource, log, shown }: CrashSubject,
    answer: (reply: Reply) => void,
  ): Traced {
    let hasCrashed = false;
    return {
      onCrash(thrown, exitCode) {
        if (hasCrashed) return;
        hasCrashed = true;
        const { message, full } = describe(thrown, codeFolder);
        note(log, thrown);
        const error = shown(message);
        const last = `The handler of ${resource} ended the process: ${error}`;
        endProcess({ exitCode, lastWords: `${shown(full)}\n\n${last}\n` });
        answer(crashed(error));
      },
    };
  }

  return {
    isEnding,
    async run<Answer>(subject: CrashSubject, handler: () => Promise<Answer>) {
      if (isEnding()) throw new Refusal(503, 'terminating', 'The process ends after a crash');
      const culprit = Promise.withResolvers<Reply>();
      running += 1;
      try {
        const work = traced(tracedBy(subject, culprit.resolve), handler);
        return await Promise.race([work, culprit.promise]);
      } finally {
        running -= 1;
        if (running === 0) onIdle();
      }
    },
    stop() {
      leave();
      unwatch();
    },
  };
}

function note(log: HandlerLog, thrown: unknown): void {
  try {
    log.error('The handler ends the process, after the other handlers', { error: thrown });
  } catch {
    // A failing log of the provider must not prevent the answer.
  }
}

// Ends the process after a crash, once its other handlers have ended. The first crash decides about the exit code and about the
// last words.

interface ProcessEnding {
  readonly exitCode: number;
  /** Written to standard error last: Kubernetes keeps the end of a log as the message of the termination. */
  readonly lastWords: string;
}

/** One server of this process. */
interface Party {
  /** Resolves when its handlers have ended, or their time is over, and their answers are sent. */
  end(): Promise<void>;
}

const parties = new Set<Party>();
let ending: ProcessEnding | undefined;

/** @returns a function that leaves */
function joinEnding(party: Party): () => void {
  parties.add(party);
  return () => {
    parties.delete(party);
  };
}

function isEnding(): boolean {
  return ending !== undefined;
}

function endProcess(crash: ProcessEnding): void {
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
