// The steps that the API advises, each with the place in the console and the command that take it.
import type { NextStep } from '../../api/shapes.ts';
import { commandFor } from '../../client/words/next-step.ts';
import { placeFor } from '../router/places.ts';
import { hrefTo } from '../router/route.ts';
import { text } from '../text.ts';
import { CopyButton } from './copy.tsx';
import { Countdown } from './time.tsx';

export function Steps({ steps }: { readonly steps: readonly NextStep[] }) {
  return (
    <ol class="next-steps">
      {steps.map((step) => (
        <Step key={JSON.stringify(step)} step={step} />
      ))}
    </ol>
  );
}

/** A button that leads to where a step is taken; nothing for one that is not taken in the console. */
export function StepLink({ step }: { readonly step: NextStep }) {
  const place = placeFor(step);
  if (place === undefined) return null;
  const { page, path, query } = place;
  return (
    <a class="button small" href={hrefTo(page, path, query)}>
      {text(`resource.step.${query?.['show'] ?? page}` as 'resource.step.resource')}
    </a>
  );
}

function Step({ step }: { readonly step: NextStep }) {
  const command = commandFor(step);
  return (
    <li>
      <p>
        {step.why}
        {step.until !== undefined && (
          <>
            {' · '}
            <Countdown until={step.until} />
          </>
        )}
      </p>
      <p class="actions">
        <StepLink step={step} />
        {command !== undefined && (
          <>
            <code>{command}</code>
            <CopyButton value={command} what={command} />
          </>
        )}
      </p>
    </li>
  );
}
