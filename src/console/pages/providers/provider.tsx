// One provider: what runs of it, and the tabs.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Provider } from '../../../api/shapes.ts';
import { list } from '../../api/client.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import { Ago } from '../../components/time.tsx';
import { Title } from '../../components/title.tsx';
import { usePolled } from '../../live/polled.ts';
import { followResources } from '../../live/resources.ts';
import { hrefTo, route } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { BuildLog } from './build-log.tsx';
import { commandsOf, releaseCommand } from './commands.ts';
import { CorrectionsHeld } from './corrections.tsx';
import { DeleteProviderDialog } from './delete-dialog.tsx';
import { PodLogs } from './pod-logs.tsx';
import type { RolloutChoice } from './rollout.ts';
import { podsText, providerState } from './rollout.ts';
import { RolloutDialog } from './rollout-dialog.tsx';
import { Settings } from './settings.tsx';
import { text } from './text.ts';
import { Versions } from './versions.tsx';

const everyMs = 3_000;

const tabs = ['versions', 'build', 'logs', 'settings'] as const;
/** The dialog that is open. It belongs to the page: the provider may vanish meanwhile. */
type ProviderDialog = RolloutChoice | { readonly kind: 'delete' };

export function ProviderPage({ name }: { readonly name: string }) {
  const polled = usePolled({
    key: name,
    everyMs,
    load: async (signal) => {
      const all = await list('listProviders', { signal });
      return { found: all.find(({ provider }) => provider === name) };
    },
  });
  const opened = useSignal<ProviderDialog | undefined>(undefined);
  useEffect(followResources, []);
  const { value: error } = polled.error;
  const { value: read } = polled.value;
  const provider = read?.found;
  const show = currentTab(tabs);
  const ask = (dialog: ProviderDialog) => {
    opened.value = dialog;
  };
  const close = () => {
    opened.value = undefined;
    void polled.reload();
  };
  return (
    <>
      <Title title={name}>
        {provider !== undefined && <State state={providerState(provider)} />}
        {provider !== undefined && <ProviderButtons provider={provider} ask={ask} />}
      </Title>
      <ErrorBox error={error} />
      {read === undefined && error === undefined && <Loading />}
      {read !== undefined && provider === undefined && <Unknown name={name} />}
      {provider !== undefined && <CorrectionsHeld provider={provider} reload={polled.reload} />}
      {provider !== undefined && <ProviderFacts provider={provider} />}
      {provider !== undefined && <Parts provider={provider} show={show} ask={ask} />}
      {opened.value?.kind === 'delete' && <DeleteProviderDialog provider={name} onClose={close} />}
      {opened.value !== undefined && opened.value.kind !== 'delete' && (
        <RolloutDialog wanted={opened.value} onClose={close} />
      )}
      <CommandLine
        commands={[
          ...commandsOf(name, show, route.value.query),
          ...(provider !== undefined && provider.corrections_held != null
            ? [releaseCommand(name)]
            : []),
        ]}
      />
    </>
  );
}

function Unknown({ name }: { readonly name: string }) {
  return (
    <p class="empty">
      {text('providers.unknown', { name })}{' '}
      <a href={hrefTo('providers')}>{text('providers.show-all')}</a>
    </p>
  );
}

interface ButtonsProps {
  readonly provider: Provider;
  readonly ask: (opened: ProviderDialog) => void;
}

function ProviderButtons({ provider, ask }: ButtonsProps) {
  const { provider: name, version: from, previous_version: previous } = provider;
  return (
    <p class="actions">
      {may('rollbackProvider') && previous !== null && (
        <button
          type="button"
          class={provider.status === 'failed' ? 'primary' : ''}
          onClick={() => ask({ kind: 'rollback', provider: name, from, version: previous })}
        >
          {text('providers.roll-back-ask')}
        </button>
      )}
      {may('deleteProvider') && (
        <button type="button" class="danger" onClick={() => ask({ kind: 'delete' })}>
          {text('providers.delete-ask')}
        </button>
      )}
    </p>
  );
}

interface PartsProps extends ButtonsProps {
  readonly show: (typeof tabs)[number];
}

function Parts({ provider, show, ask }: PartsProps) {
  const { provider: name, version: from, hosted } = provider;
  if (!hosted) return <p class="empty">{text('providers.elsewhere-meaning')}</p>;
  return (
    <>
      <Tabs
        label={text('providers.tabs')}
        current={show}
        tabs={tabs.map((tab) => ({ name: tab, title: text(`providers.tab.${tab}`) }))}
      />
      {show === 'versions' && (
        <Versions
          provider={provider}
          deploy={(version) => ask({ kind: 'deploy', provider: name, from, version })}
        />
      )}
      {show === 'build' && <BuildLog provider={name} />}
      {show === 'logs' && <PodLogs provider={provider} />}
      {show === 'settings' && <Settings provider={name} />}
    </>
  );
}

function ProviderFacts({ provider }: { readonly provider: Provider }) {
  const { version, previous_version: previous, message, updated_at, hosted } = provider;
  return (
    <dl class="facts" aria-live="polite">
      {hosted && (
        <>
          <dt>{text('providers.version')}</dt>
          <dd>{version === null ? text('providers.not-deployed') : <code>{version}</code>}</dd>
          {previous !== null && (
            <>
              <dt>{text('providers.previous')}</dt>
              <dd>
                <code>{previous}</code>
              </dd>
            </>
          )}
          <dt>{text('providers.pods')}</dt>
          <dd>{text('providers.pods-ready', { pods: podsText(provider) })}</dd>
        </>
      )}
      <dt>{text('providers.message')}</dt>
      <dd class="pre">{message}</dd>
      <dt>{text('resources.title')}</dt>
      <dd>
        <a href={hrefTo('resources', [], { filter: provider.provider })}>
          {text('providers.resources')}
        </a>
      </dd>
      <dt>{text('providers.updated')}</dt>
      <dd>
        <Ago time={updated_at} />
      </dd>
    </dl>
  );
}
