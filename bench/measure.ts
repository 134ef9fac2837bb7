// Statistics: percentiles, medians of ratios, CPU time of processes, and a bounded loop of workers.
import { readFileSync } from 'node:fs';

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);

/** Runs `work` for 0 … count-1, `width` at a time. */
export async function inParallel(
  count: number,
  width: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

// USER_HZ of Linux, fixed at 100 for every architecture Node runs on.
const ticksPerSecond = 100;

/** Milliseconds of CPU that processes have used; 0 without /proc. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid) * (1_000 / ticksPerSecond), 0);
}

function ticksOf(pid: number): number {
  try {
    // The name in field 2 may hold spaces; what follows its closing parenthesis does not.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  } catch {
    return 0;
  }
}
