import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLogger } from '../../../../src/app/logger.ts';
import { KubeError } from '../../../../src/kube/errors.ts';
import type { Lease, Leases } from '../../../../src/kube/leader/lease-record.ts';
import { createTerm } from '../../../../src/kube/leader/lease-term.ts';
import { manualTime } from '../../../support/runner/manual-time.ts';

const times = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const taken: Lease = { metadata: { name: 'lease', namespace: 'system', resourceVersion: '1' } };

it('limits each renewal to the remaining time, in whole milliseconds', async () => {
  const time = manualTime();
  const { clock, timers } = time;
  const limits: number[] = [];
  const slow: Leases['write'] = async (_read, _spec, { timeoutMs = 0 } = {}) => {
    limits.push(timeoutMs);
    // A real clock never returns whole numbers.
    time.pass(timeoutMs + 0.123);
    return await Promise.reject(new KubeError({ reason: 'tooManyRequests', message: 'busy' }));
  };
  const leases: Leases = { read: () => Promise.resolve(taken), write: slow };
  const log = createLogger({ level: 'error', component: 'test' });
  const askedAt = clock.monotonic();
  const term = createTerm({ leases, taken, askedAt, times, clock, timers, random: () => 1, log });
  while (!term.lost.aborted) {
    time.pass(500.5);
    await turn();
  }
  expect(limits.length).toBeGreaterThan(1);
  expect(limits.every((limit) => Number.isInteger(limit))).toBe(true);
  // An invalid argument of AbortSignal.timeout fails an attempt before it begins.
  for (const limit of limits) expect(() => AbortSignal.timeout(limit)).not.toThrow();
  await term.end({ release: false });
});
