import type { NextStep } from '../../../api/shapes.ts';
import { commandFor } from '../../../client/next-step.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Countdown } from '../../components/time.tsx';
import { placeFor } from '../../router/places.ts';
import { hrefTo } from '../../router/route.ts';
import { text } from '../../text.ts';

export function NextSteps({ steps }: { readonly steps: readonly NextStep[] }) {
  if (steps.length === 0) return null;
  return (
    <section>
      <h2>{text('resource.next')}</h2>
      <ol class="next-steps">
        {steps.map((step) => (
          <Step key={JSON.stringify(step)} step={step} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step }: { readonly step: NextStep }) {
  const place = placeFor(step);
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
        {place !== undefined && (
          <a class="button" href={hrefTo(place.page, place.path, place.query)}>
            {text(`resource.step.${step.do}` as 'resource.step.apply')}
          </a>
        )}
        {command !== undefined && (
          <>
            <code>{command}</code>
            <CopyButton value={command} label={text('copy')} />
          </>
        )}
      </p>
    </li>
  );
}
