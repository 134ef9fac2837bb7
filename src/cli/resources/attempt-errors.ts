// Lists why earlier attempts of an event failed, for `fairlead why`. Pure.
import type { Explanation } from '../../api/shapes.ts';
import { since } from '../../client/time.ts';
import { codesText, errorParts } from '../../client/words/reason-text.ts';

type ListedAttemptError = NonNullable<Explanation['event']>['errors'][number];

/** Attempts in a row with one error. */
interface ErrorRun {
  readonly first: ListedAttemptError;
  last: ListedAttemptError;
}

/**
 * @param errors in the order of their attempts
 * @returns a row for each run of attempts with one error; without the last error, which the explanation shows in full
 */
export function attemptRows(errors: readonly ListedAttemptError[], now: Date): string[][] {
  const latest = errors.at(-1)?.error;
  return runsOf(errors)
    .filter(({ first }) => first.error !== latest)
    .map(({ first, last }) => [
      first === last ? `attempt ${first.attempt}` : `attempts ${first.attempt}-${last.attempt}`,
      `${codeLast(first.error)} (${since(last.failed_at, now)} ago)`,
    ]);
}

function codeLast(error: string): string {
  const { sentence, codes } = errorParts(error);
  return `${sentence}${codesText(codes)}`;
}

function runsOf(errors: readonly ListedAttemptError[]): readonly ErrorRun[] {
  const runs: ErrorRun[] = [];
  for (const each of errors) {
    const run = runs.at(-1);
    if (run?.first.error === each.error) run.last = each;
    else runs.push({ first: each, last: each });
  }
  return runs;
}
