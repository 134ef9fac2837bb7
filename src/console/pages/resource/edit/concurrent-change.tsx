// Says that somebody changed the resource that is being edited, and what.
import type { Signal } from '@preact/signals';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { differencesOf } from '../../../../client/differences.ts';
import { slashed } from '../../../../domain/identity.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { Action } from '../../../components/action.tsx';
import { ChangeList } from '../history/change-list.tsx';
import { shownDifferences } from '../history/changes.ts';
import { readVersion } from '../version.ts';
import { declaresTheSame } from './declaration.ts';
import type { Edit } from './edit-form.ts';
import { text } from './text.ts';

interface ConcurrentChangeProps {
  readonly edit: Signal<Edit | undefined>;
  readonly record: ResourceRecord;
  readonly schema: JsonObject | undefined;
  readonly isRevealed: boolean;
}

export function ConcurrentChange({ edit, record, schema, isRevealed }: ConcurrentChangeProps) {
  const opened = edit.value?.base.record;
  if (opened === undefined || declaresTheSame(opened, record)) return null;
  const differences = differencesOf(opened, record, { schema, shown: isRevealed });
  const rebase = async () => {
    const base = await readVersion(record.id);
    if (edit.value !== undefined) edit.value = { ...edit.value, base };
  };
  return (
    <div class="card busy" role="status">
      <p class="pre">
        <strong>
          {text('resource.meanwhile', {
            ref: slashed(record),
            who: record.applied_by_name ?? record.applied_by ?? text('resource.somebody'),
          })}
        </strong>
      </p>
      <ChangeList changes={shownDifferences(differences)} />
      <p>{text('resource.meanwhile.advice')}</p>
      <Action run={rebase}>{text('resource.meanwhile.rebase')}</Action>
    </div>
  );
}
