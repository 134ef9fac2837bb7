// Manages one worker thread from start to end. It runs one job at a time. A job that exceeds its deadline or memory
// terminates the worker, because code that does not return can only be stopped from outside.
import { Worker } from 'node:worker_threads';
import type { Violation } from '../../domain/errors.ts';
import type { SandboxJob, WorkerAnswer } from './protocol.ts';

export type CutBy = 'time' | 'memory' | 'crash';

export type JobOutcome =
  | { readonly kind: 'done'; readonly violations: readonly Violation[] }
  /** The worker lives, but the code of this schema threw. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'cut'; readonly by: CutBy };

interface JobRunnerOptions {
  /** The time limit for a worker to become ready. */
  readonly startMs: number;
  readonly memoryMb: number;
  /** The `nice` value on Linux: 0 is the default, 10 gets a tenth of the share of default threads. */
  readonly niceness: number;
  /** The worker is ready for a job. */
  readonly onFree: () => void;
  /** The worker has exited. `started`: it was ready before. */
  readonly onGone: (started: boolean) => void;
}

export interface Runner {
  /**
   * Call only after `onFree`, once for each.
   * @param limitMs CPU time limit of the worker, so that a busy machine does not stop a valid job; the elapsed time may be
   *   ten times as long
   */
  run(job: SandboxJob, limitMs: number, settle: (outcome: JobOutcome) => void): void;
  end(): Promise<void>;
}

/** The wall-clock limit of a job as a multiple of its CPU time limit. */
const patience = 10;

/** Measuring a worker costs more than most jobs, so only a job is measured that is not done by then. */
const unmeasuredMs = 20;
/** Later on, between measurements: the compilers of V8 take more than 100 MB a second for some code. */
const measuredMs = 40;

export function startRunner(options: JobRunnerOptions): Runner {
  const { startMs, memoryMb, niceness, onFree, onGone } = options;
  const worker = new Worker(new URL('./entry.ts', import.meta.url), {
    name: 'schema-sandbox',
    workerData: { niceness },
    // Exposes nothing: no environment variables, loaders or flags of the process.
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: {
      maxOldGenerationSizeMb: memoryMb,
      maxYoungGenerationSizeMb: 16,
      stackSizeMb: 4,
    },
  });
  // The timers below keep the process alive while a job waits; an idle worker does not. Only once it is online: the start
  // reverts an earlier unref.
  worker.once('online', () => worker.unref());

  let started = false;
  let settleCurrent: ((outcome: JobOutcome) => void) | undefined;
  let deadline = setTimeout(() => leave('time'), startMs);
  let ended: Promise<unknown> | undefined;

  function settle(outcome: JobOutcome): void {
    const waiting = settleCurrent;
    settleCurrent = undefined;
    waiting?.(outcome);
  }

  function leave(by: CutBy): void {
    if (ended !== undefined) return;
    clearTimeout(deadline);
    ended = worker.terminate();
    settle({ kind: 'cut', by });
    onGone(started);
  }

  worker.on('message', (answer: WorkerAnswer) => {
    if (ended !== undefined) return;
    clearTimeout(deadline);
    if (answer.kind === 'ready') started = true;
    else settle(jobOutcome(answer));
    if (answer.kind !== 'ready' && answer.worn) leave('crash');
    else onFree();
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    leave(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash');
  });
  worker.on('exit', () => leave('crash'));

  return {
    run(job, limitMs, settleJob) {
      settleCurrent = settleJob;
      const running = () => settleCurrent === settleJob;
      const end = performance.now() + limitMs * patience;
      worker.postMessage(job);
      const measure = () => {
        const before = cpuMs(worker);
        const later = (ms: number) => {
          deadline = setTimeout(() => void look(), Math.max(1, Math.min(measuredMs, ms)));
        };
        const look = async () => {
          // An answer of a worker does not keep the process alive.
          deadline = setTimeout(() => leave('time'), Math.max(1, end - performance.now()));
          const limits = { cpuMs: (await before) + limitMs, end, memoryMb };
          const { by, left } = await measured(worker, limits);
          if (!running()) return;
          clearTimeout(deadline);
          if (by === undefined) later(left);
          else leave(by);
        };
        later(limitMs);
      };
      deadline = setTimeout(measure, Math.min(unmeasuredMs, limitMs));
    },
    async end() {
      leave('crash');
      await ended;
    },
  };
}

/** @returns what a worker has taken too much of, and how much CPU time it has left */
async function measured(
  worker: Worker,
  limits: {
    cpuMs: number;
    /** The deadline, in the time of `performance.now()`. */
    end: number;
    memoryMb: number;
  },
): Promise<{ readonly by: CutBy | undefined; readonly left: number }> {
  const left = limits.cpuMs - (await cpuMs(worker));
  if ((await outsideMb(worker)) > limits.memoryMb) return { by: 'memory', left };
  const isLate = left <= 0 || performance.now() >= limits.end;
  return { by: isLate ? 'time' : undefined, left };
}

/** An exiting worker consumes no more CPU time. */
function cpuMs(worker: Worker): Promise<number> {
  return worker.cpuUsage().then(total, () => 0);
}

/** The limits of a worker are those of its heap. The memory that V8 takes beside it to compile hot code is not in them. */
function outsideMb(worker: Worker): Promise<number> {
  return worker.getHeapStatistics().then(
    ({ malloced_memory: bytes }) => bytes / 1_048_576,
    () => 0,
  );
}

function total({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

function jobOutcome(answer: Exclude<WorkerAnswer, { kind: 'ready' }>): JobOutcome {
  if (answer.kind === 'failed') return { kind: 'failed' };
  return { kind: 'done', violations: answer.violations };
}
