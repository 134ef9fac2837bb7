// Queues the jobs that wait for a worker, round-robin by tenant with a limit for each. Jobs without a tenant form one more
// group, without a limit.
import { createFairQueue } from '../../lib/fair-queue.ts';

export interface TenantLimits {
  /** Concurrent jobs of one tenant. */
  readonly maxRunning: number;
  /** Queued jobs of one tenant. */
  readonly maxWaiting: number;
  /** Queued jobs of all tenants. */
  readonly maxWaitingOfAll: number;
}

export interface TenantQueue<T> {
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

export function createTenantQueue<T>(
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
