import { type Signal, useSignal } from '@preact/signals';
import type { ResourceRecord } from '../../../cli/api/bodies.ts';
import { slashed } from '../../../domain/identity.ts';
import { get, list } from '../../api/client.ts';
import { CommandLine, quoted } from '../../components/command-line.tsx';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import { usePolled } from '../../live/polled.ts';
import { may } from '../../session/rights.ts';
import { text } from '../../text.ts';
import { Config } from './config.tsx';
import { DeleteDialog } from './delete.tsx';
import { ResourceHeader } from './header.tsx';
import { schemaOf } from './secrets.ts';
import { useExplanation, Why } from './why.tsx';

const tabs = ['why', 'config'] as const;
type Tab = (typeof tabs)[number];

const commands: Readonly<Record<Tab, (ref: string) => readonly string[]>> = {
  why: (ref) => [`fairlead why ${ref}`],
  config: (ref) => [`fairlead get ${ref} -o yaml`, `fairlead edit ${ref}`],
};

export function ResourceTabs({ record }: { readonly record: ResourceRecord }) {
  const tab = currentTab(tabs);
  const isDeleting = useSignal(false);
  const isRevealed = useSignal(false);
  const explanation = useExplanation(record);
  return (
    <>
      <ResourceHeader record={record}>
        {may('deleteResource') && (
          <button type="button" class="danger" onClick={() => (isDeleting.value = true)}>
            {text('resource.delete')}
          </button>
        )}
      </ResourceHeader>
      <Tabs
        label={text('resource.parts')}
        current={tab}
        tabs={tabs.map((name) => ({ name, title: text(`resource.tab.${name}`) }))}
      />
      {tab === 'why' && <Why record={record} explanation={explanation} />}
      {tab === 'config' && <ConfigTab record={record} isRevealed={isRevealed} />}
      {isDeleting.value && (
        <DeleteDialog record={record} onClose={() => (isDeleting.value = false)} />
      )}
      <CommandLine commands={commands[tab](quoted(slashed(record)))} />
    </>
  );
}

const typesMs = 300_000;
const historyMs = 60_000;

function ConfigTab({
  record,
  isRevealed,
}: {
  readonly record: ResourceRecord;
  readonly isRevealed: Signal<boolean>;
}) {
  const types = usePolled({
    key: 'types',
    everyMs: typesMs,
    load: async (signal) => (may('listTypes') ? await list('listTypes', { signal }) : []),
  });
  const history = usePolled({
    key: record.id,
    everyMs: historyMs,
    load: (signal) =>
      get('listResourceHistory', {
        path: { resource_id: record.id },
        query: { deleting: 'include' },
        signal,
      }),
  });
  return (
    <Config
      record={record}
      schema={schemaOf(record, types.value.value)}
      isRevealed={isRevealed}
      history={history.value.value}
    />
  );
}
