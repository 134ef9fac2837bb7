// One provider: what runs of it, and the tabs.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Provider } from '../../../cli/api/bodies.ts';
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
import { text } from '../../text.ts';
import { BuildLog } from './build-log.tsx';
import { commandsOf } from './commands.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { PodLogs } from './pod-logs.tsx';
import { podsText, stateOf } from './rollout.ts';
import { RolloutDialog, type Wanted } from './rollout-dialog.tsx';
import { Settings } from './settings.tsx';
import { Versions } from './versions.tsx';

const everyMs = 3_000;

const tabs = ['versions', 'build', 'logs', 'settings'] as const;

export function ProviderPage({ name }: { readonly name: string }) {
  const polled = usePolled({
    key: name,
    everyMs,
    load: async (signal) => {
      const all = await list('listProviders', { signal });
      return { found: all.find(({ provider }) => provider === name) };
    },
  });
  useEffect(followResources, []);
  const { value: error } = polled.error;
  const provider = polled.value.value?.found;
  const isUnknown = polled.value.value !== undefined && provider === undefined;
  return (
    <>
      <Title title={name}>{provider !== undefined && <State state={stateOf(provider)} />}</Title>
      <ErrorBox error={error} />
      {polled.value.value === undefined && error === undefined && <Loading />}
      {isUnknown && <Unknown name={name} />}
      {provider !== undefined && <Known provider={provider} reload={() => void polled.reload()} />}
      <CommandLine commands={commandsOf(name, currentTab(tabs), route.value.query)} />
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

interface KnownProps {
  readonly provider: Provider;
  readonly reload: () => void;
}

function Known({ provider, reload }: KnownProps) {
  const wanted = useSignal<Wanted | undefined>(undefined);
  const isDeleting = useSignal(false);
  const { provider: name, previous_version: previous, hosted } = provider;
  const show = currentTab(tabs);
  const deploy = (version: string) => {
    wanted.value = { kind: 'deploy', provider: name, from: provider.version, version };
  };
  return (
    <>
      <Facts provider={provider} />
      <p class="actions">
        {may('rollbackProvider') && previous !== null && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              wanted.value = {
                kind: 'rollback',
                provider: name,
                from: provider.version,
                version: previous,
              };
            }}
          >
            {text('providers.roll-back-ask')}
          </button>
        )}
        {may('deleteProvider') && (
          <button
            type="button"
            class="danger"
            onClick={() => {
              isDeleting.value = true;
            }}
          >
            {text('providers.delete-ask')}
          </button>
        )}
      </p>
      {hosted ? (
        <>
          <Tabs
            label={text('providers.tabs')}
            current={show}
            tabs={tabs.map((tab) => ({ name: tab, title: text(`providers.tab.${tab}`) }))}
          />
          {show === 'versions' && <Versions provider={provider} deploy={deploy} />}
          {show === 'build' && <BuildLog provider={name} />}
          {show === 'logs' && <PodLogs provider={provider} />}
          {show === 'settings' && <Settings provider={name} />}
        </>
      ) : (
        <p class="empty">{text('providers.elsewhere-meaning')}</p>
      )}
      {isDeleting.value && (
        <DeleteDialog
          provider={name}
          onClose={() => {
            isDeleting.value = false;
            reload();
          }}
        />
      )}
      {wanted.value !== undefined && (
        <RolloutDialog
          wanted={wanted.value}
          onClose={() => {
            wanted.value = undefined;
            reload();
          }}
        />
      )}
    </>
  );
}

function Facts({ provider }: { readonly provider: Provider }) {
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
