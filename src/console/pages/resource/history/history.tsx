// Who applied what, and the way back to it.
import { type Signal, useSignal } from '@preact/signals';
import type { HistoryEntry, ResourceRecord } from '../../../../api/shapes.ts';
import { Action } from '../../../components/action.tsx';
import { ErrorBox } from '../../../components/error-box.tsx';
import { Loading, State } from '../../../components/state.tsx';
import { Ago } from '../../../components/time.tsx';
import type { Polled } from '../../../live/polled.ts';
import type { Edit } from '../edit/edit-form.ts';
import { dialogs } from '../later.ts';
import { text } from '../text.ts';
import { ChangeList } from './change-list.tsx';
import { changesIn } from './changes.ts';

interface HistoryProps {
  readonly record: ResourceRecord;
  readonly history: Polled<readonly HistoryEntry[]>;
  readonly edit: Signal<Edit | undefined>;
}

export function History({ record, history, edit }: HistoryProps) {
  const opened = useSignal<HistoryEntry | undefined>(undefined);
  const { RevisionDialog } = dialogs.code.value ?? {};
  const { value, error } = history;
  const entries = value.value;
  return (
    <>
      <ErrorBox error={error.value} />
      {entries === undefined && error.value === undefined && <Loading />}
      {entries?.length === 0 && <p class="empty">{text('resource.history.none')}</p>}
      <ol class="history">
        {entries
          ?.toSorted((left, right) => right.revision - left.revision)
          .map((entry) => (
            <Entry
              key={entry.revision}
              entry={entry}
              open={async () => {
                await dialogs.load();
                opened.value = entry;
              }}
            />
          ))}
      </ol>
      {opened.value !== undefined && RevisionDialog && (
        <RevisionDialog
          record={record}
          entry={opened.value}
          edit={edit}
          onClose={() => {
            opened.value = undefined;
          }}
        />
      )}
    </>
  );
}

function Entry({ entry, open }: { entry: HistoryEntry; open: () => Promise<void> }) {
  const { revision, applied_at, applied_by, current, kept } = entry;
  const name = text('resource.revision', { revision });
  return (
    <li class="card">
      <p class="actions">
        <strong>{name}</strong>
        {current && <State state="current" />}
        <Ago time={applied_at} />
        <span class="quiet">
          {entry.applied_by_name ?? applied_by ?? text('resource.history.unknown')}
        </span>
        {kept && (
          <Action kind="small" run={open}>
            {text('resource.history.open', { revision })}
          </Action>
        )}
      </p>
      {!kept && <p class="quiet">{text('resource.history.not-kept')}</p>}
      <Changes entry={entry} />
    </li>
  );
}

/** The changes of a revision. */
export function Changes({ entry }: { readonly entry: HistoryEntry }) {
  const changes = changesIn(entry);
  if (changes === null) return <p class="quiet">{text('resource.changes.none-before')}</p>;
  if (changes.length === 0) return <p class="quiet">{text('resource.changes.none')}</p>;
  return <ChangeList changes={changes} />;
}
