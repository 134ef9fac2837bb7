// One provider: what it runs, and what can be done about it.
import { useSignal } from '@preact/signals';
import type { Provider } from '../../../cli/api/bodies.ts';
import { get } from '../../api/client.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import { Title } from '../../components/title.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { text } from '../../text.ts';
import { BuildLog } from './build-log.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { stateOf } from './deployment-state.ts';
import { PodLogs } from './pod-logs.tsx';
import { RolloutDialog } from './rollout-dialog.tsx';
import { Settings } from './settings.tsx';
import { Versions } from './versions.tsx';

const everyMs = 3_000;
const tabNames = ['versions', 'build', 'logs', 'settings'] as const;
type TabName = (typeof tabNames)[number];

export function ProviderView({ name }: { readonly name: string }) {
  const polled = usePolled({
    key: name,
    everyMs,
    load: async (signal) => ({
      provider: (await get('listProviders', { signal })).find((each) => each.provider === name),
    }),
  });
  const read = polled.value.value;
  const shown = currentTab(tabNames);
  return (
    <>
      <Title title={name}>
        {read?.provider !== undefined && <State state={stateOf(read.provider)} />}
        <Actions name={name} provider={read?.provider} reload={polled.reload} />
      </Title>
      <ErrorBox error={polled.error.value} />
      {read === undefined && polled.error.value === undefined && <Loading />}
      {read !== undefined && <Facts provider={read.provider} />}
      <Tabs
        label={name}
        current={shown}
        tabs={(shown === 'build' ? tabNames : tabNames.filter((each) => each !== 'build')).map(
          (each) => ({ name: each, title: text(`providers.tab.${each}`) }),
        )}
      />
      <Tab shown={shown} name={name} provider={read?.provider} reload={polled.reload} />
      <CommandLine commands={commandsFor(shown, name)} />
    </>
  );
}

function commandsFor(shown: TabName, name: string): readonly string[] {
  const commands: Readonly<Record<TabName, readonly string[]>> = {
    versions: [`fairlead build list ${name}`, `fairlead rollback ${name}`],
    build: [`fairlead build list ${name}`, `fairlead push`],
    logs: [`fairlead logs ${name} --follow`],
    settings: [`fairlead provider settings get ${name}`],
  };
  return [`fairlead provider get ${name}`, ...commands[shown]];
}

interface PartProps {
  readonly name: string;
  /** Undefined before the first deploy. */
  readonly provider: Provider | undefined;
  readonly reload: () => Promise<void>;
}

function Tab({ shown, name, provider, reload }: PartProps & { readonly shown: TabName }) {
  if (shown === 'build') return <BuildLog provider={name} />;
  if (shown === 'logs') return <PodLogs provider={name} />;
  if (shown === 'settings') return <Settings provider={name} />;
  return <Versions name={name} provider={provider} reload={reload} />;
}

function Actions({ name, provider, reload }: PartProps) {
  const dialog = useSignal<'rollback' | 'delete' | undefined>(undefined);
  const close = () => {
    dialog.value = undefined;
    void reload();
  };
  const previous = provider?.previous_version ?? undefined;
  return (
    <div class="actions">
      {may('rollbackProvider') && previous !== undefined && (
        <button
          type="button"
          class="primary"
          onClick={() => {
            dialog.value = 'rollback';
          }}
        >
          {text('providers.rollback-to', { version: previous })}
        </button>
      )}
      {may('deleteProvider') && (
        <button
          type="button"
          class="danger"
          onClick={() => {
            dialog.value = 'delete';
          }}
        >
          {text('providers.delete')}
        </button>
      )}
      {dialog.value === 'rollback' && previous !== undefined && (
        <RolloutDialog
          kind="rollback"
          provider={name}
          from={provider?.version ?? undefined}
          to={previous}
          onClose={close}
        />
      )}
      {dialog.value === 'delete' && <DeleteDialog provider={name} onClose={close} />}
    </div>
  );
}

function Facts({ provider }: { readonly provider: Provider | undefined }) {
  if (provider === undefined) return <p>{text('providers.not-deployed')}</p>;
  const { version, previous_version: previous, ready_replicas: ready, replicas } = provider;
  const name = provider.provider;
  return (
    <dl class="facts">
      <dt>{text('providers.message')}</dt>
      <dd>{provider.message}</dd>
      <dt>{text('providers.version')}</dt>
      <dd class="mono">{version ?? '—'}</dd>
      {previous !== null && <dt>{text('providers.previous')}</dt>}
      {previous !== null && <dd class="mono">{previous}</dd>}
      <dt>{text('providers.pods')}</dt>
      <dd>
        {provider.hosted
          ? text('providers.pods-ready', { ready, count: replicas })
          : text('providers.elsewhere')}
      </dd>
      <dt>{text('resources.title')}</dt>
      <dd>
        <a href={hrefTo('resources', [], { filter: name })}>{text('providers.resources')}</a>
      </dd>
    </dl>
  );
}
