// Memory outside the heaps: the largest child is ended before the kernel ends the whole container. Best effort, since the kernel may be first.
import { ownMemory } from './child-process.ts';
import type { Child } from './children.ts';

/** Of the limit of the container. */
const share = 0.85;

/** @returns the child to end, and why; undefined while there is memory */
export function outOfMemory(
  children: readonly Child[],
  limitMi: number,
): { readonly child: Child; readonly why: string } | undefined {
  const used = children.map((child) => ({ child, bytes: child.process.memoryBytes() }));
  const total = used.reduce((sum, { bytes }) => sum + bytes, ownMemory('self'));
  const totalMi = Math.round(total / 1_048_576);
  if (totalMi < share * limitMi) return undefined;
  const [largest] = used.toSorted((one, other) => other.bytes - one.bytes);
  // One that is killed has its memory for a moment.
  if (largest === undefined || largest.child.killed !== undefined) return undefined;
  const why = `The process ran out of memory: ${totalMi} MiB were used, and the limit of the pod is ${limitMi} MiB`;
  return { child: largest.child, why };
}
