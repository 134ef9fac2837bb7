// Why resources failed or wait, by the deepest cause: three causes of 300 failures are three cards.
import type { CauseGroup, ExplanationLink, NextStep } from '../../../api/shapes.ts';
import { messageBeside } from '../../../client/reason-text.ts';
import { call } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { placeFor } from '../../router/places.ts';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { counted, numberText, text } from '../../text.ts';

const everyMs = 3_000;
const shownResources = 5;

/** Mounted while a resource is neither ready nor a draft. */
export function Causes() {
  const polled = usePolled({
    key: 'causes',
    everyMs,
    load: (signal) => call('listExplanations', { query: { deleting: 'include' }, signal }),
  });
  const groups = polled.value.value ?? [];
  if (groups.length === 0) return <ErrorBox error={polled.error.value} />;
  const failedFirst = groups.toSorted((left, right) => rank(left) - rank(right));
  return (
    <section class="causes" aria-label={text('resources.causes')}>
      <h2>{text('resources.causes')}</h2>
      <ErrorBox error={polled.error.value} />
      {failedFirst.map((group) => (
        <Cause key={keyOf(group)} group={group} />
      ))}
    </section>
  );
}

/** The message of a resource under way counts seconds. */
function keyOf({ cause: { kind, ref, message } }: CauseGroup): string {
  return kind === 'resource' ? `${kind} ${ref}` : `${kind} ${ref} ${message}`;
}

/** A group with a dead letter needs somebody. */
function rank({ dead_letter: letter, cause: { state } }: CauseGroup): number {
  return letter !== null || state === 'failed' || state === 'refused' ? 0 : 1;
}

function groupState(group: CauseGroup): string {
  const { state } = group.cause;
  return rank(group) === 0 && state !== 'refused' ? 'failed' : state;
}

function Cause({ group }: { readonly group: CauseGroup }) {
  const { cause, count, resources, next } = group;
  const others = count - Math.min(shownResources, resources.length);
  return (
    <article
      class={`card ${rank(group) === 0 ? 'bad' : 'busy'}`}
      aria-label={cause.message ?? cause.ref}
    >
      <h3>
        <State state={groupState(group)} /> <CauseName cause={cause} />{' '}
        <span class="count">{counted('resources.affected', count)}</span>
      </h3>
      <p class="pre message">{messageBeside(cause.reason, cause.message) ?? group.summary}</p>
      {cause.since !== null && (
        <p class="quiet">
          {cause.reason} <Ago time={cause.since} />
        </p>
      )}
      <p class="affected">
        {resources.slice(0, shownResources).map((ref) => (
          <a key={ref} href={hrefTo('resource', ref.split('/'))}>
            {ref}
          </a>
        ))}
        {others > 0 && (
          <span class="quiet">{text('resources.and-more', { count: numberText(others) })}</span>
        )}
      </p>
      <ul class="steps">
        {next.map((step) => (
          <Step key={`${step.do} ${step.why}`} step={step} />
        ))}
      </ul>
    </article>
  );
}

function CauseName({ cause: { kind, ref } }: { readonly cause: ExplanationLink }) {
  if (kind === 'provider' && may('listProviders')) {
    return (
      <>
        {text('resources.provider')} <a href={hrefTo('providers', [ref])}>{ref}</a>
      </>
    );
  }
  if (kind === 'resource') return <a href={hrefTo('resource', ref.split('/'))}>{ref}</a>;
  return (
    <>
      {kind} {ref}
    </>
  );
}

function Step({ step }: { readonly step: NextStep }) {
  const place = placeFor(step);
  if (place === undefined) return <li>{step.why}</li>;
  return (
    <li>
      <a href={hrefTo(place.page, place.path, place.query)}>{step.why}</a>
    </li>
  );
}
