// Why the resource is in its state: the explanation of the API, which is read again when the record changes.
import type { Explanation, ExplanationLink, ResourceRecord } from '../../../api/shapes.ts';
import { driftWordOf } from '../../../client/drift.ts';
import { shownState } from '../../../client/shown-state.ts';
import { reasonParts, saidOnce } from '../../../client/words/reason-text.ts';
import { call } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { Steps } from '../../components/next-steps.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { type Polled, usePolled } from '../../live/polled.ts';
import { placeOfLink } from '../../router/places.ts';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { Attempts } from './attempts/attempts.tsx';
import { useReloaded } from './tab-data.ts';
import { text } from './text.ts';

const unsettledMs = 5_000;
const settledMs = 60_000;

/** Reads the explanation while the resource is shown. */
export function useExplanation(record: ResourceRecord): Polled<Explanation> {
  const { id } = record;
  const path = { resource_id: id };
  const polled = usePolled({
    key: id,
    everyMs: isInEndState(record) ? settledMs : unsettledMs,
    load: (signal) => call('explainResource', { path, query: { deleting: 'include' }, signal }),
  });
  useReloaded(polled, record);
  return polled;
}

/** @returns whether nothing happens by itself any more */
function isInEndState(record: ResourceRecord): boolean {
  return ['ready', 'failed', 'draft'].includes(shownState(record));
}

interface WhyProps {
  readonly record: ResourceRecord;
  readonly explanation: Polled<Explanation>;
}

export function Why({ record, explanation }: WhyProps) {
  const { value, error } = explanation;
  const found = value.value;
  if (found === undefined) {
    return error.value === undefined ? <Loading /> : <ErrorBox error={error.value} />;
  }
  const { summary, event, dead_letter: letter, log_excerpt: log, next } = found;
  const chain = saidOnce(found);
  return (
    <>
      <ErrorBox error={error.value} />
      <p class="summary" aria-live="polite">
        {summary}
      </p>
      {chain.length > 0 && (
        <section>
          <h2>{text('resource.chain')}</h2>
          <ol class="chain">
            {chain.map((link, at) => (
              <ChainLink key={`${link.kind} ${link.ref}`} link={link} isCause={at === 0} />
            ))}
          </ol>
        </section>
      )}
      {event !== null && <Attempts record={record} explanation={found} event={event} />}
      {letter !== null && may('getDeadLetter') && (
        <p>
          {text('resource.dead-letter')}{' '}
          <a href={hrefTo('dead-letters', [], { cause: letter.cause })}>{letter.event_id}</a>
          {(letter.same_cause ?? 0) > 0 &&
            ` ${text('resource.same-cause', { count: letter.same_cause ?? 0 })}`}
        </p>
      )}
      {log.length > 0 && (
        <section aria-label={text('dead-letters.excerpt')}>
          <h2>{text('dead-letters.excerpt')}</h2>
          <pre class="block" tabIndex={0}>
            {log.join('\n')}
          </pre>
        </section>
      )}
      {next.length > 0 && (
        <section>
          <h2>{text('resource.next')}</h2>
          <Steps steps={next} />
        </section>
      )}
    </>
  );
}

function ChainLink({ link, isCause }: { link: ExplanationLink; isCause: boolean }) {
  const { kind, ref, state, reason, message, since, via } = link;
  const place = placeOfLink(link);
  const parts = reasonParts(reason, message);
  return (
    <li class="card">
      <p class="actions">
        {kind !== 'resource' && <span class="quiet">{kind}</span>}
        {place === undefined ? (
          <strong>{ref}</strong>
        ) : (
          <a href={hrefTo(place.page, place.path, place.query)}>{ref}</a>
        )}
        <State state={driftWordOf(reason) ?? state} />
        {since !== null && (
          <span class="quiet">
            {text('resource.since')} <Ago time={since} />
          </span>
        )}
        {isCause && state !== 'ready' && <State state={text('resource.cause')} tone="bad" />}
      </p>
      {(reason !== null || message !== null) && (
        <p class="pre">
          {parts.sentence} <code class="quiet">{parts.codes.join(' ')}</code>
        </p>
      )}
      {via !== null && <p class="quiet">{text('resource.via', { path: via })}</p>}
    </li>
  );
}
