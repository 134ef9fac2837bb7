// Statistics: percentiles, medians of ratios, CPU time of processes, and a bounded loop of workers.
import { readFileSync } from 'node:fs';

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The mean of the two in the middle, for an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (at(half - 1) + at(half)) / 2 : at(Math.floor(half));
}

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

/** Resident memory of a process; 0 without /proc. */
export function residentMiB(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
