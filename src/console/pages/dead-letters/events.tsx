// The events of a cause, in pages.
import { useSignal } from '@preact/signals';
import type { DeadLetter } from '../../../api/shapes.ts';
import { nextPage } from '../../../client/api/link.ts';
import { request } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { text } from './text.ts';

const pageSize = 50;
const everyMs = 5_000;

export function DeadLetterEvents({ cause }: { readonly cause: string }) {
  const size = useSignal(pageSize);
  const limit = size.value;
  const polled = usePolled({
    key: `${cause} ${limit}`,
    everyMs,
    load: async (signal) => {
      const { answer, headers } = await request('listDeadLetters', {
        query: { cause, limit },
        signal,
      });
      const hasMore = nextPage(headers.get('link') ?? undefined) !== undefined;
      return { events: answer as readonly DeadLetter[], hasMore };
    },
  });
  const page = polled.value.value;
  if (page === undefined) {
    return polled.error.value === undefined ? <Loading /> : <ErrorBox error={polled.error.value} />;
  }
  if (page.events.length === 0) return null;
  return (
    <section aria-label={text('dead-letters.event-list')}>
      <h2>{text('dead-letters.event-list')}</h2>
      <ErrorBox error={polled.error.value} />
      <table class="events">
        <thead>
          <tr>
            <th scope="col">{text('dead-letters.resource')}</th>
            <th scope="col">{text('dead-letters.event')}</th>
            <th scope="col">{text('dead-letters.attempts')}</th>
            <th scope="col">{text('dead-letters.failed')}</th>
          </tr>
        </thead>
        <tbody>
          {page.events.map((event) => (
            <EventRow key={event.event_id} event={event} />
          ))}
        </tbody>
      </table>
      {page.hasMore && limit < maxEvents && (
        <button
          type="button"
          onClick={() => {
            size.value = Math.min(limit * 2, maxEvents);
          }}
        >
          {text('more')}
        </button>
      )}
    </section>
  );
}

/** The greatest limit of the API. */
const maxEvents = 1_000;

function EventRow({ event }: { readonly event: DeadLetter }) {
  const { provider, resource_type: type, resource_name: name } = event;
  return (
    <tr>
      <td>
        <a href={hrefTo('dead-letters', [event.event_id])} data-row>
          {provider}/{type}/{name}
        </a>
        {event.superseded && <span class="quiet"> {text('dead-letters.is-superseded')}</span>}
      </td>
      <td>{event.event_type}</td>
      <td>{event.attempt_count}</td>
      <td>
        <Ago time={event.failed_at} />
      </td>
    </tr>
  );
}
