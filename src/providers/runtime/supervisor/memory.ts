// The memory of children: the largest is ended before the kernel ends the whole container, and a quarantine that uses much of its part
// takes no further suspects.
import { ownMemory } from './child-process.ts';
import type { Child } from './children.ts';
import { heapMi } from './rules.ts';

/** A part of the limit of the container. */
const mostUsed = 0.85;

/**
 * Best effort, since the kernel may be first.
 * @returns the child to end, and why; undefined while there is memory
 */
export function largestBeyondLimit(
  children: readonly Child[],
  limitMi: number,
): { readonly child: Child; readonly why: string } | undefined {
  const used = children.map((child) => ({ child, bytes: child.process.memoryBytes() }));
  const total = used.reduce((sum, { bytes }) => sum + bytes, ownMemory('self'));
  const totalMi = Math.round(total / 1_048_576);
  if (totalMi < mostUsed * limitMi) return undefined;
  const [largest] = used.toSorted((one, other) => other.bytes - one.bytes);
  // One that is killed has its memory for a moment.
  if (largest === undefined || largest.child.killed !== undefined) return undefined;
  const why = `The process ran out of memory: ${totalMi} MiB were used, and the limit of the pod is ${limitMi} MiB`;
  return { child: largest.child, why };
}

/** A process needs this much besides its heap. */
const besidesHeapMi = 32;
const roomUntil = 0.75;

/** @returns whether a child may take more suspects */
export function hasMemoryLeft({ process }: Child, limitMi: number | undefined): boolean {
  if (limitMi === undefined) return true;
  const mostMi = roomUntil * (heapMi(limitMi) + besidesHeapMi);
  return process.memoryBytes() < mostMi * 1_048_576;
}
