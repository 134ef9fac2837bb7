// Counts what a pass writes: one that asks for another at once must have changed something, or it goes on so for ever.
import { AsyncLocalStorage } from 'node:async_hooks';
import { eventKind, type KindRef } from './api.ts';

const current = new AsyncLocalStorage<{ writes: number }>();

/** Runs a pass. @returns its result, and how much was written during it */
export async function countingWrites<T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly writes: number }> {
  const pass = { writes: 0 };
  const result = await current.run(pass, run);
  return { result, writes: pass.writes };
}

/** Called for every write that the API server has accepted. Events tell people what happened, and nothing is decided by them. */
export function noteWrite({ group }: Pick<KindRef, 'group'>): void {
  const pass = current.getStore();
  if (pass !== undefined && group !== eventKind.group) pass.writes += 1;
}
