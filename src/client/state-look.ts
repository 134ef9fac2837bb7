// The look of a state: one sign and one tone in the command line and in the console. The word stands beside it, so nothing rests on
// sign or colour alone.
import type { ShownState } from './shown-state.ts';

export type Tone = 'good' | 'busy' | 'waiting' | 'quiet' | 'bad';

interface StateLook {
  readonly sign: string;
  /** For terminals without Unicode. */
  readonly ascii: string;
  readonly tone: Tone;
}

export const stateLooks = {
  ready: { sign: '✓', ascii: '+', tone: 'good' },
  processing: { sign: '●', ascii: '*', tone: 'busy' },
  deleting: { sign: '◐', ascii: '*', tone: 'busy' },
  pending: { sign: '○', ascii: 'o', tone: 'waiting' },
  draft: { sign: '·', ascii: '.', tone: 'quiet' },
  failed: { sign: '✗', ascii: 'x', tone: 'bad' },
} as const satisfies Readonly<Record<ShownState, StateLook>>;

/** Instead of `ready`, for a resource whose object differs. */
export const driftLooks = {
  drifted: { sign: '≠', ascii: '!', tone: 'waiting' },
  gone: { sign: '◇', ascii: '?', tone: 'bad' },
} as const satisfies Readonly<Record<string, StateLook>>;

/** Words of providers, builds, deployments, dead letters and steps that look as a state of a resource does. */
const alike: Readonly<Record<string, ShownState>> = {
  success: 'ready',
  succeeded: 'ready',
  available: 'ready',
  current: 'ready',
  done: 'ready',
  sent: 'ready',
  ok: 'ready',
  building: 'processing',
  running: 'processing',
  uploading: 'processing',
  progressing: 'processing',
  rolling: 'processing',
  deploying: 'processing',
  trying: 'processing',
  queued: 'pending',
  waiting: 'pending',
  open: 'pending',
  not_deployed: 'draft',
  cancelled: 'draft',
  refused: 'failed',
  unavailable: 'failed',
  crashed: 'failed',
  missing: 'failed',
  held: 'failed',
  error: 'failed',
};

/** @returns undefined for a word that is no state */
export function stateLook(word: string): StateLook | undefined {
  if (Object.hasOwn(stateLooks, word)) return stateLooks[word as ShownState];
  if (Object.hasOwn(driftLooks, word)) return driftLooks[word as keyof typeof driftLooks];
  const state = Object.hasOwn(alike, word) ? alike[word] : undefined;
  return state && stateLooks[state];
}
