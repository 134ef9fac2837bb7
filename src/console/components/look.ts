// The look of a state on a page: the sign that the command line shows, too, and a class.
import type { ShownState } from '../../client/shown-state.ts';
import { stateLook, stateLooks } from '../../client/state-look.ts';

/** The class of an element. */
export type Tone = 'good' | 'bad' | 'busy' | 'quiet';

interface Look {
  readonly sign: string;
  readonly tone: Tone;
}

const withoutState: Readonly<Record<Tone, ShownState>> = {
  good: 'ready',
  bad: 'failed',
  busy: 'processing',
  quiet: 'draft',
};

/** @returns how a state of the API is shown; an unknown one is quiet @param tone instead of that of the state */
export function lookOf(state: string, tone?: Tone): Look {
  const { sign, tone: own } = stateLook(state) ?? stateLooks[withoutState[tone ?? 'quiet']];
  return { sign, tone: tone ?? (own === 'waiting' ? 'busy' : own) };
}
