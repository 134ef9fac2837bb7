// The time of `--ttl` and `--expires`: one for all documents, computed once, so that what is checked is what is sent.
import type { ApplyResource, MemberPlan } from '../../../api/shapes.ts';
import { expiryText } from '../../../client/option-marks.ts';
import { counted } from '../../../client/time.ts';
import { firstNames } from '../../../lib/text.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';

/** @returns the option that flags set: none without them */
export function expiryOption(invocation: Invocation): Pick<ApplyResource, 'expires_at'> {
  const time = wantedExpiry(invocation);
  return time === undefined ? {} : { expires_at: time };
}

/** @returns null for never, undefined without a flag */
function wantedExpiry({ flags, environment }: Invocation): string | null | undefined {
  const [ttl, text] = [flags.duration('ttl'), flags.text('expires')];
  if (ttl !== undefined && text !== undefined) {
    throw usageError('Pass --ttl or --expires, not both: each sets when the resources expire.');
  }
  if (ttl === 0) throw usageError('--ttl must be longer than 0.');
  if (ttl !== undefined) return new Date(environment.now().getTime() + ttl).toISOString();
  if (text === undefined) return undefined;
  return text === 'never' ? null : parsedTime(text);
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;

function parsedTime(text: string): string {
  const time = new Date(text);
  if (rfc3339.test(text) && !Number.isNaN(time.getTime())) return time.toISOString();
  throw usageError(
    `--expires must be never or a time such as 2026-02-01T08:00:00Z, is "${text}".`,
    'From now on: --ttl 8h',
  );
}

const maxNamed = 3;

/** Says until when resources live, and which of them lived for another time. */
export function noteExpiry(
  { talk, environment }: Invocation,
  { expires_at: time }: ReturnType<typeof expiryOption>,
  members: readonly MemberPlan[],
): void {
  const [only] = members;
  if (time == null || only === undefined) return;
  const now = environment.now();
  const what =
    members.length === 1 ? `${only.resource} ` : `${counted(members.length, 'resource')}: `;
  talk.note(`${what}${expiryText(time, now)}, at ${time}.`);
  const before = members.flatMap(({ resource, differences }) => {
    const earlier = differences.find(({ path }) => path === 'expires_at')?.before;
    if (typeof earlier !== 'string') return [];
    return [`${resource} (was ${expiryText(earlier, now).replace(/^expires /, '')})`];
  });
  if (before.length === 0) return;
  const names = firstNames(before, maxNamed);
  talk.note(`--ttl counts from now, so the time has moved: ${names}.`);
}
