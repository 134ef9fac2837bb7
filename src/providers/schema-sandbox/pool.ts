// Runs jobs on a few workers, started on demand and kept warm, behind a bounded queue. Every job ends with an outcome, or
// is rejected because the queue is full, the wait too long, or the pool closed. A tenant gets at most half of the workers;
// tenants are served round-robin.
import { FairleadError } from '../../domain/errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import type { SandboxJob } from './protocol.ts';
import { type JobOutcome, type Runner, startRunner } from './runner.ts';

export interface PoolOptions {
  readonly workers: number;
  readonly startMs: number;
  readonly memoryMb: number;
  /** The `nice` value of its worker threads; defaults to 0. */
  readonly niceness?: number;
  /** Maximum of queued jobs. */
  readonly queueLimit: number;
  /** How long a job may wait for a worker. */
  readonly waitMs: number;
}

interface JobLimits {
  /** The worker's CPU time. */
  readonly ms: number;
  /** The owner of the job; jobs without one have no limit of their own. */
  readonly tenant?: string | undefined;
}

interface Pool {
  /** @throws FairleadError `unavailable` when no worker is available */
  run(job: SandboxJob, limits: JobLimits): Promise<JobOutcome>;
  close(): Promise<void>;
}

interface WaitingJob {
  readonly job: SandboxJob;
  readonly limits: JobLimits;
  readonly patience: NodeJS.Timeout;
  readonly settle: (outcome: JobOutcome) => void;
  readonly refuse: (error: Error) => void;
}

export function createPool(options: PoolOptions): Pool {
  const queue = createTenantQueue<WaitingJob>(({ limits }) => limits.tenant, {
    maxRunning: Math.max(1, Math.floor(options.workers / 2)),
    maxWaiting: Math.max(1, Math.floor(options.queueLimit / 4)),
    maxWaitingOfAll: options.queueLimit,
  });
  const runners = new Set<Runner>();
  const free: Runner[] = [];
  let closed = false;

  function refuse(waiting: WaitingJob): void {
    clearTimeout(waiting.patience);
    queue.remove(waiting);
    waiting.refuse(unavailable());
  }

  function start(): void {
    const runner = startRunner({
      startMs: options.startMs,
      memoryMb: options.memoryMb,
      niceness: options.niceness ?? 0,
      onFree() {
        free.push(runner);
        serve();
      },
      onGone(started) {
        runners.delete(runner);
        const index = free.indexOf(runner);
        if (index >= 0) free.splice(index, 1);
        // A worker that failed to start will fail again: do not retry for waiting jobs.
        if (!started) for (const waiting of queue.all()) refuse(waiting);
        serve();
      },
    });
    runners.add(runner);
  }

  function serve(): void {
    while (free.length > 0) {
      const waiting = queue.take();
      if (waiting === undefined) break;
      clearTimeout(waiting.patience);
      const { job, limits, settle } = waiting;
      free.pop()?.run(job, limits.ms, (outcome) => {
        queue.done(waiting);
        settle(outcome);
      });
    }
    const wanted = Math.min(options.workers, runners.size + queue.startable);
    while (!closed && runners.size < wanted) start();
  }

  return {
    run(job, limits) {
      if (closed || !queue.hasRoom(limits.tenant)) return Promise.reject(unavailable());
      return new Promise((settle, reject) => {
        const patience = setTimeout(() => refuse(waiting), options.waitMs);
        const waiting: WaitingJob = { job, limits, patience, settle, refuse: reject };
        queue.add(waiting);
        serve();
      });
    },
    async close() {
      closed = true;
      for (const waiting of queue.all()) refuse(waiting);
      await Promise.all([...runners].map((runner) => runner.end()));
    },
  };
}

function unavailable(): FairleadError {
  return new FairleadError('unavailable', 'Schemas cannot be checked at the moment; retry', {
    retryAfter: 1,
  });
}

// Queues the jobs that wait for a worker, round-robin by tenant with a limit for each. Jobs without a tenant form one more group,
// without a limit.

interface TenantLimits {
  /** Concurrent jobs of one tenant. */
  readonly maxRunning: number;
  /** Queued jobs of one tenant. */
  readonly maxWaiting: number;
  /** Queued jobs of all tenants. */
  readonly maxWaitingOfAll: number;
}

interface TenantQueue<T> {
  /** The number of queued jobs that could start, given workers. */
  readonly startable: number;
  hasRoom(tenant: string | undefined): boolean;
  add(job: T): void;
  remove(job: T): void;
  /** Dequeues the next job. The caller calls `done` when it has ended. */
  take(): T | undefined;
  done(job: T): void;
  all(): Iterable<T>;
}

const nobody = '';

function createTenantQueue<T>(
  tenantOf: (job: T) => string | undefined,
  { maxRunning, maxWaiting, maxWaitingOfAll }: TenantLimits,
): TenantQueue<T> {
  const running = new Map<string, number>();
  const groupOf = (job: T) => tenantOf(job) ?? nobody;
  const freeOf = (tenant: string) =>
    tenant === nobody ? Number.POSITIVE_INFINITY : maxRunning - (running.get(tenant) ?? 0);
  const queue = createFairQueue<T>({ groupOf, mayTake: (tenant) => freeOf(tenant) > 0 });

  return {
    get startable() {
      let count = 0;
      for (const tenant of queue.groups()) {
        count += Math.min(queue.sizeOf(tenant), Math.max(0, freeOf(tenant)));
      }
      return count;
    },
    hasRoom(tenant) {
      if (queue.size >= maxWaitingOfAll) return false;
      return tenant === undefined || queue.sizeOf(tenant) < maxWaiting;
    },
    add: (job) => queue.add(job),
    remove: (job) => queue.delete(job),
    take() {
      const job = queue.take();
      if (job === undefined) return undefined;
      const tenant = groupOf(job);
      running.set(tenant, (running.get(tenant) ?? 0) + 1);
      return job;
    },
    done(job) {
      const tenant = groupOf(job);
      const left = (running.get(tenant) ?? 0) - 1;
      if (left > 0) running.set(tenant, left);
      else running.delete(tenant);
      queue.release();
    },
    all: () => queue.items(),
  };
}
