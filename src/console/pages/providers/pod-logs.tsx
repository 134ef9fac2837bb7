// What the pods of a provider write, live.
import { parseLogLine } from '../../../cli/providers/log-format.ts';
import { open } from '../../api/client.ts';
import { useLog } from '../../components/log/log.ts';
import { LogView } from '../../components/log/log-view.tsx';
import { route, setQuery } from '../../router/route.ts';
import { text } from '../../text.ts';
import { shownEntry } from './log-entry.ts';

const durations = ['10m', '1h', '1d'] as const;
const tail = 1_000;

export function PodLogs({ provider }: { readonly provider: string }) {
  const { query } = route.value;
  const filter = {
    since: durations.find((each) => each === query.get('since')) ?? durations[1],
    resource: query.get('resource') ?? undefined,
    event: query.get('event') ?? undefined,
    version: query.get('version') ?? undefined,
  };
  const log = useLog({
    key: JSON.stringify([provider, filter]),
    open: (lastEventId, signal) =>
      open('getProviderLogs', {
        path: { provider },
        query: { ...filter, tail, follow: true },
        signal,
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      }),
  });
  return (
    <>
      <form class="log-filter" onSubmit={(event) => event.preventDefault()}>
        <label class="field">
          <span>{text('providers.since')}</span>
          <select
            value={filter.since}
            onChange={(event) => setQuery({ since: event.currentTarget.value })}
          >
            {durations.map((each) => (
              <option key={each} value={each}>
                {text('providers.last', { duration: each })}
              </option>
            ))}
          </select>
        </label>
        <Field name="resource" value={filter.resource} hint="provider/type/name" />
        <Field name="event" value={filter.event} hint="evt-…" />
        <Field name="version" value={filter.version} hint="20260131.120000" />
      </form>
      <LogView
        log={log}
        label={text('providers.log-of', { provider })}
        line={(line) => <Line line={line} />}
        empty={text('providers.log-empty')}
      />
    </>
  );
}

interface FieldProps {
  readonly name: 'resource' | 'event' | 'version';
  readonly value: string | undefined;
  readonly hint: string;
}

/** Applies when the field is left, not at every key: each change opens the log anew. */
function Field({ name, value, hint }: FieldProps) {
  return (
    <label class="field">
      <span>{text(`providers.filter.${name}`)}</span>
      <input
        type="search"
        spellcheck={false}
        autocomplete="off"
        placeholder={hint}
        value={value ?? ''}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value.trim() })}
      />
    </label>
  );
}

function Line({ line }: { readonly line: string }) {
  const { pod, text: written, entry } = parseLogLine(line);
  const source = <span class="quiet">{pod.split('-').at(-1) ?? pod}</span>;
  if (entry === undefined) {
    return (
      <>
        {source} {written}
      </>
    );
  }
  const { time, level, message, fields } = shownEntry(entry);
  return (
    <>
      {source} <span class="quiet">{time}</span>{' '}
      <span class={level === 'error' ? 'bad' : level === 'warn' ? 'busy' : 'quiet'}>{level}</span>{' '}
      {message} <span class="quiet">{fields}</span>
    </>
  );
}
