import { type Signal, useSignal } from '@preact/signals';
import type { ResourceRecord } from '../../../api/shapes.ts';
import { Action } from '../../components/action.tsx';
import { CommandLine } from '../../components/command-line.tsx';
import { later } from '../../components/later.ts';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import { may } from '../../session/rights.ts';
import { commandsFor, tabs } from './commands.ts';
import { ConfigTab } from './config-tab.tsx';
import type { Edit } from './edit-form.ts';
import { Events } from './events.tsx';
import { ResourceHeader } from './header.tsx';
import { History } from './history.tsx';
import { OptionActions } from './option-actions.tsx';
import { Outputs } from './outputs.tsx';
import { useHistory, useType } from './tab-data.ts';
import { text } from './text.ts';
import { Uses } from './uses.tsx';
import { useExplanation, Why } from './why.tsx';

const deletion = later(async () => (await import('./dialogs/delete.tsx')).DeleteDialog);

interface TabsProps {
  readonly record: ResourceRecord;
  /** Belongs to the page, as a text that was typed outlives the tab, and the resource. */
  readonly edit: Signal<Edit | undefined>;
}

export function ResourceTabs({ record, edit }: TabsProps) {
  const tab = currentTab(tabs);
  const isDeleting = useSignal(false);
  const DeleteDialog = deletion.code.value;
  const isRevealed = useSignal(false);
  const explanation = useExplanation(record);
  const users = explanation.value.value?.users ?? [];
  return (
    <>
      <ResourceHeader record={record}>
        <OptionActions record={record} />
        {may('deleteResource') && (
          <Action
            kind="danger"
            run={async () => {
              await deletion.load();
              isDeleting.value = true;
            }}
          >
            {text('resource.delete')}
          </Action>
        )}
      </ResourceHeader>
      <Tabs
        label={text('resource.parts')}
        current={tab}
        tabs={tabs.map((name) => ({ name, title: text(`resource.tab.${name}`) }))}
      />
      {tab === 'why' && <Why record={record} explanation={explanation} />}
      {tab === 'config' && <ConfigTab {...{ record, edit, isRevealed, users }} />}
      {tab === 'outputs' && <OutputsTab record={record} />}
      {tab === 'history' && <HistoryTab record={record} edit={edit} />}
      {tab === 'uses' && <Uses record={record} explanation={explanation} />}
      {tab === 'events' && <Events record={record} />}
      {isDeleting.value && DeleteDialog && (
        <DeleteDialog
          record={record}
          onClose={() => {
            isDeleting.value = false;
          }}
        />
      )}
      <CommandLine commands={commandsFor(tab, record)} />
    </>
  );
}

function OutputsTab({ record }: { readonly record: ResourceRecord }) {
  return <Outputs record={record} type={useType(record)} />;
}

function HistoryTab({ record, edit }: TabsProps) {
  return <History record={record} edit={edit} history={useHistory(record)} />;
}
