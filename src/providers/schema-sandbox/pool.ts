// A few workers, started when first needed and kept warm, and a bounded queue in front of them. Every job ends: with an
// outcome, or refused because the queue is full, the wait too long, or the pool closed.
import { ErrorCode, FairleadError } from '../../domain/errors.ts';
import type { Job } from './protocol.ts';
import { type Outcome, type Runner, startRunner } from './runner.ts';

export interface PoolOptions {
  readonly workers: number;
  readonly startMs: number;
  readonly memoryMb: number;
  /** Jobs that may wait for a worker. */
  readonly queueLimit: number;
  /** How long a job may wait for a worker. */
  readonly waitMs: number;
}

export interface Pool {
  /** @throws FairleadError `unavailable` when no worker could be had */
  run(job: Job, limitMs: number): Promise<Outcome>;
  close(): Promise<void>;
}

interface Waiting {
  readonly job: Job;
  readonly limitMs: number;
  readonly patience: NodeJS.Timeout;
  readonly settle: (outcome: Outcome) => void;
  readonly refuse: (error: Error) => void;
}

export function createPool(options: PoolOptions): Pool {
  const queue = new Set<Waiting>();
  const runners = new Set<Runner>();
  const free: Runner[] = [];
  let closed = false;

  function refuse(waiting: Waiting): void {
    clearTimeout(waiting.patience);
    queue.delete(waiting);
    waiting.refuse(unavailable());
  }

  function start(): void {
    const runner = startRunner({
      startMs: options.startMs,
      memoryMb: options.memoryMb,
      onFree() {
        free.push(runner);
        serve();
      },
      onGone(started) {
        runners.delete(runner);
        const index = free.indexOf(runner);
        if (index >= 0) free.splice(index, 1);
        // A worker that cannot even start will not start next time either: do not try again for those who wait.
        if (!started) for (const waiting of queue) refuse(waiting);
        serve();
      },
    });
    runners.add(runner);
  }

  function serve(): void {
    for (const waiting of queue) {
      const runner = free.pop();
      if (runner === undefined) break;
      queue.delete(waiting);
      clearTimeout(waiting.patience);
      runner.run(waiting.job, waiting.limitMs, waiting.settle);
    }
    const wanted = Math.min(options.workers, runners.size + queue.size);
    while (!closed && runners.size < wanted) start();
  }

  return {
    run(job, limitMs) {
      if (closed || queue.size >= options.queueLimit) return Promise.reject(unavailable());
      return new Promise((settle, reject) => {
        const patience = setTimeout(() => refuse(waiting), options.waitMs);
        const waiting: Waiting = { job, limitMs, patience, settle, refuse: reject };
        queue.add(waiting);
        serve();
      });
    },
    async close() {
      closed = true;
      for (const waiting of queue) refuse(waiting);
      await Promise.all([...runners].map((runner) => runner.end()));
    },
  };
}

function unavailable(): FairleadError {
  return new FairleadError(ErrorCode.unavailable, 'Schemas cannot be checked right now', {
    retryAfter: 1,
  });
}
