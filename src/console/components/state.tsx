// States as sign, colour and word: none of them alone.
import { text } from '../text.ts';

const tones = {
  ready: 'good',
  available: 'good',
  success: 'good',
  current: 'good',
  done: 'good',
  failed: 'bad',
  refused: 'bad',
  missing: 'bad',
  held: 'bad',
  unavailable: 'bad',
  error: 'bad',
  pending: 'busy',
  processing: 'busy',
  progressing: 'busy',
  building: 'busy',
  running: 'busy',
  deleting: 'busy',
  waiting: 'busy',
  trying: 'busy',
  open: 'busy',
} as const satisfies Readonly<Record<string, Tone>>;

type Tone = 'good' | 'bad' | 'busy' | 'quiet';

const signs: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', busy: '◐', quiet: '○' };

/** @returns how a state of the API is coloured; an unknown one is quiet */
export function toneOf(state: string): Tone {
  return tones[state as keyof typeof tones] ?? 'quiet';
}

/** @param state of a resource, a build, a deployment or a link of an explanation */
export function State({
  state,
  tone = toneOf(state),
}: {
  readonly state: string;
  readonly tone?: Tone;
}) {
  return (
    <span class={`state ${tone}`}>
      <span class="sign" aria-hidden="true">
        {signs[tone]}
      </span>
      {state.replaceAll('_', ' ')}
    </span>
  );
}

/** Shown until the first answer. */
export function Loading() {
  return (
    <p class="loading" role="status">
      {text('loading')}
    </p>
  );
}
