// Pure. Decides the next step of a build. Read the list; that is the flow. First match wins.
import { Reason } from '../../crds/conditions.ts';
import { isBuildFinished } from '../../domain/providers/build.ts';
import { firstMatch } from '../../lib/first-match.ts';
import { isTrue } from '../workloads.ts';
import { buildFailure, stuckReason } from './failure.ts';
import type { Observed } from './observe.ts';

export type Decision =
  | { readonly do: 'nothing' }
  /** The same bytes were built before: the result is reused. */
  | { readonly do: 'reuse' }
  /** Records why it waits; the end of the cause triggers a pass. */
  | { readonly do: 'queue'; readonly reason: Reason; readonly message: string }
  | { readonly do: 'start' }
  | { readonly do: 'announce' }
  /** The Job has no pod yet; records the refusal, if there is one, and reads it again. */
  | { readonly do: 'awaitPod'; readonly refusal: string | undefined }
  | { readonly do: 'collect' }
  | { readonly do: 'fail'; readonly error: string };

export interface BuildSettings {
  /** Maximum concurrent builds of one organization. */
  readonly parallel: number;
  readonly deadlineSeconds: number;
  /** The npm registry; npm's default when undefined. */
  readonly npmRegistry?: string | undefined;
}

export const defaultBuildSettings: BuildSettings = { parallel: 2, deadlineSeconds: 15 * 60 };

type Rule = (observed: Observed, settings: BuildSettings) => Decision | undefined;

const rules: readonly Rule[] = [
  leaveFinished,
  failWithItsJob,
  collectFromItsJob,
  failWhatCannotStart,
  announceItsJob,
  awaitItsPod,
  leaveToItsJob,
  failWithoutItsJob,
  reuseSameBytes,
  waitWhileSuspended,
  waitForGuards,
  waitForATurn,
  start,
];

export function decide(observed: Observed, settings: BuildSettings): Decision {
  return firstMatch(rules, observed, settings) ?? { do: 'nothing' };
}

function leaveFinished({ build }: Observed): Decision | undefined {
  return isBuildFinished(build.status?.phase ?? 'pending') ? { do: 'nothing' } : undefined;
}

function failWithItsJob(
  { job, pod, refusal }: Observed,
  settings: BuildSettings,
): Decision | undefined {
  if (job === undefined || isTrue(job.status?.conditions, 'Failed') === undefined) return undefined;
  return { do: 'fail', error: buildFailure({ job, pod, refusal }, settings) };
}

function collectFromItsJob({ job }: Observed): Decision | undefined {
  return isTrue(job?.status?.conditions, 'Complete') === undefined ? undefined : { do: 'collect' };
}

/** Without this rule an image that never becomes available would be waited for until the deadline. */
function failWhatCannotStart({ pod }: Observed): Decision | undefined {
  const error = pod === undefined ? undefined : stuckReason(pod);
  return error === undefined ? undefined : { do: 'fail', error };
}

function announceItsJob({ build, job }: Observed): Decision | undefined {
  if (job === undefined || build.status?.phase === 'building') return undefined;
  return { do: 'announce' };
}

function awaitItsPod({ job, pod, refusal }: Observed): Decision | undefined {
  if (job === undefined || pod !== undefined) return undefined;
  return { do: 'awaitPod', refusal };
}

function leaveToItsJob({ job }: Observed): Decision | undefined {
  return job === undefined ? undefined : { do: 'nothing' };
}

function failWithoutItsJob({ build, job }: Observed): Decision | undefined {
  if (job !== undefined || build.status?.phase !== 'building') return undefined;
  return { do: 'fail', error: 'The Job of the build was deleted' };
}

function reuseSameBytes({ twin }: Observed): Decision | undefined {
  return twin === undefined ? undefined : { do: 'reuse' };
}

function waitWhileSuspended({ suspended }: Observed): Decision | undefined {
  if (!suspended) return undefined;
  return { do: 'queue', reason: Reason.Suspended, message: 'The organization is suspended' };
}

/** A namespace with missing guards gets no new workload of its tenant. */
function waitForGuards({ unguarded }: Observed): Decision | undefined {
  if (unguarded === undefined) return undefined;
  return { do: 'queue', reason: Reason.GuardsMissing, message: unguarded };
}

/** Oldest first: a flood of pushes of one provider is built one after another. */
function waitForATurn({ running, ahead }: Observed, { parallel }: BuildSettings) {
  if (running + ahead < parallel) return undefined;
  // Without counts: they change with every build that ends, and each change would cost a write per waiting build.
  const message = 'Waiting for other builds of the organization to finish';
  return { do: 'queue', reason: Reason.Queued, message } as const;
}

function start(): Decision {
  return { do: 'start' };
}
