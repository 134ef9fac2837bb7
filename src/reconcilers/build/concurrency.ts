// Pure. Counts the running builds of an organization and detects when one ends.
import type { Build } from '../../crds/build.ts';

/** True until the object is gone: during a foreground deletion a build still has its Job. */
export function isRunning({ status }: Build): boolean {
  return status?.phase === 'building';
}

export function isWaiting({ metadata, status }: Build): boolean {
  return metadata.deletionTimestamp === undefined && (status?.phase ?? 'pending') === 'pending';
}

/** @returns whether waiting builds must look again: a running build, or one ahead of them, no longer is */
export function freesTurn(before: Build | undefined, after: Build | undefined): boolean {
  return takesTurn(before) && !takesTurn(after);
}

function takesTurn(build: Build | undefined): boolean {
  return build !== undefined && (isRunning(build) || isWaiting(build));
}
