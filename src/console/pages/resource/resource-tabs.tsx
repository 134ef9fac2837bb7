import { type Signal, useSignal } from '@preact/signals';
import type { ResourceRecord } from '../../../api/shapes.ts';
import { Action } from '../../components/action.tsx';
import { CommandLine } from '../../components/command-line.tsx';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import { may } from '../../session/rights.ts';
import { resourceCommands, tabs } from './commands.ts';
import { ConfigTab } from './config-tab.tsx';
import { DriftPart } from './drift/drift-part.tsx';
import { ObserveNow } from './drift/observe-now.tsx';
import type { Edit } from './edit/edit-form.ts';
import { Events } from './events.tsx';
import { ResourceHeader } from './header.tsx';
import { History } from './history/history.tsx';
import { dialogs } from './later.ts';
import { OptionActions } from './options/option-actions.tsx';
import { Outputs } from './outputs/outputs.tsx';
import { useHistory, useType } from './tab-data.ts';
import { text } from './text.ts';
import { Uses } from './uses.tsx';
import { useExplanation, Why } from './why.tsx';

interface ResourceTabsProps {
  readonly record: ResourceRecord;
  /** Belongs to the page, as a text that was typed outlives the tab, and the resource. */
  readonly edit: Signal<Edit | undefined>;
}

export function ResourceTabs({ record, edit }: ResourceTabsProps) {
  const tab = currentTab(tabs);
  const isDeleting = useSignal(false);
  const { DeleteDialog } = dialogs.code.value ?? {};
  const isRevealed = useSignal(false);
  const explanation = useExplanation(record);
  const type = useType(record);
  const users = explanation.value.value?.users ?? [];
  return (
    <>
      <ResourceHeader record={record} type={type}>
        <ObserveNow record={record} type={type} />
        <OptionActions record={record} />
        {may('deleteResource') && (
          <Action
            kind="danger"
            run={async () => {
              await dialogs.load();
              isDeleting.value = true;
            }}
          >
            {text('resource.delete')}
          </Action>
        )}
      </ResourceHeader>
      <DriftPart record={record} edit={edit} />
      <Tabs
        label={text('resource.parts')}
        current={tab}
        tabs={tabs.map((name) => ({ name, title: text(`resource.tab.${name}`) }))}
      />
      {tab === 'why' && <Why record={record} explanation={explanation} />}
      {tab === 'config' && <ConfigTab {...{ record, type, edit, isRevealed, users }} />}
      {tab === 'outputs' && <Outputs record={record} type={type} />}
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
      <CommandLine commands={resourceCommands(tab, record, type)} />
    </>
  );
}

function HistoryTab({ record, edit }: ResourceTabsProps) {
  return <History record={record} edit={edit} history={useHistory(record)} />;
}
