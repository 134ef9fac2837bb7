// The progress that a handler reports about its event, as it is stored and shown. The SDK shares this file. Pure.
import { withoutUndefined } from '../../lib/json.ts';
import { clean, truncate } from '../../lib/text.ts';

export interface Progress {
  /** How much is done: a number of entries, bytes, steps. */
  readonly done?: number | undefined;
  /** The amount of which `done` is a part; never below it. Absent when it is unknown. */
  readonly total?: number | undefined;
  /** A sentence for the user who declared the resource. */
  readonly message?: string | undefined;
}

export const maxProgressMessageLength = 200;
/** The largest whole number of a structured field (RFC 9651). */
const maxProgressNumber = 999_999_999_999_999;

/** @returns the progress as it is stored: numbers with at most three decimals, the message in one line; or what is wrong with it */
export function parseProgress(given: unknown): Progress | { readonly problem: string } {
  if (typeof given !== 'object' || given === null) return { problem: 'it must be an object' };
  const members = given as { readonly [name in keyof Progress]?: unknown };
  const message = members.message ?? '';
  if (typeof message !== 'string') return { problem: 'message must be a text' };
  const [done, total] = [countIn(members, 'done'), countIn(members, 'total')];
  if (typeof done === 'object') return done;
  if (typeof total === 'object') return total;
  const problem = countProblem(done, total);
  if (problem !== undefined) return { problem };
  const line = messageLine(message);
  if (done === undefined && line === '') return { problem: 'done or message must be given' };
  return withoutUndefined({ done, total, message: line === '' ? undefined : line });
}

/** A structured field has three decimals, and twelve digits before them. */
function countIn(members: { readonly [name in keyof Progress]?: unknown }, name: keyof Progress) {
  const given = members[name] ?? undefined;
  if (given === undefined) return undefined;
  if (typeof given === 'number' && given >= 0 && given <= maxProgressNumber) {
    return given < 1e12 ? Math.round(given * 1_000) / 1_000 : Math.round(given);
  }
  return { problem: `${name} must be a number from 0 to ${maxProgressNumber}` };
}

function countProblem(done: number | undefined, total: number | undefined): string | undefined {
  if (total === undefined) return undefined;
  if (done === undefined) return 'done must be given with total';
  return done > total ? `done (${done}) must not be above total (${total})` : undefined;
}

function messageLine(message: string): string {
  return truncate(clean(message, Infinity).replace(/\s+/g, ' '), maxProgressMessageLength);
}
