// The counted time of a store, and the installation that collects it. Ages are differences of counted time, not of a clock: a
// pass counts at most two intervals, so a clock that jumps, or a long pause, never lets a grace period pass at once.
import { z } from 'zod';

export interface CollectionState {
  readonly installation: string;
  /** Counted time. */
  readonly seconds: number;
  /** When the last pass began, by the clock of its process. */
  readonly at: Date;
}

const Stored = z.object({
  installation: z.string().min(1),
  seconds: z.int().min(0),
  at: z.iso.datetime().transform((text) => new Date(text)),
});

export function parseState(text: string | undefined): CollectionState | undefined {
  if (text === undefined) return undefined;
  try {
    return Stored.parse(JSON.parse(text));
  } catch {
    // As if it was lost: marks of the future begin anew.
    return undefined;
  }
}

export function formatState(state: CollectionState): string {
  return JSON.stringify(state);
}

export function advance(
  state: CollectionState | undefined,
  { installation, stepSeconds, now }: { installation: string; stepSeconds: number; now: Date },
): CollectionState {
  const at = state?.at ?? now;
  const elapsed = Math.floor((now.getTime() - at.getTime()) / 1_000);
  const counted = Math.min(Math.max(0, elapsed), stepSeconds);
  return { installation, seconds: (state?.seconds ?? 0) + counted, at: now };
}
