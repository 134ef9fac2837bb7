// The providers of the organization, with the state of each.
import type { Provider } from '../../../api/shapes.ts';
import { list } from '../../api/client.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { Title } from '../../components/title.tsx';
import { RowLink, VirtualRows } from '../../components/virtual-rows.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { isRolledOut, podsText, providerState } from './rollout.ts';
import { counted, text } from './text.ts';

const everyMs = 3_000;
const rowHeight = 40;

export function ProviderList() {
  const polled = usePolled({
    key: 'providers',
    everyMs,
    load: (signal) => list('listProviders', { signal }),
  });
  const { value: providers } = polled.value;
  const { value: error } = polled.error;
  return (
    <>
      <Title title={text('providers.title')}>
        {providers !== undefined && <p>{counted('providers.count', providers.length)}</p>}
      </Title>
      <ErrorBox error={error} />
      {providers === undefined && error === undefined && <Loading />}
      {providers?.length === 0 && <NoProvider />}
      {providers !== undefined && providers.length > 0 && <ProviderRows providers={providers} />}
      <CommandLine commands={firstCommands(providers)} />
    </>
  );
}

function firstCommands(providers: readonly Provider[] | undefined): readonly string[] {
  return providers?.length === 0
    ? ['fairlead init crates && cd crates', 'fairlead push']
    : ['fairlead provider list'];
}

function NoProvider() {
  return (
    <div class="empty">
      <p>{text('providers.none')}</p>
      <p>
        {text('providers.push-first')} <code>fairlead init crates</code>, <code>fairlead push</code>
      </p>
    </div>
  );
}

function ProviderRows({ providers }: { readonly providers: readonly Provider[] }) {
  return (
    <div class="provider-rows">
      <VirtualRows
        items={providers}
        rowHeight={rowHeight}
        label={text('providers.title')}
        columns={[
          text('providers.name'),
          text('providers.state'),
          text('providers.version'),
          text('providers.pods'),
          text('providers.updated'),
          text('providers.message'),
        ]}
        row={(provider, index) => (
          <RowLink
            key={provider.provider}
            index={index}
            href={hrefTo('providers', [provider.provider])}
            cells={providerCells(provider)}
          />
        )}
      />
    </div>
  );
}

function providerCells(provider: Provider) {
  const { provider: name, version, hosted, message, updated_at } = provider;
  const place = hosted ? '—' : text('providers.elsewhere');
  return [
    name,
    <State state={providerState(provider)} key="state" />,
    version === null ? <span class="quiet">{place}</span> : <code>{version}</code>,
    hosted ? podsText(provider) : '—',
    <Ago time={updated_at} key="updated" />,
    // A provider that serves needs no explanation.
    isRolledOut(provider) ? '' : message,
  ];
}
