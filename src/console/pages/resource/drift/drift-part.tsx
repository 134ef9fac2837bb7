import type { Signal } from '@preact/signals';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { driftWord } from '../../../../client/drift.ts';
import { ErrorBox } from '../../../components/error-box.tsx';
import type { Edit } from '../edit/edit-form.ts';
import { useDialogs } from '../later.ts';

interface DriftProps {
  readonly record: ResourceRecord;
  readonly edit: Signal<Edit | undefined>;
}

/** Nothing for a resource that has not drifted. */
export function DriftPart({ record, edit }: DriftProps) {
  const isShown = record.drift != null || driftWord(record) !== undefined;
  const { code: { DriftPanel } = {}, error } = useDialogs(isShown);
  if (!isShown) return null;
  return DriftPanel ? <DriftPanel record={record} edit={edit} /> : <ErrorBox error={error} />;
}
