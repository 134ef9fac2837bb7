// The lines that the pods of a provider write, live. The filters are in the address, so that other pages can link to a log.
import { useSignal } from '@preact/signals';
import type { Provider } from '../../../api/shapes.ts';
import { open } from '../../api/client.ts';
import { useLog } from '../../components/log/log.ts';
import { LogView } from '../../components/log/log-view.tsx';
import { podLine } from '../../components/log/pod-line.tsx';
import { eventsAfter } from '../../live/stream.ts';
import { route, setQuery } from '../../router/route.ts';
import { text } from './text.ts';

const periods = ['10m', '1h', '1d'] as const;
const tail = 1_000;

interface Filters {
  readonly since: string | undefined;
  readonly version: string | undefined;
  readonly resource: string | undefined;
  readonly event: string | undefined;
  /** `true` for the containers before their last restart. */
  readonly previous: string | undefined;
}

export function PodLogs({ provider }: { readonly provider: Provider }) {
  const filters = filtersIn(route.value.query);
  // Another filter is another log.
  return (
    <>
      <FilterFields provider={provider} filters={filters} />
      <PodLines key={JSON.stringify(filters)} provider={provider.provider} filters={filters} />
    </>
  );
}

function filtersIn(query: URLSearchParams): Filters {
  const given = (name: string) => query.get(name) || undefined;
  return {
    since: given('since'),
    version: given('version'),
    resource: given('resource'),
    event: given('event'),
    previous: given('previous'),
  };
}

function PodLines({ provider, filters }: { readonly provider: string; readonly filters: Filters }) {
  const { previous, ...selection } = filters;
  // A container before a restart writes nothing more.
  const which = previous === 'true' ? { previous: true } : { follow: true };
  const isPaused = useSignal(false);
  const log = useLog({
    key: provider,
    isPaused: isPaused.value,
    open: (lastEventId, signal) =>
      open('getProviderLogs', {
        path: { provider },
        query: { ...selection, ...which, tail },
        headers: eventsAfter(lastEventId),
        signal,
      }),
  });
  return (
    <LogView
      log={log}
      label={text('providers.logs')}
      empty={text('providers.no-lines')}
      isPaused={isPaused.value}
      line={podLine}
    >
      <button
        type="button"
        class="small"
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        {text(isPaused.value ? 'providers.resume' : 'providers.pause')}
      </button>
    </LogView>
  );
}

function FilterFields({ provider, filters }: { provider: Provider; filters: Filters }) {
  const { since, version, resource, event, previous } = filters;
  const { version: current, previous_version: before } = provider;
  const given = [current, before, version].filter((each) => each !== null && each !== undefined);
  return (
    <form class="log-filters" onSubmit={(submit) => submit.preventDefault()}>
      <LogChoice
        name="since"
        label={text('providers.since')}
        value={since}
        any={text('providers.since-any')}
        options={[...new Set([...periods, ...(since === undefined ? [] : [since])])]}
      />
      <LogChoice
        name="version"
        label={text('providers.version')}
        value={version}
        any={text('providers.version-any')}
        options={[...new Set(given)]}
      />
      <Container previous={previous} />
      <TextFilter
        name="resource"
        label={text('providers.of-resource')}
        value={resource}
        hint="provider/type/name"
      />
      <TextFilter name="event" label={text('providers.of-event')} value={event} hint="evt-…" />
    </form>
  );
}

function Container({ previous }: { readonly previous: string | undefined }) {
  return (
    <label class="field">
      <span>{text('providers.container')}</span>
      <select
        value={previous ?? ''}
        onChange={(event) => setQuery({ previous: event.currentTarget.value })}
      >
        <option value="">{text('providers.container-present')}</option>
        <option value="true">{text('providers.container-previous')}</option>
      </select>
    </label>
  );
}

interface FilterProps {
  readonly name: keyof Filters;
  readonly label: string;
  readonly value: string | undefined;
}

interface ChoiceProps extends FilterProps {
  readonly options: readonly string[];
  /** The option without a filter. */
  readonly any: string;
}

function LogChoice({ name, label, value, options, any }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value ?? ''}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
      >
        <option value="">{any}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

function TextFilter({ name, label, value, hint }: FilterProps & { readonly hint: string }) {
  // `change`: with Enter, and when it is left. Every letter would open another log.
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="search"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="none"
        placeholder={hint}
        value={value ?? ''}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value.trim() })}
      />
    </label>
  );
}
