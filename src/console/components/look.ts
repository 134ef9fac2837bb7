// The look of a state on a page: the sign that the command line shows, too, and a class.
import type { ShownState } from '../../client/shown-state.ts';
import { stateLook, stateLooks } from '../../client/state-look.ts';

/** The class of an element. */
export type LookTone = 'good' | 'bad' | 'busy' | 'quiet';

const withoutState: Readonly<Record<LookTone, ShownState>> = {
  good: 'ready',
  bad: 'failed',
  busy: 'processing',
  quiet: 'draft',
};

/** @returns how a state of the API is shown; an unknown one is quiet @param tone instead of that of the state */
export function lookOf(state: string, tone?: LookTone): { sign: string; tone: LookTone } {
  const { sign, tone: own } = stateLook(state) ?? stateLooks[withoutState[tone ?? 'quiet']];
  return { sign, tone: tone ?? (own === 'waiting' ? 'busy' : own) };
}
