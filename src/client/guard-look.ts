// The marks beside the state of a resource that is guarded, or will end: the same signs in the command line and in the console. The word
// stands beside each, or is read instead of it. Pure.
import type { ResourceRecord } from '../api/shapes.ts';
import { isInDeletion } from './shown-state.ts';

export interface GuardLook {
  readonly sign: string;
  /** For terminals without Unicode. */
  readonly ascii: string;
}

export const guardLooks = {
  protected: { sign: '⚿', ascii: '#' },
  paused: { sign: '‖', ascii: '=' },
  expires: { sign: '◷', ascii: '@' },
  orphan: { sign: '◌', ascii: '~' },
  observed: { sign: '◉', ascii: '%' },
} as const satisfies Readonly<Record<string, GuardLook>>;

export type Guard = keyof typeof guardLooks;

/** The members of a record that marks depend on. */
type Guarded = Pick<ResourceRecord, 'deletion_requested_at'> &
  Partial<
    Pick<ResourceRecord, 'protected' | 'paused' | 'expires_at' | 'deletion_policy' | 'management'>
  >;

/** @returns the marks of a resource, in the order in which they are shown. One in deletion does not expire any more. */
export function guardsOf(record: Guarded): readonly Guard[] {
  const { protected: isProtected, paused, expires_at: expiresAt = null, deletion_policy } = record;
  const { management } = record;
  const has: Readonly<Record<Guard, boolean>> = {
    protected: isProtected === true,
    paused: paused === true,
    expires: expiresAt !== null && !isInDeletion(record),
    orphan: deletion_policy === 'orphan',
    observed: management === 'observed',
  };
  return (Object.keys(guardLooks) as Guard[]).filter((guard) => has[guard]);
}

const soonMs = 3_600_000;

/** Returns whether a resource expires so soon that it deserves a warning. */
export function expiresSoon({ expires_at: time = null }: Guarded, now: number): boolean {
  return time !== null && Date.parse(time) - now <= soonMs;
}
