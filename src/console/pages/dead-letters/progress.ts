// What the progress of all retries means for one cause. Pure.
import type { Redrive } from '../../../api/shapes.ts';

export interface CauseProgress {
  /** `done` when none of its events is left. */
  readonly state: Redrive['causes'][number]['state'] | 'done';
  /** Events that are still dead letters. */
  readonly left: number;
}

interface Cause {
  readonly provider: string;
  readonly cause: string;
}

/** @returns the progress of a cause; one that the API no longer lists has no events left */
export function causeProgress({ causes }: Redrive, { provider, cause }: Cause): CauseProgress {
  const found = causes.find((each) => each.cause === cause && each.provider === provider);
  return found === undefined
    ? { state: 'done', left: 0 }
    : { state: found.state, left: found.count };
}
