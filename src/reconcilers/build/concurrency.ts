// Pure. Counts the running builds of an organization and detects when one ends.
import type { Build } from '../../crds/build.ts';

/** Until the object is gone: one that is being deleted in the foreground still has its Job. */
export function isRunning({ status }: Build): boolean {
  return status?.phase === 'building';
}

export function isWaiting({ metadata, status }: Build): boolean {
  return metadata.deletionTimestamp === undefined && (status?.phase ?? 'pending') === 'pending';
}

/** @returns whether the builds that wait are to look again: one that ran, or was ahead of them, does so no more */
export function freesTurn(before: Build | undefined, after: Build | undefined): boolean {
  return takesTurn(before) && !takesTurn(after);
}

function takesTurn(build: Build | undefined): boolean {
  return build !== undefined && (isRunning(build) || isWaiting(build));
}
