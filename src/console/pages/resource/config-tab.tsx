import type { Signal } from '@preact/signals';
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { Action } from '../../components/action.tsx';
import { may } from '../../session/rights.ts';
import { Config } from './config.tsx';
import { type Edit, editOf } from './edit/edit-form.ts';
import { dialogs } from './later.ts';
import { schemaOf } from './secrets.ts';
import { useHistory } from './tab-data.ts';
import { text } from './text.ts';
import { readVersion } from './version.ts';

interface ConfigTabProps {
  readonly record: ResourceRecord;
  /** Undefined when it is not known. */
  readonly type: ResourceDefinition | undefined;
  readonly edit: Signal<Edit | undefined>;
  readonly isRevealed: Signal<boolean>;
  readonly users: readonly string[];
}

export function ConfigTab({ record, type, edit, isRevealed, users }: ConfigTabProps) {
  const history = useHistory(record);
  const { Editor } = dialogs.code.value ?? {};
  if (edit.value !== undefined && Editor !== undefined) {
    return (
      <Editor
        edit={edit}
        record={record}
        schema={schemaOf(type)}
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
