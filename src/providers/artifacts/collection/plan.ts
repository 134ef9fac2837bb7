// Decides what one pass of the garbage collection does. An unreferenced artifact is marked; a grace period later it is moved
// to the trash, where it can still be read; a day later it is deleted. Pure.
import type { Digest } from '../../../domain/providers/artifact.ts';

/** A mark, or an artifact in the trash. */
export interface AgedArtifact {
  readonly digest: Digest;
  /** When it was made, in the counted time of the store. */
  readonly seconds: number;
}

export interface Inventory {
  readonly artifacts: ReadonlySet<Digest>;
  readonly marks: readonly AgedArtifact[];
  readonly trash: readonly AgedArtifact[];
}

interface PlanOptions {
  readonly referenced: ReadonlySet<Digest>;
  readonly graceSeconds: number;
  readonly dryRun: boolean;
  /** The counted time. */
  readonly now: number;
}

export interface CollectionPlan {
  /** From the trash, back to where they were. */
  readonly restore: readonly AgedArtifact[];
  readonly unmark: readonly AgedArtifact[];
  readonly mark: readonly Digest[];
  /** Marked for longer than the grace period. */
  readonly due: readonly AgedArtifact[];
  /** From the trash, for good. */
  readonly purge: readonly AgedArtifact[];
  /** Entries that stay marked. */
  readonly waiting: readonly AgedArtifact[];
}

/**
 * Longer than the way from an upload to the object that refers to it: a build reports its result within the lifetime of its
 * tokens. A push that finds its artifact in place just before it is moved therefore finds it in the trash afterwards.
 */
const trashSeconds = 24 * 60 * 60;

export function plan(inventory: Inventory, options: PlanOptions): CollectionPlan {
  const { artifacts, marks, trash } = inventory;
  const { referenced, graceSeconds, dryRun, now } = options;
  // An entry of the future is from before the counted time was lost: it begins anew.
  const isUsable = ({ seconds }: AgedArtifact) => seconds <= now;
  const isCollectable = ({ digest }: AgedArtifact) =>
    artifacts.has(digest) && !referenced.has(digest);
  const kept = newestOfEach(marks.filter((each) => isCollectable(each) && isUsable(each)));
  const isDue = ({ seconds }: AgedArtifact) => now - seconds >= graceSeconds;
  const isMissed = (each: AgedArtifact) =>
    !artifacts.has(each.digest) && (referenced.has(each.digest) || !isUsable(each));
  // A copy of what is in place is kept as long: another process may be moving it.
  const isExpired = (each: AgedArtifact) => now - each.seconds >= trashSeconds || !isUsable(each);
  return {
    restore: trash.filter(isMissed),
    unmark: marks.filter((each) => kept.get(each.digest) !== each),
    mark: [...artifacts].filter((digest) => !referenced.has(digest) && !kept.has(digest)),
    due: [...kept.values()].filter(isDue),
    waiting: [...kept.values()].filter((each) => !isDue(each)),
    purge: dryRun ? [] : trash.filter((each) => isExpired(each) && !isMissed(each)),
  };
}

/** Two processes may have marked one artifact. */
function newestOfEach(marks: readonly AgedArtifact[]): ReadonlyMap<Digest, AgedArtifact> {
  const newest = new Map<Digest, AgedArtifact>();
  for (const mark of marks) {
    const known = newest.get(mark.digest);
    if (known === undefined || known.seconds < mark.seconds) newest.set(mark.digest, mark);
  }
  return newest;
}
