// Why resources failed or wait, by the deepest cause: a row for each, which opens.
import { useSignal } from '@preact/signals';
import type { CauseGroup, ExplanationLink } from '../../../api/shapes.ts';
import { messageBeside, reasonParts } from '../../../client/words/reason-text.ts';
import { call } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { StepLink, Steps } from '../../components/next-steps.tsx';
import { State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { placeFor } from '../../router/places.ts';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { numberText } from '../../text.ts';
import { causesOf, driftState, isFailure } from './cause-groups.ts';
import type { ListedResource } from './model.ts';
import { counted, text } from './text.ts';

const everyMs = 3_000;
const shownCauses = 5;
const shownResources = 5;

/** Mounted while a resource has drifted, or is neither ready nor a draft. */
export function Causes({ shown }: { readonly shown: readonly ListedResource[] }) {
  const polled = usePolled({
    key: 'causes',
    everyMs,
    load: (signal) => call('listExplanations', { query: { deleting: 'include' }, signal }),
  });
  const isLong = useSignal(false);
  const groups = causesOf(polled.value.value ?? [], shown);
  if (groups.length === 0) return <ErrorBox error={polled.error.value} />;
  const others = groups.length - shownCauses;
  return (
    <section class="causes" aria-label={text('resources.causes')}>
      <h2>{text('resources.causes')}</h2>
      <ErrorBox error={polled.error.value} />
      {groups.slice(0, isLong.value ? undefined : shownCauses).map((group) => (
        <Cause key={causeKey(group)} group={group} />
      ))}
      {others > 0 && (
        <button
          type="button"
          class="link"
          aria-expanded={isLong.value}
          onClick={() => {
            isLong.value = !isLong.value;
          }}
        >
          {isLong.value ? text('resources.fewer-causes') : counted('resources.more-causes', others)}
        </button>
      )}
    </section>
  );
}

/** The message of a resource under way counts seconds. */
function causeKey({ cause: { kind, ref, message } }: CauseGroup): string {
  return kind === 'resource' ? `${kind} ${ref}` : `${kind} ${ref} ${message}`;
}

function groupState(group: CauseGroup): string {
  const { state } = group.cause;
  if (isFailure(group)) return state === 'refused' ? state : 'failed';
  return driftState(group.cause) ?? state;
}

function Cause({ group }: { readonly group: CauseGroup }) {
  const { cause, count, next } = group;
  const isOpen = useSignal(false);
  const message = messageBeside(cause.reason, cause.message) ?? group.summary;
  const step = next.find(placeFor);
  return (
    <article class={`cause-row ${isOpen.value ? 'open' : ''}`} aria-label={message}>
      <h3>
        <State state={groupState(group)} />
        <button
          type="button"
          class="message"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {message}
        </button>
      </h3>
      <p>
        <CauseName cause={cause} />
      </p>
      <p class="quiet">{counted('resources.affected', count)}</p>
      {step && <StepLink step={step} />}
      {isOpen.value && <Details group={group} />}
    </article>
  );
}

function Details({ group: { cause, count, resources, next } }: { readonly group: CauseGroup }) {
  const others = count - Math.min(shownResources, resources.length);
  return (
    <div class="details">
      {cause.since !== null && (
        <p class="quiet">
          {[...reasonParts(cause.reason, cause.message).codes, ''].join(' · ')}
          <Ago time={cause.since} />
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
      <Steps steps={next} />
    </div>
  );
}

function CauseName({ cause: { kind, ref } }: { readonly cause: ExplanationLink }) {
  if (kind === 'provider' && may('listProviders')) {
    return <a href={hrefTo('providers', [ref])}>{ref}</a>;
  }
  if (kind === 'resource') return <a href={hrefTo('resource', ref.split('/'))}>{ref}</a>;
  return <span>{ref}</span>;
}
