// The events of Kubernetes and of the provider about the resource.
import type { ResourceEvent, ResourceRecord } from '../../../api/shapes.ts';
import { slashed } from '../../../domain/identity.ts';
import { call, open } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { useLog } from '../../components/log/log.ts';
import { LogView } from '../../components/log/log-view.tsx';
import { podLine } from '../../components/log/pod-line.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { eventsAfter } from '../../live/stream.ts';
import { may } from '../../session/rights.ts';
import { useReloaded } from './tab-data.ts';
import { text } from './text.ts';

const everyMs = 10_000;
const tail = 200;

export function Events({ record }: { readonly record: ResourceRecord }) {
  return (
    <>
      {may('listResourceEvents') && <EventTable record={record} />}
      {may('getProviderLogs') && <Log record={record} />}
    </>
  );
}

function EventTable({ record }: { readonly record: ResourceRecord }) {
  const path = { resource_id: record.id };
  const events = usePolled({
    key: record.id,
    everyMs,
    load: (signal) => call('listResourceEvents', { path, query: { deleting: 'include' }, signal }),
  });
  useReloaded(events, record);
  const found = events.value.value;
  return (
    <section>
      <h2>{text('resource.events')}</h2>
      <ErrorBox error={events.error.value} />
      {found === undefined && events.error.value === undefined && <Loading />}
      {found?.length === 0 && <p class="quiet">{text('resource.events.none')}</p>}
      <ol class="resource-events">
        {found?.toReversed().map((event) => (
          <Event event={event} />
        ))}
      </ol>
    </section>
  );
}

function Event({ event: { type, reason, message, count, last_at } }: { event: ResourceEvent }) {
  return (
    <li>
      <p class="actions">
        <State state={reason} tone={type === 'Warning' ? 'bad' : 'quiet'} />
        <Ago time={last_at} />
        {count > 1 && <span class="quiet">{text('resource.events.count', { count })}</span>}
      </p>
      <p class="pre">{message}</p>
    </li>
  );
}

function Log({ record }: { readonly record: ResourceRecord }) {
  const { provider, id } = record;
  const log = useLog({
    key: id,
    open: (lastEventId, signal) =>
      open('getProviderLogs', {
        path: { provider },
        query: { resource: slashed(record), tail, follow: true },
        signal,
        headers: eventsAfter(lastEventId),
      }),
  });
  const error = log.error.value;
  // A provider that runs elsewhere, or is not deployed, has no log; that is no failure.
  const isNone = error instanceof ApiError && (error.status === 404 || error.status === 409);
  return (
    <section>
      <h2>{text('resource.log')}</h2>
      {isNone ? (
        <p class="quiet">{error.message}</p>
      ) : (
        <LogView
          log={log}
          label={text('resource.log')}
          line={podLine}
          empty={text('resource.log.none')}
        />
      )}
    </section>
  );
}
