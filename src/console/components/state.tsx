// States as sign, colour and word: none of them alone.
import { text } from '../text.ts';
import { type LookTone, lookOf } from './look.ts';

/** @param state of a resource, a build, a deployment or a link of an explanation */
export function State({ state, tone }: { readonly state: string; readonly tone?: LookTone }) {
  const look = lookOf(state, tone);
  return (
    <span class={`state ${look.tone}`}>
      <span class="sign" aria-hidden="true">
        {look.sign}
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
