import { type Signal, useSignal } from '@preact/signals';
import type { Explanation, ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { slashed } from '../../../domain/identity.ts';
import { referencesIn } from '../../../domain/references/references.ts';
import { Action } from '../../components/action.tsx';
import { CommandLine } from '../../components/command-line.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { Loading } from '../../components/state.tsx';
import { currentTab, Tabs } from '../../components/tabs.tsx';
import type { Polled } from '../../live/polled.ts';
import { may } from '../../session/rights.ts';
import { resourceCommands, tabs } from './commands.ts';
import { Config } from './config.tsx';
import { DriftPart } from './drift/drift-part.tsx';
import { ObserveNow } from './drift/observe-now.tsx';
import { type Edit, editOf } from './edit/edit-form.ts';
import { ResourceHeader } from './header.tsx';
import { History } from './history/history.tsx';
import { dialogs, useDialogs } from './later.ts';
import { OptionActions } from './options/option-actions.tsx';
import { Outputs } from './outputs/outputs.tsx';
import { schemaOf } from './secrets.ts';
import { useHistory, useType } from './tab-data.ts';
import { text } from './text.ts';
import { readVersion } from './version.ts';
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
      {tab === 'events' && <EventsTab record={record} />}
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

/** Few open it, and its log is as large as another tab. */
function EventsTab({ record }: Pick<ResourceTabsProps, 'record'>) {
  const { code: { Events } = {}, error } = useDialogs(true);
  if (Events !== undefined) return <Events record={record} />;
  return error === undefined ? <Loading /> : <ErrorBox error={error} />;
}

interface UsesProps {
  readonly record: ResourceRecord;
  readonly explanation: Polled<Explanation>;
}

/** The resources that the resource uses, and those that use it. */
function Uses({ record, explanation }: UsesProps) {
  const { dependencies, config } = record;
  const used = new Map<string, string[]>(dependencies.map((each) => [slashed(each), []]));
  for (const { to, at } of referencesIn(config)) {
    const ref = slashed(to);
    used.set(ref, [...(used.get(ref) ?? []), ['config', ...at].join('.')]);
  }
  const users = explanation.value.value?.users;
  return (
    <>
      <section>
        <h2>{text('resource.uses')}</h2>
        {used.size === 0 ? (
          <p class="quiet">{text('resource.uses.none')}</p>
        ) : (
          <ResourceList refs={[...used.keys()]} notes={used} />
        )}
      </section>
      <section>
        <h2>{text('resource.users')}</h2>
        <ErrorBox error={explanation.error.value} />
        {users === undefined && explanation.error.value === undefined && <Loading />}
        {users?.length === 0 && <p class="quiet">{text('resource.users.none')}</p>}
        {users !== undefined && <ResourceList refs={users} />}
        {users?.length === maxUsers && <p class="quiet">{text('resource.users.first')}</p>}
      </section>
    </>
  );
}

/** The explanation names no more. */
const maxUsers = 100;

interface ConfigTabProps {
  readonly record: ResourceRecord;
  /** Undefined when it is not known. */
  readonly type: ResourceDefinition | undefined;
  readonly edit: Signal<Edit | undefined>;
  readonly isRevealed: Signal<boolean>;
  readonly users: readonly string[];
}

function ConfigTab({ record, type, edit, isRevealed, users }: ConfigTabProps) {
  const history = useHistory(record);
  const { Editor } = dialogs.code.value ?? {};
  if (edit.value !== undefined && Editor !== undefined) {
    return (
      <Editor
        edit={edit}
        record={record}
        schema={schemaOf(type)}
        type={type}
        // Without types all of it would be hidden, and it is in the text anyway.
        isRevealed={isRevealed.value || !may('listTypes')}
        users={users}
      />
    );
  }
  const open = async () => {
    const [base] = await Promise.all([readVersion(record.id), dialogs.load()]);
    // An apply would replace what is hidden with null.
    if ((base.record.masked ?? []).length > 0) throw new Error(text('resource.edit.hidden'));
    edit.value = editOf(base);
  };
  return (
    <>
      {may('applyResource') && record.deletion_requested_at === null && (
        <Action run={open}>{text('resource.edit')}</Action>
      )}
      <Config record={record} type={type} isRevealed={isRevealed} history={history.value.value} />
    </>
  );
}
