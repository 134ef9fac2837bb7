// Pure. What happens next to a build. Read the list; that is the flow. First match wins.
import { isFinished } from '../../domain/build.ts';
import { isTrue } from '../workloads.ts';
import { failureOf, stuckReason } from './failure.ts';
import type { Observed } from './observe.ts';

export type Decision =
  | { readonly do: 'nothing' }
  /** The same bytes were built before: what came of them is taken over. */
  | { readonly do: 'reuse' }
  /** Says why it does not begin yet; what ends wakes it. */
  | { readonly do: 'queue'; readonly message: string }
  | { readonly do: 'start' }
  | { readonly do: 'announce' }
  | { readonly do: 'collect' }
  | { readonly do: 'fail'; readonly error: string };

export interface BuildSettings {
  /** Builds of one organization that run at a time. */
  readonly parallel: number;
  readonly deadlineSeconds: number;
}

export const defaultBuildSettings: BuildSettings = { parallel: 2, deadlineSeconds: 15 * 60 };

type Rule = (observed: Observed, settings: BuildSettings) => Decision | undefined;

const rules: readonly Rule[] = [
  leaveFinished,
  failWithItsJob,
  collectFromItsJob,
  failWhatCannotStart,
  announceItsJob,
  failWithoutItsJob,
  reuseSameBytes,
  waitForATurn,
  start,
];

export function decide(observed: Observed, settings: BuildSettings): Decision {
  for (const rule of rules) {
    const decision = rule(observed, settings);
    if (decision !== undefined) return decision;
  }
  return { do: 'nothing' };
}

function leaveFinished({ build }: Observed): Decision | undefined {
  return isFinished(build.status?.phase ?? 'pending') ? { do: 'nothing' } : undefined;
}

function failWithItsJob({ job, pod }: Observed, settings: BuildSettings): Decision | undefined {
  if (job === undefined || isTrue(job.status?.conditions, 'Failed') === undefined) return undefined;
  return { do: 'fail', error: failureOf(job, pod, settings) };
}

function collectFromItsJob({ job }: Observed): Decision | undefined {
  return isTrue(job?.status?.conditions, 'Complete') === undefined ? undefined : { do: 'collect' };
}

/** Without this an image that will never be there would be waited for until the deadline. */
function failWhatCannotStart({ pod }: Observed): Decision | undefined {
  const error = pod === undefined ? undefined : stuckReason(pod);
  return error === undefined ? undefined : { do: 'fail', error };
}

function announceItsJob({ build, job }: Observed): Decision | undefined {
  if (job === undefined) return undefined;
  return build.status?.phase === 'building' ? { do: 'nothing' } : { do: 'announce' };
}

function failWithoutItsJob({ build, job }: Observed): Decision | undefined {
  if (job !== undefined || build.status?.phase !== 'building') return undefined;
  return { do: 'fail', error: 'The Job of the build was deleted' };
}

function reuseSameBytes({ twin }: Observed): Decision | undefined {
  return twin === undefined ? undefined : { do: 'reuse' };
}

/** Oldest first: a flood of pushes of one provider is one turn after another. */
function waitForATurn({ running, ahead }: Observed, { parallel }: BuildSettings) {
  if (running + ahead < parallel) return undefined;
  // Without counts: they change with every build that ends, and each change would be a write for each that waits.
  const message = 'Waiting until other builds of the organization have ended';
  return { do: 'queue', message } as const;
}

function start(): Decision {
  return { do: 'start' };
}
