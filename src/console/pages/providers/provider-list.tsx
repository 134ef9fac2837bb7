// All providers of the organization, with what they run.
import type { Provider } from '../../../cli/api/bodies.ts';
import { get } from '../../api/client.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { Title } from '../../components/title.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { text } from '../../text.ts';
import { stateOf } from './deployment-state.ts';

const everyMs = 3_000;

export function ProviderList() {
  const polled = usePolled({
    key: 'providers',
    everyMs,
    load: (signal) => get('listProviders', { signal }),
  });
  const providers = polled.value.value;
  return (
    <>
      <Title title={text('providers.title')} />
      <ErrorBox error={polled.error.value} />
      {providers === undefined && polled.error.value === undefined && <Loading />}
      {providers?.length === 0 && <Empty />}
      {providers !== undefined && providers.length > 0 && <Table providers={providers} />}
      <CommandLine commands={['fairlead provider list']} />
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p>{text('providers.none')}</p>
      <p>
        <code>fairlead init hello && cd hello && fairlead push</code>
      </p>
    </div>
  );
}

function Table({ providers }: { readonly providers: readonly Provider[] }) {
  return (
    <table class="providers">
      <thead>
        <tr>
          <th scope="col">{text('providers.name')}</th>
          <th scope="col">{text('providers.state')}</th>
          <th scope="col">{text('providers.version')}</th>
          <th scope="col">{text('providers.pods')}</th>
          <th scope="col">{text('providers.message')}</th>
          <th scope="col">{text('providers.updated')}</th>
        </tr>
      </thead>
      <tbody>
        {providers.map((provider) => (
          <Row key={provider.provider} provider={provider} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ provider }: { readonly provider: Provider }) {
  const { provider: name, version, ready_replicas: ready, replicas, hosted } = provider;
  return (
    <tr>
      <th scope="row">
        <a href={hrefTo('providers', [name])} data-row>
          {name}
        </a>
      </th>
      <td>
        <State state={stateOf(provider)} />
      </td>
      <td class="mono">{version ?? '—'}</td>
      <td>{hosted ? `${ready}/${replicas}` : text('providers.elsewhere')}</td>
      <td>{provider.message}</td>
      <td>
        <Ago time={provider.updated_at} />
      </td>
    </tr>
  );
}
